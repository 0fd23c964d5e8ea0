/** Reads package.json. */
import { readFileSync } from 'node:fs';

interface Package {
  readonly version: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Reads package.json. Its relative path is the same from `src` and from `dist`. */
export function readPackage(): Package {
  const file = new URL('../package.json', import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Package;
}

/** Returns the version of this program. */
export function packageVersion(): string {
  return readPackage().version;
}
