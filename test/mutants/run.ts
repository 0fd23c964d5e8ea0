/**
 * Removes the guards one by one and shows that tests fail without each: `npm run test:mutants -- [part of a name or path ...]`. Works on a
 * copy of the project. Ends with `N noticed, N unnoticed`; any unnoticed guard is a failure.
 */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { compiled } from '../helpers/compiled.ts';
import { defaultMajor, startTestServer } from '../runner/server.ts';
import { allMutants } from './all-mutants.ts';
import { changeFile, copyProject } from './project-copy.ts';

const run = promisify(execFile);
/** Returns the last line of a test run: `N passed, N failed`. */
async function testIn(copy: string, tests: readonly string[], upstream: string): Promise<string> {
  const env = { ...process.env, STAGE_TEST_UPSTREAM: upstream };
  const options = { cwd: copy, env, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await run(
    process.execPath,
    [compiled('test/run.ts'), ...tests],
    options,
  ).catch((error: { stdout: string }) => error);
  return stdout.trim().split('\n').at(-1) ?? '';
}

/** A mutant that fails everything breaks more than its guard. */
const passesNone = (result: string) => result.startsWith('0 ');

const wanted = process.argv.slice(2);
const installed = process.env['STAGE_TEST_PG'] || defaultMajor;
/** An installation is in a folder that is called as its version. */
const major = Number(basename(installed));
const isChosen = (name: string, file: string) =>
  wanted.length === 0 || wanted.some((part) => name.includes(part) || file.includes(part));
const isNeeded = (until = major) => major <= until;
const chosen = (await allMutants()).filter(
  ({ guard, edit }) => isChosen(guard.name, edit.file) && isNeeded(guard.until),
);
const startServer = () => startTestServer(process.env['STAGE_TEST_UPSTREAM'], installed);
let server = await startServer();
const copy = await copyProject();
let unnoticed = 0;
try {
  for (const { guard, edit } of chosen) {
    const putBack = await changeFile(copy, edit);
    let result = await testIn(copy, guard.tests, server.url);
    // A mutant may leave a server on which no test can begin: its migrations are in the template of the tests' databases.
    for (let tries = 1; tries <= 2 && passesNone(result); tries += 1) {
      await server.stop();
      server = await startServer();
      if (tries === 1) result = await testIn(copy, guard.tests, server.url);
    }
    await putBack();
    const isNoticed = /^\d+ passed, [1-9]\d* failed$/.test(result) && !passesNone(result);
    if (!isNoticed) unnoticed += 1;
    process.stdout.write(`${isNoticed ? 'noticed  ' : 'UNNOTICED'} ${guard.name} (${result})\n`);
  }
} finally {
  await rm(copy, { recursive: true });
  await server.stop();
}
process.stdout.write(`${chosen.length - unnoticed} noticed, ${unnoticed} unnoticed\n`);
process.exitCode = unnoticed === 0 && chosen.length > 0 ? 0 : 1;
