/** `stage check`: what approve would find in the way. */

import { keyCell, nameCell } from '../../client/cell.ts';
import { conflictWords } from '../../client/words.ts';
import type { Conflict } from '../../model/change.ts';
import type { Context } from '../context.ts';
import { withServer } from '../context.ts';
import { conflictSides } from '../failure.ts';
import type { ConfigureCommand } from '../run.ts';
import { examples } from '../run.ts';
import { openStates, resolveSession } from '../session-argument.ts';

const columns = ['table', 'row', 'column', 'conflict', 'was', 'staged', 'in production'].map(
  (title) => ({ title }),
);

export const configureCheck: ConfigureCommand = (command, run) => {
  command
    .description(
      'Make the check that approve would make, and change nothing. ' +
        'Ends with exit code 3 when rows that the session touched have changed in production.',
    )
    .argument('[session]', 'session id')
    .addHelpText(
      'before',
      examples(['stage check', 'stage check sess_2f0c... --json', 'stage check && stage approve']),
    )
    .action(
      run(async (context, _options, argument) =>
        withServer(context, async (connection) => {
          const id = await resolveSession(context, connection, argument, openStates);
          const { body, value } = await connection.api.findConflicts(id);
          if (context.out.json) await context.out.line(body);
          else await tellConflicts(context, value);
          return value.length > 0 ? 3 : 0;
        }),
      ),
    );
};

async function tellConflicts({ out }: Context, conflicts: readonly Conflict[]): Promise<void> {
  if (conflicts.length === 0)
    return out.remark('No conflicts: production is as the session saw it.');
  await out.table(
    columns,
    conflicts.map((conflict) => [
      nameCell(conflict.table),
      keyCell(conflict.rowId),
      conflict.field === null ? '' : nameCell(conflict.field),
      conflictWords[conflict.kind],
      ...conflictSides(conflict),
    ]),
  );
  await out.remark(
    'To go on: reject the session, and start a new one from what is in production now.',
  );
}
