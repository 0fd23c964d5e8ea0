/** `stage token`: makes, lists and revokes the tokens of the REST API. */

import type { CommandEntry } from '../../define-command.ts';
import { defineCommand } from '../../define-command.ts';

const entries: readonly CommandEntry[] = [
  {
    name: 'new',
    summary: 'make a token, and put its hash into the token file',
    load: async () => (await import('./token-new.ts')).tokenNewCommand,
  },
  {
    name: 'list',
    summary: 'list the tokens of the token file',
    load: async () => (await import('./token-list.ts')).tokenListCommand,
  },
  {
    name: 'revoke',
    summary: 'take a token out of the token file',
    load: async () => (await import('./token-revoke.ts')).tokenRevokeCommand,
  },
];

export const tokenCommand = defineCommand({
  description: 'Make, list and revoke the tokens of the REST API.',
  commands: entries,
});
