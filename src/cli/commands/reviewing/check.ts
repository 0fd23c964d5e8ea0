/** `stage check`: reports what would prevent the approval. */

import { keyCell, nameCell, tableCell } from '../../../client/cell.ts';
import { conflictSides } from '../../../client/place-words.ts';
import { ignoredLines, rehearsalLines, warningLines } from '../../../client/rehearsal-words.ts';
import type { Reply } from '../../../client/service-client.ts';
import { conflictInWords, hiddenInWords } from '../../../client/words.ts';
import { StageError } from '../../../errors.ts';
import type { Conflict } from '../../../model/conflict.ts';
import { chosenOutput, outputOption } from '../../arguments/output-option.ts';
import { openStates } from '../../arguments/session-argument.ts';
import type { Connection, Context } from '../../context.ts';
import { defineSessionCommand } from '../../define-command.ts';
import type { ListOptions } from '../../output/list.ts';
import { listOutputs, showList, wholeList } from '../../output/list.ts';
import { withProgress } from '../../progress.ts';
import type { SharedOptions } from '../../settings.ts';

interface Options extends Pick<ListOptions, 'output'> {
  readonly rehearse?: true;
}

const columns = ['table', 'row', 'column', 'conflict', 'was', 'staged', 'in production'].map(
  (title) => ({ title }),
);

export const checkCommand = defineSessionCommand<Options>({
  description:
    'Run the checks of approve, and change nothing. ' +
    'Ends with exit code 3 when rows that the session touched have changed in production.',
  options: [
    [
      '--rehearse',
      'have production apply the changes and roll them back: shows what would land, what triggers would change elsewhere, what would be refused',
    ],
    outputOption(listOutputs, 'table; in a pipe tsv'),
  ],
  examples: [
    'stage check',
    'stage check --rehearse',
    'stage check sess_2f0c... --json',
    'stage check && stage approve',
  ],
  states: openStates,
  work: async ({ context, connection, id }, options) => {
    if (options.rehearse) return rehearse(context, connection, options, id);
    const { body, value } = await connection.api.findConflicts(id);
    return reportConflicts(context, options, id, { body, value });
  },
});

async function reportConflicts(
  context: Context,
  options: Options & SharedOptions,
  id: string,
  { body, value }: Reply<readonly Conflict[]>,
): Promise<number> {
  await showList(context, options, {
    columns,
    row: conflictRow,
    member: 'conflicts',
    fetch: async () => ({ body, value: wholeList(value) }),
    none: 'No conflicts: production is as the session saw it.',
  });
  if (value.length === 0) return 0;
  if (value.every(({ ignored }) => ignored)) {
    await context.out.remark('No conflicts: what has changed in production does not count.');
    return 0;
  }
  await context.out.remark(
    `Next: stage resolve, where the session is active (a proposed one: stage reopen ${id}); or stage reject ${id}, then stage session new: it starts from production as it is now`,
  );
  return 3;
}

async function rehearse(
  context: Context,
  { api }: Connection,
  options: Options & SharedOptions,
  id: string,
): Promise<number> {
  const { out } = context;
  const form = chosenOutput(options) ?? 'table';
  if (form !== 'table' && form !== 'json') {
    throw new StageError('usage', `a rehearsal has no form ${form}`, {
      hint: 'Leave the form out, or ask for --json: stage check --rehearse --json',
    });
  }
  const { body, value } = await withProgress(
    out,
    () => 'Rehearsing the approval',
    () => api.rehearse(id),
  );
  if (form === 'json') {
    await out.document(body);
    return value.ok ? 0 : 3;
  }
  if (value.conflicts.length > 0)
    return reportConflicts(context, options, id, {
      body,
      value: [...value.conflicts, ...value.ignored],
    });
  const lines = [...rehearsalLines(value, out.paint.signs), ...ignoredLines(value)];
  await out.lines(lines.map(({ text }) => text));
  for (const { text } of warningLines(value)) await out.note(text);
  return value.ok ? 0 : 3;
}

function conflictRow(conflict: Conflict): string[] {
  const { table, rowId, kind, field, hidden } = conflict;
  const key = kind === 'schema' ? '' : keyCell(rowId);
  const row = hidden ? hiddenInWords : key;
  const column = field === null ? '' : nameCell(field);
  const words = conflictInWords(conflict);
  return [tableCell(table), row, column, words, ...conflictSides(conflict)];
}
