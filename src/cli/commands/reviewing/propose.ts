/** `stage propose`: submits a session for review, which closes it for writing. */

import { resolveSession } from '../../arguments/session-argument.ts';
import { withServer } from '../../context.ts';
import { reportOutcome } from '../../output/session-text.ts';
import type { ConfigureCommand } from '../../run.ts';
import { examples } from '../../run.ts';

interface Options {
  readonly message?: string;
}

export const configurePropose: ConfigureCommand = (command, run) => {
  command
    .description(
      'Submit a session for review. It becomes read-only until it is approved, rejected or deleted.',
    )
    .argument('[session]', 'session id')
    .option('-m, --message <text>', 'what the reviewer should know')
    .addHelpText('before', examples(['stage propose', 'stage propose sess_2f0c... --json']))
    .action(
      run<Options>(async (context, { message }, argument) =>
        withServer(context, async (connection) => {
          const id = await resolveSession(context, connection, argument);
          const reply = await connection.api.propose(id, message);
          await reportOutcome(
            context.out,
            reply,
            `Next: stage check, stage diff, stage approve (or stage reject).`,
          );
        }),
      ),
    );
};
