/** Reads a session's brief. Values of rows keep the text that was received. */
import type { Brief, FlagCode } from '../model/brief.ts';
import { flagCodes } from '../model/brief.ts';
import type { JsonText } from '../model/json.ts';
import { Fields } from './fields.ts';

/** @throws SyntaxError for an invalid response */
export function readBrief(json: JsonText): Brief {
  const fields = new Fields(json);
  return {
    revision: fields.required('revision'),
    tables: fields.list('tables').map((table) => {
      const members = new Fields(table);
      return {
        table: members.required('table'),
        inserts: members.number('inserts'),
        updates: members.number('updates'),
        deletes: members.number('deletes'),
        furtherChanges: members.number('further_changes'),
        sampled: members.json('sampled') === null ? null : members.number('sampled'),
        facts: members.list('facts'),
        ...(members.json('hidden')?.text === 'true' ? { hidden: true } : {}),
      };
    }),
    flags: fields.list('flags').flatMap((flag) => {
      const members = new Fields(flag);
      const code = members.required('code');
      // a newer daemon may know others
      if (!isKnown(code)) return [];
      const [table, column] = [members.text('table'), members.text('column')];
      return [{ code, table, column, count: members.number('count') }];
    }),
    overlaps: fields.list('overlaps').map((overlap) => {
      const members = new Fields(overlap);
      const sessionId = members.text('session_id');
      return { sessionId, table: members.required('table'), rows: members.number('rows') };
    }),
  };
}

/** Errors of a service that is older, of a very large diff, and of a busy service. */
const reasons = new Set(['not_found', 'took_too_long', 'busy']);

/** Whether a diff is shown without its brief, because reading the brief failed with this error code. Other errors concern the diff, too. */
// guard: a diff is shown without a brief that cannot be read
export const isLeftOut = (code: string): boolean => reasons.has(code);

const isKnown = (code: string): code is FlagCode => (flagCodes as readonly string[]).includes(code);
