/** A process that runs test files one after the other, and the search for all faults of a file. */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiled } from '../helpers/compiled.ts';
import type { TestEvent } from '../helpers/suite.ts';

export interface ProcessOptions {
  readonly upstream: string;
  /** Milliseconds for each file. */
  readonly timeout: number;
  /** Kills the process, and the processes that its files started. */
  readonly signal: AbortSignal;
}

export interface FileResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly milliseconds: number;
  /** Faults other than failed tests. */
  readonly faults: string[];
}

export function isGreen({ failed, faults }: FileResult): boolean {
  return failed === 0 && faults.length === 0;
}

/** Returns how long a file may have something open after all its suites have ended. */
const lingering = (timeout: number) => Math.min(10_000, timeout / 2);

/** The optimizing compiler would take longer for the SQL parser's WebAssembly than it saves over the files of a process. */
const flags = ['--enable-source-maps', '--liftoff-only'];

/** The modules of all files stay in memory, so a process ends after so many files, or bytes. */
const mostFiles = 32;
const mostMemory = 2 ** 30;

export class TestProcess {
  readonly #options: ProcessOptions;
  readonly #child: ChildProcess;
  /** Describes the end, once the last output has been read. */
  readonly #ending: Promise<string>;
  #output: string[] = [];
  #events: TestEvent[] = [];
  #faults: string[] = [];
  #files: string[] = [];
  #memory = 0;
  #lingers: NodeJS.Timeout | undefined;
  #fileEnded = () => {};

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.#child = spawn(process.execPath, [...flags, compiled('test/runner/files.ts')], {
      // A separate process group, so that processes left running can be found and ended.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: {
        ...withoutSettings(process.env),
        STAGE_TEST_UPSTREAM: options.upstream,
        STAGE_TEST_REPORT: '3',
      },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk) => this.#output.push(String(chunk)));
    // The process may end before it has read the name of a file.
    this.#channel.on('error', () => undefined);
    createInterface({ input: this.#channel }).on('line', (line) => this.#note(JSON.parse(line)));
    const abort = () => this.#stop('interrupted');
    options.signal.addEventListener('abort', abort);
    this.#ending = describeEnd(this.#child).finally(() =>
      options.signal.removeEventListener('abort', abort),
    );
  }

  get output(): string {
    return this.#output.join('');
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Whether the process has run as many files as it should. */
  get isWorn(): boolean {
    return this.#files.length >= mostFiles || this.#memory > mostMemory;
  }

  /**
   * Runs a file until it has closed all that it opened, or kills the process and all that it started.
   * @param path relative to the project's root
   * @param id distinguishes the databases of the file from those of others
   */
  async run(path: string, id: string): Promise<FileResult> {
    const start = Date.now();
    this.#output = [];
    this.#events = [];
    this.#faults = [];
    this.#files.push(path);
    const { timeout } = this.#options;
    const total = setTimeout(() => this.#stop(`still running after ${timeout} ms`), timeout);
    const ended = new Promise<null>((done) => {
      this.#fileEnded = () => done(null);
    });
    this.#channel.write(`${path} ${id}\n`);
    const ending = await Promise.race([ended, this.#ending]);
    clearTimeout(total);
    clearTimeout(this.#lingers);
    const { passed, failed, skipped } = count(this.#events);
    const milliseconds = Date.now() - start;
    await this.#endOthers();
    const faults = [...this.#faults, ...check(this.#events)];
    if (ending && failed === 0 && faults.length === 0) faults.push(ending);
    return { passed, failed, skipped, milliseconds, faults };
  }

  /**
   * Lets the process end, and returns the faults that only then are found.
   * @param wasGreen whether its last file was. Otherwise the end reveals nothing more.
   */
  async end(wasGreen: boolean): Promise<string[]> {
    this.#faults = [];
    const timer = setTimeout(() => this.#stop('does not end'), lingering(this.#options.timeout));
    this.#channel.end();
    const ending = await this.#ending;
    clearTimeout(timer);
    await this.#endOthers();
    if (!wasGreen) return [];
    if (this.#faults.length === 0 && this.#child.exitCode !== 0) this.#faults.push(ending);
    const files = this.#files.length > 1 ? ` (one of ${this.#files.join(', ')})` : '';
    return this.#faults.map((fault) => fault + files);
  }

  get #channel(): Duplex {
    return this.#child.stdio[3] as Duplex;
  }

  /** Adds an event. If the file then has something open for too long, kills the process. */
  #note(event: TestEvent): void {
    clearTimeout(this.#lingers);
    if (event.event === 'ended') {
      this.#memory = event.memory;
      this.#fileEnded();
      return;
    }
    this.#events.push(event);
    if (unfinished(this.#events) > 0) return;
    this.#lingers = setTimeout(
      () => this.#stop('does not end: something is still open'),
      lingering(this.#options.timeout),
    );
  }

  #stop(fault: string): void {
    this.#faults.push(fault);
    signalGroup(this.#child, 'SIGKILL');
  }

  /** Kills processes that are still running some time after the file that started them. */
  async #endOthers(): Promise<void> {
    for (let attempt = 0; othersRun(this.#child); attempt += 1) {
      if (attempt === 60) return this.#stop('left a process running');
      await sleep(50);
    }
  }
}

async function describeEnd(child: ChildProcess): Promise<string> {
  const closed = new Promise((done) => child.once('close', done));
  const ending = await new Promise<string>((done) => {
    child.once('error', (error) => done(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => done(`ended with ${signal ?? `exit code ${code}`}`));
  });
  // The last output may still be in the pipes. A process that left the group could hold these open for ever.
  await Promise.race([closed, sleep(1000)]);
  return ending;
}

/** Removes variables that configure stage or PostgreSQL's clients: tests must not depend on the machine. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => !/^(STAGE_(?!TEST_)|PG|DATABASE_URL$)/.test(name),
  );
  return Object.fromEntries(kept);
}

/**
 * Returns whether another process of the child's group is running. One that only waits for init to reap it, which in a container can take
 * seconds, is not. Elsewhere than on Linux (proc_pid_stat(5)), false while the child itself is running.
 */
function othersRun(child: ChildProcess): boolean {
  if (!signalGroup(child, 0)) return false;
  const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name));
  if (pids.length === 0) return child.exitCode !== null || child.signalCode !== null;
  return pids.some((pid) => {
    const stat = textOf(`/proc/${pid}/stat`);
    // The command in parentheses may contain any character. State, parent and process group follow it.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === child.pid && Number(pid) !== child.pid && state !== 'Z';
  });
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return child.pid !== undefined && process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}

const steps = { declared: 1, finished: -1, ended: 0 };

function unfinished(events: readonly TestEvent[]): number {
  return events.reduce((sum, { event }) => sum + steps[event], 0);
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

/** Returns the faults that the events of a file alone reveal. */
function check(events: readonly TestEvent[]): string[] {
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
