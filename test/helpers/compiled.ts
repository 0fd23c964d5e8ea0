/** Where `npm run compile` puts what it makes of the sources: tests in `.build`, the product in `dist`. */
import { join } from 'node:path';

/** Returns the program that a source file of `test` or `bench` has become; both paths start at the project's root. */
export function compiled(source: string): string {
  return join('.build', source.replace(/\.tsx?$/, '.js'));
}
