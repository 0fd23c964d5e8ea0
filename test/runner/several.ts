/** Runs test files one after the other in this process: starting a process costs more than most files that need no server. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiled } from '../helpers/compiled.ts';
import { runFile } from '../helpers/suite.ts';

for (const path of process.argv.slice(2)) {
  await runFile(path, () => import(pathToFileURL(resolve(compiled(path))).href));
}
