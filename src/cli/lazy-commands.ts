/** Commands that are loaded when they are used: help has to know no more than their names. */
import { Command } from 'commander';
import type { ConfigureCommand, Run } from './run.ts';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Works like any other, and is shown nowhere. */
  readonly hidden?: true;
  load(): Promise<ConfigureCommand>;
}

/** A command that gets its arguments, options and work when it is needed. */
export class LazyCommand extends Command {
  #configure: (() => Promise<void>) | null = null;

  override createCommand(name?: string): LazyCommand {
    return new LazyCommand(name);
  }

  /** Says how to configure it. */
  whenNeeded(configure: () => Promise<void>): this {
    this.#configure = configure;
    return this;
  }

  /** Configures it, once. */
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
