/** `--reads`, of commands that print or open a connection. */
import { Option } from 'commander';
import { readsModes } from '../../model/session.ts';

/** Makes the option. @param about what it decides, and its default */
export function readsOption(about: string): Option {
  return new Option('--reads <mode>', about).choices(readsModes);
}
