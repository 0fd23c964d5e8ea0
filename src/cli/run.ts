/** Connects commander to the work of commands. */
import type { Command } from 'commander';
import type { Context } from './context.ts';
import type { SharedOptions } from './settings.ts';

/** The work of a command. Returns the exit code, or nothing for 0. */
export type Work<Options> = (
  context: Context,
  options: Options & SharedOptions,
  ...operands: string[]
) => Promise<number> | Promise<void>;

/** Makes a commander action of a command's work. */
export type Run = <Options>(work: Work<Options>) => (...args: unknown[]) => Promise<void>;

/** Adds the arguments, options, help and work to a command. */
export type ConfigureCommand = (command: Command, run: Run) => void;

/** Formats the examples at the beginning of a command's help. */
export function examples(lines: readonly string[]): string {
  return `Examples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}
