/** The option that chooses the output format. `--json`, which every command has, is short for `-o json`. */
import { Option } from 'commander';
import { StageError } from '../../errors.ts';
import type { SharedOptions } from '../settings.ts';

/** Makes the option. @param usual the default, as the help shows it */
export function outputOption(forms: readonly string[], usual: string): Option {
  return new Option('-o, --output <form>', `form of the output (default: ${usual})`).choices(forms);
}

/**
 * Returns the requested format; undefined if none was requested.
 * @throws StageError `usage` if two were requested
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
