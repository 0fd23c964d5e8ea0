/** The option that chooses the form of the output; `--json`, which every command has, is short for `-o json`. */
import { Option } from 'commander';
import { StageError } from '../../errors.ts';
import type { SharedOptions } from '../settings.ts';

/** Makes the option. */
export function outputOption(forms: readonly string[], usual: string): Option {
  return new Option('-o, --output <form>', `form of the output (default: ${usual})`).choices(forms);
}

/**
 * Gives the form that was asked for; undefined where none was.
 * @throws StageError `usage` where two were
 */
export function chosenOutput<Form extends string>({
  output,
  json,
}: SharedOptions & { readonly output?: Form }): Form | 'json' | undefined {
  if (json && output && output !== 'json') {
    throw new StageError('usage', `--json and --output ${output} exclude each other`, {
      hint: 'Leave one of them out.',
    });
  }
  return json ? 'json' : output;
}
