/** What package.json says of this program. */
import { readFileSync } from 'node:fs';

interface Package {
  readonly version: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Reads package.json, which is as far from the sources as from what they are compiled to. */
export function readPackage(): Package {
  const file = new URL('../package.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Package;
}

/** The version of this program. */
export function packageVersion(): string {
  return readPackage().version;
}
