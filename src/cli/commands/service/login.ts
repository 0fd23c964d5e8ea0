/** `stage login`: lists and ends the logins of the review page. */

import type { CommandEntry } from '../../define-command.ts';
import { defineCommand } from '../../define-command.ts';

const entries: readonly CommandEntry[] = [
  {
    name: 'list',
    operation: 'listLogins',
    summary: 'list the browsers that are logged in, and unused links',
    load: async () => (await import('./login-list.ts')).loginListCommand,
  },
  {
    name: 'revoke',
    operation: 'revokeLogins',
    summary: 'log all browsers of a person out',
    load: async () => (await import('./login-revoke.ts')).loginRevokeCommand,
  },
];

export const loginCommand = defineCommand({
  description: 'List and end the logins of the review page.',
  commands: entries,
});
