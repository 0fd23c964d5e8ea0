/** `stage reject`: discards a proposed session's changes for good. */

import { resolveSession } from '../../arguments/session-argument.ts';
import { withServer } from '../../context.ts';
import { reportOutcome } from '../../output/session-text.ts';
import { agree } from '../../review.ts';
import type { ConfigureCommand } from '../../run.ts';
import { examples } from '../../run.ts';

interface Options {
  readonly reason?: string;
  readonly yes?: true;
}

export const configureReject: ConfigureCommand = (command, run) => {
  command
    .description(
      'Reject a proposed session and discard everything it staged; production stays as it is. ' +
        'Asks in a terminal; elsewhere it needs --yes.',
    )
    .argument('[session]', 'session id')
    .option('--reason <text>', 'why, kept with the session')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'before',
      examples(['stage reject --reason "wrong customer"', 'stage reject sess_2f0c... --yes']),
    )
    .action(
      run<Options>(async (context, options, argument) =>
        withServer(context, async (connection) => {
          const id = await resolveSession(context, connection, argument, ['proposed', 'active']);
          const { agreed } = await agree(context, connection, id, {
            action: 'Discard all of it',
            yes: options.yes,
          });
          if (!agreed) return 1;
          const reply = await connection.api.reject(id, options.reason);
          await reportOutcome(
            context.out,
            reply,
            'Nothing of it reached production. Start over with `stage session new`.',
          );
          return 0;
        }),
      ),
    );
};
