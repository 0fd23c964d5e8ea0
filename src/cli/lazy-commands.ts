/** Loads commands on first use: help needs only their names. */
import { Command } from 'commander';
import type { ConfigureCommand, Run } from './run.ts';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Whether the command works but is listed nowhere. */
  readonly hidden?: true;
  load(): Promise<ConfigureCommand>;
}

/** A command that gets its arguments, options and action on first use. */
export class LazyCommand extends Command {
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
  for (const { name, summary, hidden = false, load } of entries) {
    const command = parent.command(name, { hidden }).summary(summary) as LazyCommand;
    command.whenNeeded(async () => (await load())(command, run));
  }
  parent.helpCommand(false);
  parent.hook('preSubcommand', async (_, command) => void (await (command as LazyCommand).load()));
}
