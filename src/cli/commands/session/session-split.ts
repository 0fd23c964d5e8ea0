/** `stage session split`: moves staged rows to a session of their own. */
import { rowPlace } from '../../../client/place-words.ts';
import { splitOffInWords } from '../../../client/split.ts';
import { StageError } from '../../../errors.ts';
import type { PartOptions } from '../../arguments/only.ts';
import { collected, partOf } from '../../arguments/only.ts';
import { resolveSession } from '../../arguments/session-argument.ts';
import { defineServerCommand } from '../../define-command.ts';
import { reportOutcome } from '../../output/session-text.ts';
import { withProgress } from '../../progress.ts';

export const sessionSplitCommand = defineServerCommand<PartOptions>({
  description:
    'Move staged rows of an active session to a new one, which is reviewed and approved apart from it. ' +
    'Ends with exit code 3, and changes nothing, when other staged rows are tied to them.',
  arguments: [['[session]', 'session id']],
  options: [
    ['--only <rows>', 'a table, or a table and keys: products:1,3; may be repeated', collected],
    ['--with-ties', 'include rows that are tied to the chosen ones'],
  ],
  examples: [
    'stage session split --only orders',
    "stage session split sess_2f0c... --only orders --only 'products:1,3'",
    'stage session split --only \'order_lines:{"order": 7, "line": 2}\' --with-ties',
  ],
  work: async ({ context, connection }, options, argument) => {
    const part = partOf(options);
    if (part === undefined)
      throw new StageError('usage', 'no rows are chosen', {
        hint: "Choose rows: stage session split --only orders --only 'products:1,3'",
      });
    const id = await resolveSession(context, connection, argument);
    const { out } = context;
    const { body, value } = await withProgress(
      out,
      () => 'Splitting the session',
      () => connection.api.split(id, part),
    );
    const { session, tied } = value;
    await reportOutcome(
      out,
      { body, value: session },
      `${splitOffInWords(value)} See both: stage diff ${id}, stage diff ${session.id}`,
    );
    for (const row of tied) await out.note(`split off, too: ${rowPlace(row)}`);
  },
});
