/** Programs that some tests run and that a machine may not have. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { MissingProgram } from './suite.ts';

/** Returns whether a program is on the PATH. */
export function hasProgram(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Requires a program. A test calls it before it runs the program.
 * @throws MissingProgram, which skips the test, if it is not installed
 */
export function needProgram(program: string): void {
  if (!hasProgram(program)) throw new MissingProgram(program);
}
