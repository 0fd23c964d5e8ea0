/** `stage check`: what approve would find in the way. */

import { keyCell, nameCell, tableCell } from '../../client/cell.ts';
import { conflictInWords, hiddenInWords } from '../../client/words.ts';
import type { Conflict } from '../../model/change.ts';
import { withServer } from '../context.ts';
import { conflictSides } from '../failure.ts';
import type { ListOptions } from '../list.ts';
import { listOutputs, showList } from '../list.ts';
import { outputOption } from '../output-option.ts';
import type { ConfigureCommand } from '../run.ts';
import { examples } from '../run.ts';
import { openStates, resolveSession } from '../session-argument.ts';

type Options = Pick<ListOptions, 'output'>;

const columns = ['table', 'row', 'column', 'conflict', 'was', 'staged', 'in production'].map(
  (title) => ({ title }),
);

export const configureCheck: ConfigureCommand = (command, run) => {
  command
    .description(
      'Run the checks of approve, and change nothing. ' +
        'Ends with exit code 3 when rows that the session touched have changed in production.',
    )
    .argument('[session]', 'session id')
    .addOption(outputOption(listOutputs, 'table; in a pipe tsv'))
    .addHelpText(
      'before',
      examples(['stage check', 'stage check sess_2f0c... --json', 'stage check && stage approve']),
    )
    .action(
      run<Options>(async (context, options, argument) =>
        withServer(context, async (connection) => {
          const id = await resolveSession(context, connection, argument, openStates);
          const { body, value } = await connection.api.findConflicts(id);
          await showList(context, options, {
            columns,
            row: conflictRow,
            member: 'conflicts',
            fetch: async () => ({ body, value: { items: value, totalCount: value.length } }),
            none: 'No conflicts: production is as the session saw it.',
          });
          if (value.length === 0) return 0;
          await context.out.remark(
            `Next: stage reject ${id}, then stage session new: it starts from production as it is now`,
          );
          return 3;
        }),
      ),
    );
};

function conflictRow(conflict: Conflict): string[] {
  const { table, kind, field, hidden } = conflict;
  const words = conflictInWords(conflict);
  if (hidden) return [tableCell(table), hiddenInWords, '', words, '', '', ''];
  const column = field === null ? '' : nameCell(field);
  if (kind === 'schema') return [tableCell(table), '', column, words, '', '', ''];
  return [tableCell(table), keyCell(conflict.rowId), column, words, ...conflictSides(conflict)];
}
