/** `stage __complete`: prints the completions of a command line for the scripts of `stage completion`. */

import { daemonValues } from '../completion-values.ts';
import { completions } from '../completions.ts';
import { defineCommand } from '../define-command.ts';
import type { LazyCommand } from '../lazy-commands.ts';

export const completeCommand = defineCommand({
  description:
    'Print what the last of the words could become, one a line: value, tab, description.',
  arguments: [['[words...]', 'the command line without its first word, after --']],
  work: async ({ host, out, program }, _options, ...words) => {
    const found = await completions(program as LazyCommand, words, daemonValues(host));
    await out.lines(found.map(({ value, text }) => `${value}\t${text}`));
  },
});
