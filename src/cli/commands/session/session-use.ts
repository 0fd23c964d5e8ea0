/** `stage session use`: chooses the default session of commands in this directory. */

import { resolveSession } from '../../arguments/session-argument.ts';
import { withServer } from '../../context.ts';
import { rememberSession } from '../../remembered-session.ts';
import type { ConfigureCommand } from '../../run.ts';
import { examples } from '../../run.ts';

export const configureSessionUse: ConfigureCommand = (command, run) => {
  command
    .description('Choose the session that commands in this directory mean when none is named.')
    .argument('<session>', 'session id')
    .addHelpText('before', examples(['stage session use sess_2f0c...']))
    .action(
      run(async (context, _options, argument) =>
        withServer(context, async (connection) => {
          const id = await resolveSession(context, connection, argument);
          const { body, value } = await connection.api.getSession(id);
          await rememberSession(context.host, connection.settings.server, value.id);
          if (context.out.json) return context.out.document(body);
          await context.out.line(value.id);
          await context.out.remark(`Commands in ${context.host.cwd()} now use this session.`);
        }),
      ),
    );
};
