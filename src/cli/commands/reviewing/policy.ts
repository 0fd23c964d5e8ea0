/** `stage policy`: shows and sets the rules of review. */
import type { CommandEntry } from '../../lazy-commands.ts';
import { addCommands } from '../../lazy-commands.ts';
import type { ConfigureCommand } from '../../run.ts';

const entries: readonly CommandEntry[] = [
  {
    name: 'show',
    summary: 'show the policy that counts now',
    load: async () => (await import('./policy-show.ts')).configurePolicyShow,
  },
  {
    name: 'set',
    summary: 'set the policy from a file, for all daemons',
    load: async () => (await import('./policy-set.ts')).configurePolicySet,
  },
  {
    name: 'test',
    summary: 'say how the rules judge a session',
    load: async () => (await import('./policy-test.ts')).configurePolicyTest,
  },
  {
    name: 'history',
    summary: 'list the versions of the policy',
    load: async () => (await import('./policy-history.ts')).configurePolicyHistory,
  },
];

export const configurePolicy: ConfigureCommand = (command, run) => {
  command.description(
    'Show and set the rules of review: what may be staged, who must agree, when.',
  );
  addCommands(command, entries, run);
};
