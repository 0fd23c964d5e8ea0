/** `stage login revoke`: ends the logins of a name at the review page. */
import { revokeLogins } from '../../../client/logins.ts';
import { defineServerCommand } from '../../define-command.ts';

export const loginRevokeCommand = defineServerCommand({
  description:
    'Log all browsers of a person out of the review page, and make unused links of theirs invalid. ' +
    'It ends the logins of the tokens that the daemon knows, at all daemons of the database. ' +
    'The token stays: `stage token revoke` removes it and its logins. It requires the token of an operator of all projects.',
  arguments: [['<name>', 'name of the token']],
  examples: ['stage login revoke ann'],
  work: async ({ context, connection: { api } }, _, name = '') => {
    const { body, value } = await revokeLogins(api, name);
    if (context.out.json) return context.out.document(body);
    await context.out.line(`${value} ${value === 1 ? 'login' : 'logins'} ended.`);
  },
});
