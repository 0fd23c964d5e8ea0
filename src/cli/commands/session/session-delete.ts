/** `stage session delete`: deletes a session and everything it staged. */
import type { ApiClient } from '../../../client/api-client.ts';
import type { Context } from '../../context.ts';
import { defineSessionCommand } from '../../define-command.ts';
import { forgetSession } from '../../remembered-session.ts';
import { agree } from '../../review.ts';

interface Options {
  readonly force?: true;
  readonly yes?: true;
}

export const sessionDeleteCommand = defineSessionCommand<Options>({
  description:
    'Delete an active or proposed session and everything it staged; production stays as it is. ' +
    'Asks in a terminal; elsewhere it needs --yes.',
  options: [
    ['--force', 'end its database connections first, and what they have under way'],
    ['-y, --yes', 'do not ask'],
  ],
  examples: ['stage session delete', 'stage session delete sess_2f0c... --yes'],
  work: async ({ context, connection, id }, { force, yes }) => {
    const { agreed } = await agree(context, connection, id, {
      action: 'Delete the session and all of it',
      yes,
    });
    if (!agreed) return 1;
    if (force) await endConnections(context, connection.api, id);
    const { body } = await connection.api.deleteSession(id);
    await forgetSession(context.host, connection.settings.server, id);
    if (context.out.json) await context.out.document(body);
    else await context.out.line(`${id}${context.out.terminal ? ' is deleted.' : '\tdeleted'}`);
    return 0;
  },
});

async function endConnections({ out }: Context, api: ApiClient, id: string): Promise<void> {
  const { left } = (await api.endConnections(id)).value;
  if (left.length === 0) return;
  const backends = left.map(({ backend }) => backend).join(', ');
  await out.remark(
    `Connections that the service account may not end (it takes pg_signal_backend): ${backends}`,
  );
}
