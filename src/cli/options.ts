/** Options that several commands have. */
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import type { Page } from '../client/answers.ts';
import { operations } from '../model/change.ts';
import type { Output } from './output.ts';

export interface PagingOptions {
  readonly limit?: number;
  readonly offset?: number;
}

/** Adds --limit and --offset. */
export function pagingOptions(command: Command): Command {
  return command
    .option('--limit <count>', 'at most so many (default: 100)', wholeNumber)
    .option('--offset <count>', 'skip so many', wholeNumber);
}

/** Tells a person that a list goes on. */
export async function tellRest(
  out: Output,
  { items, totalCount }: Page<unknown>,
  offset = 0,
): Promise<void> {
  const end = offset + items.length;
  if (items.length > 0 && end < totalCount) {
    await out.remark(`${offset + 1} to ${end} of ${totalCount}; go on with --offset ${end}`);
  }
  if (totalCount === 0) await out.remark('Nothing there.');
}

/** Makes an option that takes a kind of write, in any case. */
export function operationOption(flags: string, description: string): Option {
  return new Option(flags, `${description}: insert, update or delete`).argParser((text) => {
    const operation = operations.find((name) => name === text.toUpperCase());
    if (!operation) throw new InvalidArgumentError('It must be insert, update or delete.');
    return operation;
  });
}

/** Reads an option's value as a whole number. */
function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
