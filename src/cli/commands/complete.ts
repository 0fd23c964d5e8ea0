/** `stage __complete`: prints the completions of a command line for the scripts of `stage completion`. */

import { daemonValues } from '../completion-values.ts';
import { completions } from '../completions.ts';
import type { LazyCommand } from '../lazy-commands.ts';
import type { ConfigureCommand } from '../run.ts';

export const configureComplete: ConfigureCommand = (command, run) => {
  command
    .description(
      'Print what the last of the words could become, one a line: value, tab, description.',
    )
    .argument('[words...]', 'the command line without its first word, after --')
    .action(
      run(async ({ host, out }, _options, ...words) => {
        const found = await completions(command.parent as LazyCommand, words, daemonValues(host));
        await out.lines(found.map(({ value, text }) => `${value}\t${text}`));
      }),
    );
};
