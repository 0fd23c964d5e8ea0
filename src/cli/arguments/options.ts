/** Options that several commands share. */
import { InvalidArgumentError, Option } from 'commander';
import { operations } from '../../model/change.ts';
import type { OptionData } from '../define-command.ts';
import { listOutputs } from '../output/list.ts';
import { outputOption } from './output-option.ts';

/** The options of every list: its format, limit and place. */
export const listOptions: readonly OptionData[] = [
  outputOption(listOutputs, 'table; in a pipe tsv'),
  ['--limit <count>', 'at most this many (default: 100)', wholeNumber],
  ['--offset <count>', 'skip this many', wholeNumber],
  ['--cursor <cursor>', 'begin behind the page of which this is the next_cursor (-o json)'],
  ['--all', 'the whole list'],
];

/** Makes an option that accepts an operation in any case, in singular or plural. */
export function operationOption(flags: string, description: string): Option {
  return new Option(flags, `${description}: insert, update or delete`).argParser((text) => {
    const operation = operations.find((name) => name === text.toUpperCase().replace(/S$/, ''));
    if (!operation) throw new InvalidArgumentError('It must be insert, update or delete.');
    return operation;
  });
}

/** Parses an option's value as a whole number. @throws InvalidArgumentError for any other text */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
