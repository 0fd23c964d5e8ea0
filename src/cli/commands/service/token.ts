/** `stage token`: makes, lists and revokes the tokens of the REST API. */
import type { CommandEntry } from '../../lazy-commands.ts';
import { addCommands } from '../../lazy-commands.ts';
import type { ConfigureCommand } from '../../run.ts';

const entries: readonly CommandEntry[] = [
  {
    name: 'new',
    summary: 'make a token, and put its hash into the token file',
    load: async () => (await import('./token-new.ts')).configureTokenNew,
  },
  {
    name: 'list',
    summary: 'list the tokens of the token file',
    load: async () => (await import('./token-list.ts')).configureTokenList,
  },
  {
    name: 'revoke',
    summary: 'take a token out of the token file',
    load: async () => (await import('./token-revoke.ts')).configureTokenRevoke,
  },
];

export const configureToken: ConfigureCommand = (command, run) => {
  command.description('Make, list and revoke the tokens of the REST API.');
  addCommands(command, entries, run);
};
