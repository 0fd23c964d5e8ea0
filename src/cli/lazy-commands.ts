/** Makes commander's commands of their data. They are loaded on first use: help needs only their names. */
import { Argument, Command, Option } from 'commander';
import type { Context } from './context.ts';
import type { AnyCommand, CommandEntry } from './define-command.ts';
import type { SharedOptions } from './settings.ts';

/** Makes a commander action of a command's work. */
export type Run = (
  work: (context: Context, options: SharedOptions, ...operands: string[]) => Promise<unknown>,
) => (...args: unknown[]) => Promise<void>;

/** A command that gets its arguments, options and action on first use. */
export class LazyCommand extends Command {
  /** Name of the operation of the REST interface without which it is of no use. */
  operation: string | undefined;
  #configure: (() => Promise<void>) | null = null;

  override createCommand(name?: string): LazyCommand {
    return new LazyCommand(name);
  }

  /** Sets the function that configures it. */
  whenNeeded(configure: () => Promise<void>): this {
    this.#configure = configure;
    return this;
  }

  /** Configures it once. */
  async load(): Promise<this> {
    const configure = this.#configure;
    this.#configure = null;
    await configure?.();
    return this;
  }
}

/** Adds commands below another. */
export function addCommands(parent: Command, entries: readonly CommandEntry[], run: Run): void {
  for (const { name, summary, operation, hidden = false, load } of entries) {
    const command = parent.command(name, { hidden }).summary(summary) as LazyCommand;
    command.operation = operation;
    command.whenNeeded(async () => configure(command, await load(), run));
  }
  parent.helpCommand(false);
  parent.hook('preSubcommand', async (_, command) => void (await (command as LazyCommand).load()));
}

function configure(command: Command, data: AnyCommand, run: Run): void {
  command.description(data.description);
  if (data.usage !== undefined) command.usage(data.usage);
  for (const argument of data.arguments ?? [])
    command.addArgument(argument instanceof Argument ? argument : new Argument(...argument));
  for (const option of data.options ?? []) {
    if (option instanceof Option) command.addOption(option);
    else addOption(command, ...option);
  }
  if (data.examples) command.addHelpText('before', examples(data.examples));
  if (data.commands) addCommands(command, data.commands, run);
  if (data.work) command.action(run(data.work as Parameters<Run>[0]));
}

function addOption(
  command: Command,
  flags: string,
  description: string,
  parse?: (text: string) => unknown,
): void {
  const option = new Option(flags, description);
  command.addOption(parse === undefined ? option : option.argParser(parse));
}

/** Formats the examples at the beginning of a command's help. */
export function examples(lines: readonly string[]): string {
  return `Examples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}
