/** Checks the `stage` command lines in scripts, unit files and prose against the commands that exist. */
import type { Command } from 'commander';
import type { LazyCommand } from '../../src/cli/lazy-commands.ts';

/** Finds the command lines in a text: `stage diff --stat`, and lists of arguments such as `["serve", "--port", "1"]`. */
export function commandLinesIn(text: string): string[][] {
  const code = text
    .replaceAll(/^ *(?:#|export ).*$/gm, '')
    .replaceAll('\\\n', ' ')
    .replaceAll(/\$\((?!stage)[^()]*\)/g, 'x');
  const spoken = [
    ...code.matchAll(/(?:^|[\s;`(&|!])(?:stage|node bin\/stage\.js) +([a-z][^\n`;|)&>]*)/g),
  ];
  const listed = [...code.matchAll(/\["(?:CMD", *"stage", *")?([a-z]+"[^\]]*)\]/g)];
  return [
    ...spoken.map(([, line = '']) => wordsOf(line)),
    ...listed.map(([, list = '']) =>
      list.split(/[", ]+/).filter((word) => word !== '' && word !== 'stage'),
    ),
  ];
}

function wordsOf(line: string): string[] {
  const [ours = ''] = line.split(/ -- | {2,}|#/);
  return ours.match(/"(?:[^"\\]|\\.)*"|'[^']*'|\S+/g) ?? [];
}

/** Returns the part of a command line that does not exist; null if all parts do. */
export async function mistakeIn(
  program: LazyCommand,
  words: readonly string[],
): Promise<string | null> {
  let command = program;
  for (const word of words) {
    if (word.startsWith('-')) {
      if (!hasOption(command, word)) return `${command.name()} has no option ${word}`;
      continue;
    }
    if (command.commands.length === 0) continue;
    const next = command.commands.find((candidate) => candidate.name() === word);
    if (!next) return `${command.name()} has no command ${word}`;
    command = await (next as LazyCommand).load();
  }
  return null;
}

function hasOption(command: Command | null, word: string): boolean {
  if (command === null) return ['-h', '--help'].includes(word);
  const name = word.replace(/=.*/, '');
  const here = command.options.some(({ long, short }) => long === name || short === name);
  return here || hasOption(command.parent, word);
}
