/** Programs that some tests run and a machine may lack. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { MissingProgram } from './suite.ts';

/** Whether a program is on the PATH. */
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

/** To be called by a test before it runs a program. @throws MissingProgram, which skips the test, when it is not installed */
export function needProgram(program: string): void {
  if (!hasProgram(program)) throw new MissingProgram(program);
}
