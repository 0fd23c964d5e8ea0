/** The runner itself: every fixture fails in its own way, and none of them may pass. */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { compiled } from './helpers/compiled.ts';
import { assert, suite } from './helpers/suite.ts';
import { runTestFiles } from './runner/test-file.ts';

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
    const together = (...names: readonly string[]) =>
      runTestFiles({
        paths: names.map((name) => `test/fixtures/runner/${name}.test.ts`),
        id: 'together',
        upstream: '',
        timeout: 8000,
        signal: AbortSignal.timeout(20_000),
      });
    const { files, faults } = await together('passes', 'no-suite', 'fails');
    assert.equal(
      files.map(({ passed, failed }) => [passed, failed]),
      [
        [2, 0],
        [0, 0],
        [1, 1],
      ],
    );
    assert.equal(faults, [
      'test/fixtures/runner/no-suite.test.ts: declared no suite of test/helpers/suite.ts',
    ]);
    const cut = await together('does-not-load', 'passes');
    assert.match(
      cut.faults.join(),
      /does-not-load[^,]*did not run to the end.*passes.*declared no/,
    );
    assert.match((await together('passes', 'stays-open')).faults.join(), /something is still open/);
  });

  test('has an expectation for every fixture', () => {
    const names = readdirSync('test/fixtures/runner').map((name) => name.replace('.test.ts', ''));
    assert.equal([...right, ...Object.keys(expected)].sort(), names.sort());
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
