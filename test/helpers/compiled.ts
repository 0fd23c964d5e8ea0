/** The folders into which `npm run compile` writes: tests into `.build`, the product into `dist`. */
import { join } from 'node:path';

/** Returns the program compiled from a source file of `test` or `bench`. Both paths are relative to the project's root. */
export function compiled(source: string): string {
  return join('.build', source.replace(/\.tsx?$/, '.js'));
}
