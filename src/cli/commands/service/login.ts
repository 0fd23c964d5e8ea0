/** `stage login`: lists and ends the logins of the review page. */
import type { CommandEntry } from '../../lazy-commands.ts';
import { addCommands } from '../../lazy-commands.ts';
import type { ConfigureCommand } from '../../run.ts';

const entries: readonly CommandEntry[] = [
  {
    name: 'list',
    summary: 'list the browsers that are logged in, and unused links',
    load: async () => (await import('./login-list.ts')).configureLoginList,
  },
  {
    name: 'revoke',
    summary: 'log all browsers of a person out',
    load: async () => (await import('./login-revoke.ts')).configureLoginRevoke,
  },
];

export const configureLogin: ConfigureCommand = (command, run) => {
  command.description('List and end the logins of the review page.');
  addCommands(command, entries, run);
};
