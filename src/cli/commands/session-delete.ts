/** `stage session delete`: removes a session and everything it staged. */
import { withServer } from '../context.ts';
import { forgetSession } from '../remembered-session.ts';
import { agree } from '../review.ts';
import type { ConfigureCommand } from '../run.ts';
import { examples } from '../run.ts';
import { resolveSession } from '../session-argument.ts';

interface Options {
  readonly yes?: true;
}

export const configureSessionDelete: ConfigureCommand = (command, run) => {
  command
    .description(
      'Delete an active or proposed session and everything it staged; production stays as it is. ' +
        'Asks in a terminal; elsewhere it needs --yes.',
    )
    .argument('[session]', 'session id')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'before',
      examples(['stage session delete', 'stage session delete sess_2f0c... --yes']),
    )
    .action(
      run<Options>(async (context, { yes }, argument) =>
        withServer(context, async (connection) => {
          const id = await resolveSession(context, connection, argument);
          const { agreed } = await agree(context, connection, id, {
            deed: 'Delete the session and all of it',
            yes,
          });
          if (!agreed) return 1;
          const { body } = await connection.api.deleteSession(id);
          await forgetSession(context.host, connection.settings.server, id);
          if (context.out.json) await context.out.document(body);
          else
            await context.out.line(`${id}${context.out.terminal ? ' is deleted.' : '\tdeleted'}`);
          return 0;
        }),
      ),
    );
};
