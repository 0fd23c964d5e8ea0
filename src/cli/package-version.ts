/** The version of this program. */
import { readFileSync } from 'node:fs';

/** Reads it from package.json, which is as far from the sources as from what they are compiled to. */
export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
