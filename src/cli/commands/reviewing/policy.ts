/** `stage policy`: shows and sets the rules of review. */

import type { CommandEntry } from '../../define-command.ts';
import { defineCommand } from '../../define-command.ts';

const entries: readonly CommandEntry[] = [
  {
    name: 'show',
    summary: 'show the policy that counts now',
    load: async () => (await import('./policy-show.ts')).policyShowCommand,
  },
  {
    name: 'set',
    operation: 'setPolicy',
    summary: 'set the policy from a file, for all daemons',
    load: async () => (await import('./policy-set.ts')).policySetCommand,
  },
  {
    name: 'test',
    summary: 'check a session by the rules',
    load: async () => (await import('./policy-test.ts')).policyTestCommand,
  },
  {
    name: 'history',
    operation: 'listPolicies',
    summary: 'list the versions of the policy',
    load: async () => (await import('./policy-history.ts')).policyHistoryCommand,
  },
];

export const policyCommand = defineCommand({
  description: 'Show and set the rules of review: what may be staged, who must agree, when.',
  commands: entries,
});
