/** Runs test files in a separate process, mostly one file each, and finds all faults of the run. */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiled } from '../helpers/compiled.ts';
import type { TestEvent } from '../helpers/suite.ts';

export interface FileOptions {
  /** Paths relative to the project's root. Several files run one after the other. */
  readonly paths: readonly string[];
  /** Distinguishes the databases of these files from those of others. */
  readonly id: string;
  readonly upstream: string;
  readonly timeout: number;
  /** Kills the files' processes and ends the wait. */
  readonly signal: AbortSignal;
}

export interface FileResult {
  readonly path: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The start of the process counts for its first file. */
  readonly milliseconds: number;
}

export interface GroupResult {
  readonly files: readonly FileResult[];
  /** Faults other than failed tests. In a group, those of one file begin with its path. */
  readonly faults: readonly string[];
  readonly output: string;
}

type TimedEvent = TestEvent & { readonly at: number };

/** Returns how long a process may take to exit after all its suites have ended. If it takes longer, something is still open. */
const lingering = (timeout: number) => Math.min(10_000, timeout / 2);

/** The optimizing compiler would take longer for the SQL parser's WebAssembly than it saves over a few test files. */
const flags = ['--enable-source-maps', '--liftoff-only'];

/** Runs the files to their end, or kills them and all processes that they started. */
export async function runTestFiles(options: FileOptions): Promise<GroupResult> {
  const start = Date.now();
  const child = spawn(process.execPath, [...flags, ...programOf(options.paths)], {
    // A separate process group, so that processes left running can be found and ended.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: {
      ...withoutSettings(process.env),
      STAGE_TEST_UPSTREAM: options.upstream,
      STAGE_TEST_FILE: options.id,
      STAGE_TEST_REPORT: '3',
    },
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => output.push(String(chunk)));
  const ended = new Promise<string | null>((done) => {
    child.once('error', (error) => done(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      done(code === 0 ? null : `ended with ${signal ?? `exit code ${code}`}`),
    );
  });
  const events: TimedEvent[] = [];
  const faults: string[] = [];
  const stopWatching = watch(child, options, events, (fault) => faults.push(fault));
  const closed = new Promise((done) => child.once('close', done));
  const ending = await ended;
  stopWatching();
  if (await leftRunning(child)) faults.push('left a process running');
  // The last output may still be in the pipes. A process that left the group could hold these open for ever.
  await Promise.race([closed, sleep(1000)]);
  const files = filesOf(options.paths, events, start);
  faults.push(...check(options.paths, events));
  const isGreen = files.every(({ failed }) => failed === 0) && faults.length === 0;
  if (ending && isGreen) faults.push(ending);
  return { files, faults, output: output.join('') };
}

function filesOf(
  paths: readonly string[],
  events: readonly TimedEvent[],
  start: number,
): FileResult[] {
  let before = start;
  return byFile(paths, events).map((file) => {
    const end = file.events.at(-1)?.at ?? before;
    const { passed, failed, skipped } = count(file.events);
    const milliseconds = end - before;
    before = end;
    return { path: file.path, passed, failed, skipped, milliseconds };
  });
}

function programOf(paths: readonly string[]): string[] {
  return paths.length === 1 ? paths.map(compiled) : [compiled('test/runner/several.ts'), ...paths];
}

/** Removes variables that configure stage or PostgreSQL's clients: tests must not depend on the machine. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => !/^(STAGE_(?!TEST_)|PG|DATABASE_URL$)/.test(name),
  );
  return Object.fromEntries(kept);
}

/** Collects the events, and kills the process if it runs, or exits, for too long. Returns the function that ends this. */
function watch(
  child: ChildProcess,
  options: FileOptions,
  events: TimedEvent[],
  blame: (fault: string) => void,
): () => void {
  const end = (fault: string) => {
    blame(fault);
    killGroup(child);
  };
  const abort = () => end('interrupted');
  const total = setTimeout(() => end(`still running after ${options.timeout} ms`), options.timeout);
  let last: NodeJS.Timeout | undefined;
  createInterface({ input: child.stdio[3] as Readable }).on('line', (line) => {
    events.push({ ...(JSON.parse(line) as TestEvent), at: Date.now() });
    clearTimeout(last);
    const files = byFile(options.paths, events);
    if (unfinished(events) > 0 || files.at(-1)?.events.length === 0) return;
    last = setTimeout(
      () => end('does not end: something is still open'),
      lingering(options.timeout),
    );
  });
  options.signal.addEventListener('abort', abort);
  return () => {
    clearTimeout(total);
    clearTimeout(last);
    options.signal.removeEventListener('abort', abort);
  };
}

/** Returns whether a process of the file's group is still running some time after the file ended, and kills it. */
async function leftRunning(child: ChildProcess): Promise<boolean> {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    if (!signalGroup(child, 0) || (await onlyZombies(child))) return false;
    await sleep(50);
  }
  killGroup(child);
  return true;
}

/**
 * Returns whether every process of the file's group has ended and only waits for init to reap it, which in a container can take seconds.
 * Linux only (proc_pid_stat(5)); elsewhere false.
 */
async function onlyZombies(child: ChildProcess): Promise<boolean> {
  const names = await readdir('/proc').catch(() => []);
  const states = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')),
  );
  const ours = states
    // The command in parentheses may contain any character. State, parent and process group follow it.
    .map((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' '))
    .filter(([, , group]) => Number(group) === child.pid);
  return ours.length > 0 && ours.every(([state]) => state === 'Z');
}

function killGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGKILL');
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return child.pid !== undefined && process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}

const steps = { file: 0, declared: 1, finished: -1 };

function unfinished(events: readonly TestEvent[]): number {
  return events.reduce((sum, { event }) => sum + steps[event], 0);
}

/** Splits the events by file. If several files run, an event announces each. */
function byFile<E extends TestEvent>(paths: readonly string[], events: readonly E[]) {
  if (paths.length === 1) return paths.map((path) => ({ path, events }));
  const start = (path: string) =>
    events.findIndex((event) => event.event === 'file' && event.path === path);
  return paths.map((path, index) => {
    const next = paths[index + 1];
    const end = next === undefined ? -1 : start(next);
    const own = start(path) < 0 ? [] : events.slice(start(path) + 1, end < 0 ? undefined : end);
    return { path, events: own };
  });
}

function count(events: readonly TestEvent[]) {
  const counts = { passed: 0, failed: 0, skipped: 0, lacking: 0 };
  for (const event of events) {
    if (event.event !== 'finished') continue;
    counts.passed += event.passed;
    counts.failed += event.failed;
    counts.skipped += event.skipped;
    counts.lacking += event.lacking;
  }
  return counts;
}

/** Returns the faults that the events alone reveal. */
function check(paths: readonly string[], events: readonly TestEvent[]): string[] {
  const inFile = (path: string) => (paths.length === 1 ? '' : `${path}: `);
  return byFile(paths, events).flatMap((file) =>
    checkFile(file.events).map((fault) => inFile(file.path) + fault),
  );
}

function checkFile(events: readonly TestEvent[]): string[] {
  const faults: string[] = [];
  const { passed, failed, lacking } = count(events);
  if (events.length === 0) faults.push('declared no suite of test/helpers/suite.ts');
  else if (unfinished(events) > 0)
    faults.push(`${unfinished(events)} of its suites did not run to the end`);
  else if (passed + failed + lacking === 0) faults.push('ran no test');
  if (events.some((event) => event.event === 'finished' && event.only))
    faults.push('uses test.only');
  return faults;
}
