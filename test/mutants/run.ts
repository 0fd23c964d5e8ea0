/**
 * Takes the guards away one by one and shows that tests notice: `npm run test:mutants -- [part of a name or path ...]`.
 * Works on a copy of the project. Ends with `N noticed, N unnoticed`; anything unnoticed is a failure.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { defaultMajor, startTestServer } from '../runner/server.ts';
import { guards } from './all-guards.ts';
import type { Guard } from './guard.ts';

const run = promisify(execFile);
const parts = ['src', 'test', 'templates', 'bin', 'package.json', 'README.md', 'docs'];

async function copyProject(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'stage-mutants-'));
  for (const part of parts) await cp(part, join(copy, part), { recursive: true });
  await symlink(resolve('node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Gives the last line of a test run: `N passed, N failed`. */
async function testIn(copy: string, { tests }: Guard, upstream: string): Promise<string> {
  const env = { ...process.env, STAGE_TEST_UPSTREAM: upstream };
  const options = { cwd: copy, env, maxBuffer: 64 * 1024 * 1024 };
  const args = ['--import', 'tsx', 'test/run.ts', ...tests];
  const { stdout } = await run(process.execPath, args, options).catch(
    (error: { stdout: string }) => error,
  );
  return stdout.trim().split('\n').at(-1) ?? '';
}

/** @throws when the guard is not where it is said to be: then it must be looked for */
async function takeAway(
  copy: string,
  { file, text, without }: Guard,
): Promise<() => Promise<void>> {
  const path = join(copy, file);
  const original = await readFile(path, 'utf8');
  if (original.split(text).length !== 2) throw new Error(`not found once in ${file}: ${text}`);
  await writeFile(
    path,
    original.replace(text, () => without),
  );
  return () => writeFile(path, original);
}

const wanted = process.argv.slice(2);
const major = Number(process.env['STAGE_TEST_PG'] || defaultMajor);
const chosen = guards.filter(
  ({ name, file, until = major }) =>
    major <= until &&
    (wanted.length === 0 || wanted.some((part) => name.includes(part) || file.includes(part))),
);
const server = await startTestServer(process.env['STAGE_TEST_UPSTREAM'], String(major));
const copy = await copyProject();
let unnoticed = 0;
try {
  for (const guard of chosen) {
    const putBack = await takeAway(copy, guard);
    const result = await testIn(copy, guard, server.url);
    await putBack();
    const isNoticed = /^\d+ passed, [1-9]\d* failed$/.test(result) && !result.startsWith('0 ');
    if (!isNoticed) unnoticed += 1;
    process.stdout.write(`${isNoticed ? 'noticed  ' : 'UNNOTICED'} ${guard.name} (${result})\n`);
  }
} finally {
  await rm(copy, { recursive: true });
  await server.stop();
}
process.stdout.write(`${chosen.length - unnoticed} noticed, ${unnoticed} unnoticed\n`);
process.exitCode = unnoticed === 0 && chosen.length > 0 ? 0 : 1;
