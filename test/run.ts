/**
 * Runs the test files: `npm test -- [part of a path ...]`. Files of a room share processes; all run on one PostgreSQL. Ends with the line
 * `N passed, N failed`; every fault counts as a failure.
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
import type { TestServer } from './runner/server.ts';
import { defaultMajor, startTestServer } from './runner/server.ts';
import type { GroupResult } from './runner/test-file.ts';
import { runTestFiles } from './runner/test-file.ts';

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
      // Two more than there are cores, because a test often waits.
      jobs: { type: 'string', default: String(availableParallelism() + 2) },
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

/** Rooms whose files share one process: they need no server, and run in less time than a process takes to start. */
const quick = /^test\/(wire|sql|config|client|tui|cli\/diff)\/(?=[^/]+$)/;

/** Rooms whose files run in batches: the start of a process is about half of the time of one file. Files of other folders run alone. */
const batched = /^test\/(attacks|cli|daemon|mcp|proxy|rest|review|staging)\/(?=[^/]+$)/;
/** With larger batches, one process would run alone at the end. */
const batchSize = 8;

/** Groups the files by the process in which they run. */
function groupFiles(paths: readonly string[]): string[][] {
  const rooms = new Map<string, string[]>();
  for (const path of paths) {
    const room = quick.exec(path)?.[0] ?? batched.exec(path)?.[0] ?? path;
    rooms.set(room, [...(rooms.get(room) ?? []), path]);
  }
  return [...rooms.values()].flatMap((files) =>
    batched.test(files[0] ?? '') ? deal(files) : [files],
  );
}

/** Distributes files over batches. Neighbours by name are alike, and often slow together, so they go into different batches. */
function deal(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / batchSize);
  return Array.from({ length: count }, (_, batch) =>
    files.filter((_, index) => index % count === batch),
  );
}

interface Totals {
  readonly passed: number;
  readonly failed: number;
}

async function runAll(
  files: readonly string[],
  settings: Settings,
  server: TestServer,
  signal: AbortSignal,
): Promise<Totals> {
  const totals = { passed: 0, failed: 0 };
  const waiting = groupFiles(files).map((paths, index) => ({
    paths,
    id: `${process.pid}_${index}`,
  }));
  const work = async () => {
    while (!signal.aborted) {
      const next = waiting.shift();
      if (!next) return;
      const result = await runTestFiles({
        ...next,
        upstream: server.url,
        timeout: settings.timeout * next.paths.length,
        signal,
      });
      const left = await dropLeftovers(server.url, next.id);
      const faults =
        left === 0 ? result.faults : [...result.faults, `left ${left} database(s) behind`];
      for (const file of result.files) {
        totals.passed += file.passed;
        totals.failed += file.failed;
      }
      totals.failed += faults.length;
      print({ ...result, faults });
    }
  };
  await Promise.all(Array.from({ length: settings.jobs }, work));
  if (signal.aborted) totals.failed += 1;
  return totals;
}

function print({ files, faults, output }: GroupResult): void {
  const named = (path: string) => faults.some((fault) => fault.startsWith(`${path}: `));
  // A fault that names no file applies to all of them.
  const unnamed = faults.some((fault) => !files.some(({ path }) => fault.startsWith(`${path}: `)));
  for (const { path, passed, failed, skipped, milliseconds } of files) {
    const good = failed === 0 && !unnamed && !named(path);
    const more = `${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    console.log(`${good ? 'ok  ' : 'FAIL'} ${path} (${passed} passed${more}, ${milliseconds} ms)`);
  }
  for (const fault of faults) console.log(`     ${fault}`);
  if (faults.length > 0 || files.some(({ failed }) => failed > 0))
    console.log(output.replace(/^/gm, '     '));
}

async function runFiles(settings: Settings, signal: AbortSignal): Promise<Totals> {
  const files = await findFiles(settings);
  if (files.length === 0) {
    console.log(`no test file in ${settings.directory} matches ${settings.patterns.join(' ')}`);
    return { passed: 0, failed: 1 };
  }
  const major = process.env['STAGE_TEST_PG'] || defaultMajor;
  const server = await startTestServer(process.env['STAGE_TEST_UPSTREAM'], major);
  try {
    return await runAll(files, settings, server, signal);
  } finally {
    await server.stop();
  }
}

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interrupt.abort());
}
// `npm test | head` closes the pipe. That must end the run, and must not prevent its clean-up.
process.stdout.on('error', () => interrupt.abort());
const { passed, failed } = await runFiles(readSettings(), interrupt.signal).catch(
  (error: unknown) => {
    interrupt.abort();
    console.log(error);
    return { passed: 0, failed: 1 };
  },
);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
