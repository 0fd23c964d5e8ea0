/** `stage audit`: reads the append-only record of what was applied to production. */
import type { CommandEntry } from '../../lazy-commands.ts';
import { addCommands } from '../../lazy-commands.ts';
import type { ConfigureCommand } from '../../run.ts';

const entries: readonly CommandEntry[] = [
  {
    name: 'list',
    summary: 'list applied row changes',
    load: async () => (await import('./audit-list.ts')).configureAuditList,
  },
  {
    name: 'show',
    summary: 'show one applied row change',
    load: async () => (await import('./audit-show.ts')).configureAuditShow,
  },
  {
    name: 'verify',
    summary: 'check that the record was not changed',
    load: async () => (await import('./audit-verify.ts')).configureAuditVerify,
  },
];

export const configureAudit: ConfigureCommand = (command, run) => {
  command.description('Read the append-only record of what was applied to production.');
  addCommands(command, entries, run);
};
