/** The runner itself: every fixture fails in its own way, and none of them may pass. */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { compiled } from './helpers/compiled.ts';
import { assert, suite } from './helpers/suite.ts';
import { TestProcess } from './runner/test-process.ts';

/** The output of the runner for each fixture. */
const expected: Readonly<Record<string, RegExp>> = {
  'does-not-load': /did not run to the end/,
  'exits-early': /did not run to the end/,
  fails: /1 passed, 1 failed/,
  hangs: /1 passed, 1 failed[\s\S]*still running after 200 ms/,
  'hangs-hard': /still running after 8000 ms/,
  'hangs-in-loading': /declared no suite/,
  'late-suite': /1 passed, 1 failed|did not run to the end/,
  'leaves-a-database': /left 1 database\(s\) behind/,
  'leaves-a-process': /left a process running/,
  'never-run': /declared no suite/,
  'no-assertion': /0 passed, 1 failed[\s\S]*made no assertion/,
  'no-suite': /declared no suite/,
  'no-tests': /0 passed, 1 failed[\s\S]*has no tests/,
  only: /uses test\.only/,
  'rejects-unheard': /ended with exit code 1[\s\S]*unheard/,
  'skips-all': /0 passed, 1 failed[\s\S]*has no tests/,
  'stays-open': /something is still open/,
  'throws-in-after': /1 passed, 1 failed[\s\S]*not released/,
  'throws-in-after-each': /0 passed, 1 failed[\s\S]*not put back/,
  'throws-in-before': /0 passed, 1 failed[\s\S]*no server/,
};

/** Faults of a file that has another one before it in its process. */
const faulty: Readonly<Record<string, RegExp>> = {
  'does-not-load': /^1 of its suites did not run to the end$/,
  'exits-early': /^1 of its suites did not run to the end$/,
  'leaves-a-process': /^left a process running$/,
  'no-suite': /^declared no suite/,
  'rejects-unheard': /^ended with exit code 1$/,
  'stays-open': /^does not end: something is still open$/,
};

const shared = () =>
  new TestProcess({ upstream: '', timeout: 8000, signal: AbortSignal.timeout(60_000) });

async function outcome(process: TestProcess, name: string) {
  const path = `test/fixtures/runner/${name}.test.ts`;
  const { milliseconds: _, ...rest } = await process.run(path, 'together');
  return rest;
}

interface Run {
  readonly code: number | null;
  readonly output: string;
}

function run(...args: readonly string[]): Promise<Run> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [compiled('test/run.ts'), ...args], {
      env: { ...process.env, NO_COLOR: '1', DATABASE_URL: 'postgresql://production/' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.once('error', failed);
    child.once('close', (code) => done({ code, output }));
  });
}

/** The fixtures without a fault. */
const right = ['passes', 'lacks-a-program'];

/** The fixture whose fault the end of its process reveals, which the fault of a later file can hide. */
const late = 'fails-at-exit';

const fixtures = ['--directory', 'test/fixtures/runner', '--file-timeout', '8000'];

suite('runner', (test) => {
  test(
    'is red for every way of going wrong',
    async () => {
      const { code, output } = await run(...fixtures, '--jobs', '3');
      assert.is(code, 1);
      const sections = output.split(/^(?=ok |FAIL )/m);
      for (const [name, complaint] of Object.entries(expected)) {
        const section = sections.find((text) => text.includes(`/${name}.test.ts `)) ?? 'not run';
        assert.match(section, /^FAIL/, name);
        assert.match(section, complaint, name);
      }
      for (const name of right) assert.match(output, new RegExp(`^ok .*/${name}\\.test\\.ts`, 'm'));
      assert.match(output, /\n\d+ passed, 2\d failed\n$/);
    },
    { timeout: 120_000 },
  );

  test('tells which file is at fault among those that share a process', async () => {
    const green = { passed: 2, failed: 0, skipped: 1, faults: [] };
    for (const [name, complaint] of Object.entries(faulty)) {
      const process = shared();
      assert.equal(await outcome(process, 'passes'), green);
      const { faults } = await outcome(process, name);
      assert.match(faults.join('; '), complaint, name);
      await process.end(false);
    }
  });

  test('finds what only the end of a process reveals', async () => {
    const process = shared();
    await outcome(process, 'passes');
    await outcome(process, late);
    const [fault] = await process.end(true);
    assert.match(
      fault ?? '',
      /^ended with exit code 3 \(one of [^,]*passes[^,]*, [^,]*fails-at-exit/,
    );
  });

  test('has an expectation for every fixture', () => {
    const names = readdirSync('test/fixtures/runner').map((name) => name.replace('.test.ts', ''));
    assert.equal([...right, late, ...Object.keys(expected)].sort(), names.sort());
  });

  test('repeats before its last line what failed, and where values differ', async () => {
    const { output } = await run(
      ...fixtures,
      'runner/fails.test',
      'runner/no-suite',
      'runner/passes',
    );
    const end = output.slice(output.indexOf('\nfailed:\n'));
    assert.match(end, /\/fails\.test\.ts\n\s+FAIL .*"bad"\n\s+Expected .*\n\s+\+\+2 .*\n\s+--1 /);
    assert.match(end, /\/no-suite\.test\.ts\n\s+declared no suite/);
    assert.not.match(end, /passes|at file/);
    assert.match(end, /\n3 passed, 2 failed\n$/);
  });

  test('is green when nothing is wrong, and says so on its last line', async () => {
    const { code, output } = await run(...fixtures, 'runner/passes');
    assert.is(code, 0);
    assert.match(output, /2 passed, 1 skipped[\s\S]*\n2 passed, 0 failed\n$/);
  });

  test('is green where a program is missing that all tests of a file need', async () => {
    const { code, output } = await run(...fixtures, 'runner/lacks-a-program');
    assert.is(code, 0);
    assert.match(output, /^ok .*0 passed, 1 skipped[\s\S]*\n0 passed, 0 failed\n$/m);
  });

  test('is red when nothing matches', async () => {
    const { code, output } = await run(...fixtures, 'no-such-file');
    assert.is(code, 1);
    assert.match(output, /\n0 passed, 1 failed\n$/);
  });
});
