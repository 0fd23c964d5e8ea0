/** Completes a command line from the definitions that parse it. */
import type { Command, Option } from 'commander';
import { sanitize } from '../client/sanitize.ts';
import type { LazyCommand } from './lazy-commands.ts';
import { topics } from './topics.ts';

export interface Completion {
  readonly value: string;
  readonly text: string;
}

/** The parsed part of the command line: command, operands and the values of options. */
export interface Written {
  readonly command: LazyCommand;
  readonly operands: readonly string[];
  readonly options: Readonly<Record<string, string>>;
}

export type ValueKind = 'session' | 'table' | 'project';

/** Returns values that only the daemon knows. */
export type Values = (kind: ValueKind, written: Written) => Promise<readonly Completion[]>;

/** Completes the last word. Values that a shell would not take literally are left out, so that a name cannot inject a command. */
export async function completions(
  program: LazyCommand,
  words: readonly string[],
  values: Values,
): Promise<Completion[]> {
  // bash splits `--table=ord` into three words
  const given = words.filter((word, index) => word !== '=' || index === words.length - 1);
  const current = given.at(-1) === '=' ? '' : (given.at(-1) ?? '');
  const { written, open } = await read(program, given.slice(0, -1));
  const found = open
    ? await ofOption(open, written, values)
    : await ofWord(current, written, values);
  return found
    .filter(({ value }) => literal.test(value) && value.startsWith(current))
    .map(({ value, text }) => ({ value, text: sanitize(text) }));
}

const literal = /^[\p{L}\p{N}_.:@/+-]+$/u;

/** Parses the words before the one to complete; `open` is an option that still needs its value. */
async function read(program: LazyCommand, words: readonly string[]) {
  let command = program;
  let open: Option | null = null;
  const operands: string[] = [];
  const options: Record<string, string> = {};
  for (const word of words) {
    if (open) {
      options[open.attributeName()] = word;
      open = null;
    } else if (word.startsWith('-')) {
      open = optionsOf(command).find(takesValueAs(word)) ?? null;
    } else {
      const next = command.commands.find((candidate) => candidate.name() === word);
      if (next) command = await (next as LazyCommand).load();
      else operands.push(word);
    }
  }
  return { written: { command, operands, options }, open };
}

/** Returns a test for an option of this name that takes a value. */
function takesValueAs(word: string): (option: Option) => boolean {
  return (option) => (option.long === word || option.short === word) && !option.isBoolean();
}

function optionsOf(command: Command): Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command.parent ? [...own, ...optionsOf(command.parent)] : own;
}

async function ofOption(
  option: Option,
  written: Written,
  values: Values,
): Promise<readonly Completion[]> {
  if (option.argChoices) return option.argChoices.map((value) => ({ value, text: '' }));
  const kind = option.attributeName();
  return isValueKind(kind) ? values(kind, written) : [];
}

async function ofWord(
  current: string,
  written: Written,
  values: Values,
): Promise<readonly Completion[]> {
  const { command, operands } = written;
  if (current.startsWith('-')) {
    return optionsOf(command).map(({ long, short, description }) => ({
      value: long ?? short ?? '',
      text: description,
    }));
  }
  const below = command.createHelp().visibleCommands(command);
  if (below.length > 0) return below.map(described);
  const argument = command.registeredArguments[operands.length] ?? null;
  if (argument?.argChoices) return argument.argChoices.map((value) => ({ value, text: '' }));
  if (argument?.name() === 'subject') return subjects(command);
  return argument?.name() === 'session' ? values('session', written) : [];
}

function described(command: Command): Completion {
  return { value: command.name(), text: command.summary() };
}

/** Returns the subjects of `stage help`. */
function subjects({ parent }: Command): Completion[] {
  const commands = parent ? parent.createHelp().visibleCommands(parent).map(described) : [];
  const others = Object.entries(topics).map(([value, { summary }]) => ({ value, text: summary }));
  return [...commands, ...others];
}

function isValueKind(name: string): name is ValueKind {
  return name === 'session' || name === 'table' || name === 'project';
}
