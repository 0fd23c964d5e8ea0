/** `stage session show`: shows one session's fields. */

import { openStates, resolveSession } from '../../arguments/session-argument.ts';
import { withServer } from '../../context.ts';
import { sessionRows } from '../../output/session-text.ts';
import type { ConfigureCommand } from '../../run.ts';
import { examples } from '../../run.ts';

export const configureSessionShow: ConfigureCommand = (command, run) => {
  command
    .description('Show a session: its state, its counts and its times.')
    .argument('[session]', 'session id')
    .addHelpText(
      'before',
      examples(['stage session show', 'stage session show sess_2f0c... --json']),
    )
    .action(
      run(async (context, _options, argument) =>
        withServer(context, async (connection) => {
          const id = await resolveSession(context, connection, argument, openStates);
          const { body, value } = await connection.api.getSession(id);
          if (context.out.json) await context.out.document(body);
          else await context.out.record(sessionRows(value));
        }),
      ),
    );
};
