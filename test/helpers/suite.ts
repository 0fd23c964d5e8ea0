/**
 * The only file that imports uvu. It fails on errors that uvu ignores: a hook that throws, a test that hangs, a test without an assertion,
 * a suite without tests or one that never ran. `test/run.ts` evaluates the events that this file sends.
 *
 *   suite('sessions', (test) => {
 *     test.before(async () => { ... });
 *     test('creates one', async () => { assert.is(1, 1); });
 *     test('raises', async () => { assert.match((await rejects(work())).message, /no such/); });
 *   });
 */
import { writeSync } from 'node:fs';
import { suite as uvuSuite } from 'uvu';
import * as uvuAssert from 'uvu/assert';

export type Work = () => void | Promise<void>;

interface TestOptions {
  /** Milliseconds; 30,000 by default. */
  readonly timeout?: number;
}

export interface TestDefiner {
  (name: string, work: Work, options?: TestOptions): void;
  /** Defines a test that runs without the other tests of the suite, for use during development. The run fails. */
  only(name: string, work: Work, options?: TestOptions): void;
  skip(name: string, work?: Work, options?: TestOptions): void;
  before(work: Work): void;
  after(work: Work): void;
  beforeEach(work: Work): void;
  afterEach(work: Work): void;
}

/** The reports of a test file to the runner, one JSON line each. */
export type TestEvent =
  | { readonly event: 'declared'; readonly suite: string }
  | {
      readonly event: 'finished';
      readonly suite: string;
      readonly passed: number;
      readonly failed: number;
      readonly skipped: number;
      /** The number of skipped tests that need a program this machine does not have. */
      readonly lacking: number;
      readonly only: boolean;
    }
  /** The file has left nothing open. `memory` is that of the process, in bytes. */
  | { readonly event: 'ended'; readonly memory: number };

interface Test {
  readonly name: string;
  readonly work: Work;
  readonly timeout: number;
}

type HookName = 'before' | 'after' | 'beforeEach' | 'afterEach';

interface Plan {
  readonly tests: Test[];
  readonly only: Test[];
  readonly hooks: Record<HookName, Work[]>;
  skipped: number;
}

const defaultTimeout = 120_000;
const counter = { assertions: 0 };

type Check = (...args: unknown[]) => unknown;

/** uvu's assertions, counted: a test without any has proved nothing. */
export const assert: typeof uvuAssert = members(uvuAssert, (check) =>
  members(check, counted, counted(check)),
);

function counted(check: Check): Check {
  return (...args) => {
    counter.assertions += 1;
    return check(...args);
  };
}

/** Copies an object's members to a target and wraps its functions. Functions have members too: `is.not`, `not.equal`. */
function members<T extends object>(
  source: T,
  wrap: (check: Check) => Check,
  target: object = {},
): T {
  for (const [name, member] of Object.entries(source)) {
    const isCheck = typeof member === 'function' && name !== 'Assertion';
    Object.assign(target, { [name]: isCheck ? wrap(member) : member });
  }
  return target as T;
}

/** Waits for a promise that must be rejected and returns its error. Counts as an assertion. */
export async function rejects<E extends Error = Error & { code?: string }>(
  promise: Promise<unknown>,
): Promise<E> {
  counter.assertions += 1;
  const value = await promise.then(
    (resolved) => ({ resolved }),
    (error: E) => ({ error }),
  );
  if ('error' in value) return value.error;
  throw new Error(`expected a rejection, got ${JSON.stringify(value.resolved)}`);
}

/** Declares a suite and queues its tests. They run one after the other, after the file has been loaded. */
export function suite(name: string, define: (test: TestDefiner) => void): void {
  const plan: Plan = {
    tests: [],
    only: [],
    hooks: { before: [], after: [], beforeEach: [], afterEach: [] },
    skipped: 0,
  };
  report({ event: 'declared', suite: name });
  const settled: unknown = define(definer(plan));
  if (settled !== undefined)
    throw new Error(`suite ${name}: the defining function must be synchronous`);
  queue(name, plan);
}

function definer(plan: Plan): TestDefiner {
  const add =
    (list: Test[]) =>
    (name: string, work: Work, options: TestOptions = {}) => {
      list.push({ name, work, timeout: options.timeout ?? defaultTimeout });
    };
  const hook = (name: HookName) => (work: Work) => {
    plan.hooks[name].push(work);
  };
  return Object.assign(add(plan.tests), {
    only: add(plan.only),
    skip: () => {
      plan.skipped += 1;
    },
    before: hook('before'),
    after: hook('after'),
    beforeEach: hook('beforeEach'),
    afterEach: hook('afterEach'),
  });
}

/** Thrown by a test that needs a program this machine does not have. The test is skipped, and counted as such. */
export class MissingProgram extends Error {
  constructor(program: string) {
    super(`${program} is not installed`);
  }
}

function queue(name: string, plan: Plan): void {
  const target = uvuSuite(name);
  const counts = { passed: 0, failed: 0, lacking: 0 };
  const record = async (work: Work) => {
    try {
      await work();
      counts.passed += 1;
    } catch (error) {
      if (error instanceof MissingProgram) {
        counts.lacking += 1;
        return;
      }
      counts.failed += 1;
      throw asError(error);
    }
  };
  const chosen = plan.only.length > 0 ? plan.only : plan.tests;
  const started = { failure: null as Error | null };
  if (chosen.length === 0)
    target('has tests', () => record(() => fail(`suite ${name} has no tests`)));
  // uvu swallows what a hook throws. So the hooks run as steps of this file: the first makes the tests fail, the last is a test.
  target.before(async () => {
    started.failure = await runHooks(plan.hooks.before).catch(asError);
  });
  for (const test of chosen)
    target(test.name, () => record(() => runTest(test, plan, started.failure)));
  if (plan.hooks.after.length > 0) {
    target('(after)', async () => {
      await runCleanUp(plan.hooks.after).catch((error: unknown) => {
        counts.failed += 1;
        throw asError(error);
      });
    });
  }
  target.after(() => {
    if (counts.failed > 0) process.once('exit', () => (process.exitCode = 1));
    const only = plan.only.length > 0;
    const skipped = plan.skipped + counts.lacking;
    report({ event: 'finished', suite: name, ...counts, skipped, only });
  });
  target.run();
}

async function runTest(test: Test, plan: Plan, startFailure: Error | null): Promise<void> {
  if (startFailure instanceof MissingProgram) throw startFailure;
  if (startFailure) throw new Error(`before: ${startFailure.message}`, { cause: startFailure });
  const before = counter.assertions;
  try {
    await runHooks(plan.hooks.beforeEach);
    await limited(test.work, test.timeout);
  } finally {
    await runCleanUp(plan.hooks.afterEach);
  }
  if (counter.assertions === before)
    fail('the test made no assertion (assert and rejects of test/helpers/suite.ts)');
}

async function runHooks(hooks: readonly Work[]): Promise<null> {
  for (const hook of hooks) await limited(hook, 2 * defaultTimeout);
  return null;
}

/** Runs all hooks, even after a failure, so that one hook cannot keep the others from releasing what they hold. */
async function runCleanUp(hooks: readonly Work[]): Promise<void> {
  const failures: Error[] = [];
  for (const hook of hooks) {
    await limited(hook, 2 * defaultTimeout).catch((error: unknown) =>
      failures.push(asError(error)),
    );
  }
  if (failures[0]) throw failures[0];
}

async function limited(work: Work, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, failed) => {
    timer = setTimeout(
      () => failed(new Error(`still running after ${milliseconds} ms`)),
      milliseconds,
    );
  });
  try {
    await Promise.race([work(), expired]);
  } finally {
    clearTimeout(timer);
  }
}

function fail(message: string): never {
  throw new Error(message);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(`thrown: ${String(error)}`);
}

/** Writes an event to the runner's pipe. It writes synchronously, so no event is lost however the process ends. */
export function report(event: TestEvent): void {
  const pipe = process.env['STAGE_TEST_REPORT'];
  if (pipe) writeSync(Number(pipe), `${JSON.stringify(event)}\n`);
}
