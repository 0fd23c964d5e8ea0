/** `stage audit`: reads the append-only record of what was applied to production. */

import type { CommandEntry } from '../../define-command.ts';
import { defineCommand } from '../../define-command.ts';

const entries: readonly CommandEntry[] = [
  {
    name: 'list',
    summary: 'list applied row changes',
    load: async () => (await import('./audit-list.ts')).auditListCommand,
  },
  {
    name: 'show',
    summary: 'show one applied row change',
    load: async () => (await import('./audit-show.ts')).auditShowCommand,
  },
  {
    name: 'verify',
    summary: 'check that the record was not changed',
    load: async () => (await import('./audit-verify.ts')).auditVerifyCommand,
  },
];

export const auditCommand = defineCommand({
  description: 'Read the append-only record of what was applied to production.',
  commands: entries,
});
