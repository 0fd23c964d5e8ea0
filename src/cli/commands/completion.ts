/** `stage completion`: prints the script with which a shell completes the commands. */
import { readFile } from 'node:fs/promises';
import { Argument } from 'commander';
import { defineCommand } from '../define-command.ts';

export const completionCommand = defineCommand({
  description:
    'Print the script with which a shell completes commands, options, sessions, tables and projects. ' +
    'It asks the daemon for sessions, tables and projects, and leaves them out when the daemon does not respond at once.',
  arguments: [new Argument('<shell>', 'kind of shell').choices(['bash', 'zsh', 'fish'])],
  examples: [
    'source <(stage completion bash)                                       in ~/.bashrc',
    'source <(stage completion zsh)                                        in ~/.zshrc',
    'stage completion fish > ~/.config/fish/completions/stage.fish',
  ],
  work: async ({ out }, _options, shell) => {
    const file = new URL(`../../../templates/completion/stage.${shell}`, import.meta.url);
    await out.write(await readFile(file, 'utf8'));
  },
});
