/**
 * The thread in which texts are parsed that others should not wait for, one after the other. It is started for the first of them, and
 * ends when it has had nothing to do for a while: what such a text has made its memory grow by goes with it. It also ends over a
 * text that takes too long, or that nobody waits for any more.
 */
import { Worker } from 'node:worker_threads';
import { compiledProgram } from '../../compiled.ts';
import type { ErrorCode } from '../../errors.ts';
import { StageError } from '../../errors.ts';
import { withBuffers } from './buffers.ts';
import { SqlSyntaxError } from './syntax-error.ts';

/** A task of the thread's program, by its name. */
export interface Question {
  readonly task: string;
  readonly args: readonly unknown[];
}

export type Answer =
  | { readonly result: unknown }
  | { readonly wrong: Pick<SqlSyntaxError, 'message' | 'position' | 'sqlstate'> }
  | { readonly refused: Pick<StageError, 'message' | 'hint' | 'sqlstate'> & { code: ErrorCode } }
  | { readonly failure: string };

interface Waiting extends Question {
  readonly bytes: number;
  /** When it should have its turn: a longer text waits longer. */
  readonly due: number;
  resolve(result: unknown): void;
  reject(error: unknown): void;
  /** Listens no longer to whether somebody waits for it. */
  release(): void;
}

interface Limits {
  /** Of all texts that wait. */
  readonly waitingBytes: number;
  /** Of one text, from when the thread gets it. */
  readonly ms: number;
}

const usual: Limits = { waitingBytes: 64 * 1024 * 1024, ms: 20_000 };
const idleMs = 30_000;
/** By so many bytes more a text lets others go first that come a millisecond later. */
const bytesPerMs = 1000;

/**
 * PostgreSQL's grammar recurses, and V8's stack limit is what stops it in time: not later than in the main thread, whose limit is
 * 984 KiB. Of a thread's stack, V8 leaves 192 KiB.
 */
const resourceLimits = { stackSizeMb: 1 };

export class ParseThread {
  private readonly program: URL;
  private readonly limits: Limits;
  private readonly waiting = new Set<Waiting>();
  private asked: Waiting | null = null;
  private waitingBytes = 0;
  private worker: Worker | null = null;
  private timer: NodeJS.Timeout | undefined;

  /** @param program what the thread runs */
  constructor(program: URL = compiledProgram('sql/parse-worker.js'), limits: Limits = usual) {
    this.program = program;
    this.limits = limits;
  }

  /**
   * Runs a task over texts of so many bytes.
   * @param gone aborted when nobody waits for it any more: it is dropped, and the promise stays open
   * @throws SqlSyntaxError, StageError as the task does; StageError when too much waits, it takes too long, or the thread has ended
   */
  run(question: Question, bytes: number, gone?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      // guard: what waits to be parsed is bounded
      if (this.waitingBytes + bytes > this.limits.waitingBytes) throw full();
      const due = performance.now() + bytes / bytesPerMs;
      const drop = () => this.drop(waiting);
      const release = () => gone?.removeEventListener('abort', drop);
      const waiting: Waiting = { ...question, bytes, due, resolve, reject, release };
      this.waiting.add(waiting);
      this.waitingBytes += bytes;
      gone?.addEventListener('abort', drop);
      if (gone?.aborted) drop();
      else if (this.asked === null) this.ask();
    });
  }

  /** Hands over what is due first. */
  private ask(): void {
    clearTimeout(this.timer);
    let next: Waiting | null = null;
    for (const each of this.waiting) if (next === null || each.due < next.due) next = each;
    this.asked = next;
    if (next === null) {
      this.timer = setTimeout(() => this.end(), idleMs).unref();
      return;
    }
    const { task, args } = next;
    this.worker ??= this.start();
    this.worker.postMessage({ task, args } satisfies Question);
    // guard: a text has only so much time
    this.timer = setTimeout(() => this.giveUp(tooLong()), this.limits.ms).unref();
  }

  private start(): Worker {
    const worker = new Worker(this.program, { resourceLimits, execArgv: [] });
    worker.on('message', (answer: Answer) => this.answered(worker, answer));
    worker.on('error', (error) => this.lost(worker, error));
    worker.on('exit', () => this.lost(worker, null));
    // It does not keep the process alive: who waits for it does. A listener would take that back.
    worker.unref();
    return worker;
  }

  private answered(worker: Worker, answer: Answer): void {
    const { asked } = this;
    if (this.worker !== worker || asked === null) return;
    this.remove(asked);
    if ('result' in answer) asked.resolve(withBuffers(answer.result));
    else asked.reject(errorOf(answer));
    this.ask();
  }

  private drop(waiting: Waiting): void {
    this.remove(waiting);
    // guard: nothing is parsed for a client that is gone
    if (this.asked === waiting) this.giveUp(null);
  }

  private lost(worker: Worker, cause: unknown): void {
    if (this.worker === worker) this.giveUp(ended(cause));
  }

  /** The text that the thread was given is why it ends: that one is not tried again. */
  private giveUp(error: StageError | null): void {
    this.end();
    const { asked } = this;
    if (asked !== null) this.remove(asked);
    if (error !== null) asked?.reject(error);
    this.ask();
  }

  private remove(waiting: Waiting): void {
    if (!this.waiting.delete(waiting)) return;
    this.waitingBytes -= waiting.bytes;
    waiting.release();
  }

  private end(): void {
    const { worker } = this;
    this.worker = null;
    void worker?.terminate();
  }
}

/** The one of the process. */
export const parseThread = new ParseThread();

function errorOf(answer: Exclude<Answer, { result: unknown }>): Error {
  if ('failure' in answer) return ended(answer.failure);
  if ('wrong' in answer) {
    const { message, position, sqlstate } = answer.wrong;
    return new SqlSyntaxError(message, position, sqlstate);
  }
  const { code, message, hint = '', sqlstate } = answer.refused;
  return new StageError(code, message, { hint, sqlstate });
}

const split = 'Split the statement, or send the values as an array, or by COPY.';

function tooLong(): StageError {
  const message = 'the text takes too long to be parsed';
  return new StageError('statement_not_supported', message, { sqlstate: '54001', hint: split });
}

function full(): StageError {
  return new StageError('busy', 'too many long statements wait to be parsed', {
    sqlstate: '53200',
    hint: 'Try again in a while, or send the values in several statements, or by COPY.',
  });
}

function ended(cause: unknown): StageError {
  const isMemory = (cause as { code?: string } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const sqlstate = isMemory ? { sqlstate: '53200' } : {};
  const message = 'the statement could not be parsed';
  return new StageError('internal', message, { ...sqlstate, hint: split, cause });
}
