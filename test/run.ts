/**
 * Runs the test files: `npm test -- [part of a path ...]`. Files share processes, and each process has its own PostgreSQL. Ends with the
 * line `N passed, N failed`; every fault counts as a failure.
 * +
 * STAGE_TEST_PG=15|16|17|18 sets the major version, or an installation by its absolute path (`/usr/lib/postgresql/15`), because builds of
 * distributions have JIT. STAGE_TEST_SETTINGS='jit_above_cost=0' adds settings of the server. STAGE_TEST_UPSTREAM=URL sets a running
 * server.
 */
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dropLeftovers } from './helpers/database.ts';
import type { Failure } from './runner/failures.ts';
import { summarize } from './runner/failures.ts';
import { defaultMajor, startTestServer } from './runner/server.ts';
import type { FileResult, ProcessOptions } from './runner/test-process.ts';
import { isGreen, TestProcess } from './runner/test-process.ts';

interface Settings {
  readonly directory: string;
  readonly patterns: readonly string[];
  readonly jobs: number;
  readonly timeout: number;
}

function readSettings(): Settings {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      directory: { type: 'string', default: 'test' },
      // One more than there are cores, because a test often waits.
      jobs: { type: 'string', default: String(availableParallelism() + 1) },
      'file-timeout': { type: 'string', default: '900000' },
    },
  });
  return {
    directory: values.directory,
    patterns: positionals,
    jobs: Number(values.jobs),
    timeout: Number(values['file-timeout']),
  };
}

/** Returns the test files below the directory whose paths contain one of the patterns. Fixtures are not tests of this run. */
async function findFiles({ directory, patterns }: Settings): Promise<string[]> {
  const names = await readdir(directory, { recursive: true });
  return names
    .filter((name) => /\.test\.tsx?$/.test(name) && !name.startsWith('fixtures/'))
    .map((name) => join(directory, name))
    .filter((path) => patterns.length === 0 || patterns.some((pattern) => path.includes(pattern)))
    .sort();
}

/** Files with a process of their own: they are long, count what the program does since its start, or run the runner. They run first. */
const alone = /^test\/(faults|mutants|sql\/metered|upgrades)\//;
/** Others that watch threads, memory, descriptors or the event loop of their process. */
const watching =
  /^test\/(runner|sql\/parse-gate|attacks\/(crowd|frames)|daemon\/(stopped-readers|full-disk)|proxy\/flow|rest\/join-modules)\.test/;
const isAlone = (path: string) => alone.test(path) || watching.test(path);

/** Tests compare the order of rows and plans with those of a twin database, which autovacuum may change at any moment. */
const ownSettings = { autovacuum: 'off' };

interface Totals {
  passed: number;
  failed: number;
  readonly failures: Failure[];
}

const noTotals = (failed: number): Totals => ({ passed: 0, failed, failures: [] });

interface Waiting {
  readonly path: string;
  readonly id: string;
}

/** Distributes the files over the jobs. */
async function runAll(
  files: readonly string[],
  settings: Settings,
  signal: AbortSignal,
): Promise<Totals> {
  const totals = noTotals(0);
  const ordered = [...files.filter(isAlone), ...files.filter((path) => !isAlone(path))];
  const waiting = ordered.map((path, index) => ({ path, id: `${process.pid}_${index}` }));
  const work = async () => {
    // Each job has a server: the definitions that tests make empty the caches of all backends of a server, and filling these takes half of
    // the processor time of many tests.
    const server = await startServer();
    try {
      await runWaiting(waiting, { ...settings, upstream: server.url, signal }, totals);
    } finally {
      await server.stop();
    }
  };
  await Promise.all(Array.from({ length: Math.min(settings.jobs, files.length) }, work));
  if (signal.aborted) totals.failed += 1;
  return totals;
}

const startServer = () =>
  startTestServer(
    process.env['STAGE_TEST_UPSTREAM'],
    process.env['STAGE_TEST_PG'] || defaultMajor,
    ownSettings,
  );

/** Runs files until none waits. It has one process, and starts another after a fault, or after many files. */
async function runWaiting(
  waiting: Waiting[],
  options: ProcessOptions,
  totals: Totals,
): Promise<void> {
  let current: TestProcess | null = null;
  for (let next = waiting.shift(); next && !options.signal.aborted; ) {
    const { path, id } = next;
    current ??= new TestProcess(options);
    const result = await current.run(path, id);
    const left = await dropLeftovers(options.upstream, id);
    if (left > 0) result.faults.push(`left ${left} database(s) behind`);
    // Taken now, so that no process waits for a file that another job takes.
    next = waiting.shift();
    if (!isGreen(result) || current.isWorn || isAlone(path) || !next) {
      result.faults.push(...(await current.end(isGreen(result))));
    }
    record(totals, path, result, current.output);
    if (current.hasEnded) current = null;
  }
}

/** Adds a file's result to the totals, and prints it. */
function record(totals: Totals, path: string, result: FileResult, output: string): void {
  totals.passed += result.passed;
  totals.failed += result.failed + result.faults.length;
  if (!isGreen(result)) totals.failures.push({ path, faults: result.faults, output });
  print(path, result, output);
}

function print(path: string, result: FileResult, output: string): void {
  const { passed, failed, skipped, faults, milliseconds } = result;
  const good = isGreen(result);
  const more = `${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  console.log(`${good ? 'ok  ' : 'FAIL'} ${path} (${passed} passed${more}, ${milliseconds} ms)`);
  for (const fault of faults) console.log(`     ${fault}`);
  if (!good) console.log(output.replace(/^/gm, '     '));
}

async function runFiles(settings: Settings, signal: AbortSignal): Promise<Totals> {
  const files = await findFiles(settings);
  if (files.length === 0) {
    console.log(`no test file in ${settings.directory} matches ${settings.patterns.join(' ')}`);
    return noTotals(1);
  }
  return runAll(files, settings, signal);
}

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interrupt.abort());
}
// `npm test | head` closes the pipe. That must end the run, and must not prevent its clean-up.
process.stdout.on('error', () => interrupt.abort());
const { passed, failed, failures } = await runFiles(readSettings(), interrupt.signal).catch(
  (error: unknown) => {
    interrupt.abort();
    console.log(error);
    return noTotals(1);
  },
);
for (const line of summarize(failures)) console.log(line);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
