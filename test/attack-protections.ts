/**
 * Removes each protection, and sends random transactions: `npm run attack:protections -- [--programs 2000] [--seed S]`. The remaining
 * commit check must keep all of them from production. The run also shows that they do reach production without the commit check. Works on
 * copies of the project. Ends with `N held, N did not hold`.
 */
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { parseArgs, promisify } from 'node:util';
import { commitCheck, otherProtections } from './attacks/without-protections.ts';
import { compiled } from './helpers/compiled.ts';
import type { Edit } from './mutants/project-copy.ts';
import { changeFile, copyProject } from './mutants/project-copy.ts';
import { defaultMajor, startTestServer } from './runner/server.ts';

const run = promisify(execFile);

const { values } = parseArgs({
  options: {
    programs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
  },
});

/** Runs the random transactions without some code, and returns the last line of the run: its counts. */
async function countsWithout(edits: readonly Edit[], upstream: string): Promise<string> {
  const copy = await copyProject();
  try {
    for (const edit of edits) await changeFile(copy, edit);
    const args = ['--programs', values.programs, '--seed', values.seed, '--told', '0'];
    const options = {
      cwd: copy,
      env: { ...process.env, STAGE_TEST_UPSTREAM: upstream },
      maxBuffer: 64 * 1024 * 1024,
    };
    const { stdout } = await run(
      process.execPath,
      [compiled('test/attack-random.ts'), ...args],
      options,
    ).catch((error: { stdout: string }) => error);
    return stdout.trim().split('\n').at(-1) ?? '';
  } finally {
    await rm(copy, { recursive: true });
  }
}

const server = await startTestServer(
  process.env['STAGE_TEST_UPSTREAM'],
  process.env['STAGE_TEST_PG'] || defaultMajor,
);
const held = { yes: 0, no: 0 };
try {
  for (const { name, edits } of otherProtections) {
    const alone = await countsWithout(edits, server.url);
    const without = await countsWithout([...edits, ...commitCheck.edits], server.url);
    const isHeld = / leaks 0,/.test(alone) && / leaks [1-9]/.test(without);
    held[isHeld ? 'yes' : 'no'] += 1;
    const verdict = isHeld ? 'held' : 'DID NOT HOLD';
    process.stdout.write(`${verdict} without ${name}: ${alone}\n`);
    process.stdout.write(`  and without ${commitCheck.name}: ${without}\n`);
  }
} finally {
  await server.stop();
}
process.stdout.write(`${held.yes} held, ${held.no} did not hold\n`);
process.exitCode = held.no === 0 ? 0 : 1;
