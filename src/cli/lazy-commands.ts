/** Commands that are loaded when they are used: help has to know no more than their names. */
import type { Command } from 'commander';
import type { ConfigureCommand, Run } from './run.ts';

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<ConfigureCommand>;
}

/** Adds commands below another. */
export function addCommands(parent: Command, entries: readonly CommandEntry[], run: Run): void {
  const waiting = new Map(entries.map((entry) => [entry.name, entry]));
  for (const { name, summary } of entries) parent.command(name).summary(summary);
  parent.hook('preSubcommand', async (_, command) => {
    const entry = waiting.get(command.name());
    waiting.delete(command.name());
    if (entry) (await entry.load())(command, run);
  });
}
