/** The way from commander to a command's work. */
import type { Command } from 'commander';
import type { Context } from './context.ts';
import type { SharedOptions } from './settings.ts';

/** A command's work; gives its exit code, nothing for 0. */
export type Work<Options> = (
  context: Context,
  options: Options & SharedOptions,
  ...operands: string[]
) => Promise<number> | Promise<void>;

/** Makes a commander action of a command's work. */
export type Run = <Options>(work: Work<Options>) => (...args: unknown[]) => Promise<void>;

/** Gives a command its arguments, options, help and work. */
export type ConfigureCommand = (command: Command, run: Run) => void;

/** Puts runnable examples before everything else in a command's help. */
export function examples(lines: readonly string[]): string {
  return `Examples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}
