/** `stage session use`: chooses the default session of commands in this directory. */

import { defineSessionCommand } from '../../define-command.ts';
import { rememberSession } from '../../remembered-session.ts';

export const sessionUseCommand = defineSessionCommand({
  description: 'Choose the session that commands in this directory mean when none is named.',
  arguments: [['<session>', 'session id']],
  examples: ['stage session use sess_2f0c...'],
  work: async ({ context, connection, id }) => {
    const { body, value } = await connection.api.getSession(id);
    await rememberSession(context.host, connection.settings.server, value.id);
    if (context.out.json) return context.out.document(body);
    await context.out.line(value.id);
    await context.out.remark(`Commands in ${context.host.cwd()} now use this session.`);
  },
});
