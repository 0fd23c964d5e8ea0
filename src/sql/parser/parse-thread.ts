/**
 * A worker thread that parses the texts that would block the main thread, one after the other. It starts on demand and ends after an idle
 * time, which frees the memory that heavy texts have taken. It also ends when a text takes too long, or when its client is gone.
 */
import { Worker } from 'node:worker_threads';
import { compiledProgram } from '../../compiled.ts';
import type { ErrorCode } from '../../errors.ts';
import { StageError } from '../../errors.ts';
import { withBuffers } from './buffers.ts';
import { SqlSyntaxError } from './syntax-error.ts';

/** A task for the thread, by its name in the thread's program. */
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
  /** The time that orders the queue. It is later for a longer text. */
  readonly due: number;
  resolve(result: unknown): void;
  reject(error: unknown): void;
  /** Removes the listener on the abort signal. */
  release(): void;
}

interface Limits {
  /** Maximum total length of all waiting texts. */
  readonly waitingBytes: number;
  /** Maximum time for one text, from when the thread receives it. */
  readonly ms: number;
}

const usual: Limits = { waitingBytes: 64 * 1024 * 1024, ms: 20_000 };
const idleMs = 30_000;
/** Each 1000 bytes of a text put it behind texts that arrive up to a millisecond later. */
const bytesPerMs = 1000;

/**
 * PostgreSQL's grammar recurses, and V8's stack limit stops it. The limit must not exceed that of the main thread, 984 KiB. Node.js
 * reserves 192 KiB of a thread's stack.
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

  /** @param program the script that the thread runs */
  constructor(program: URL = compiledProgram('sql/parse-worker.js'), limits: Limits = usual) {
    this.program = program;
    this.limits = limits;
  }

  /**
   * Runs a task in the thread.
   * @param bytes total length of the task's texts
   * @param gone aborted when the caller no longer needs the result. The task is dropped, and the promise stays pending.
   * @throws SqlSyntaxError, StageError as the task does; StageError when the queue is full, the task takes too long, or the thread has
   * ended
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

  /** Sends the task with the earliest due time to the thread. */
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
    // The worker must not keep the process alive; its callers do. Adding a listener would ref it again.
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

  /** Ends the thread, and removes its current task: it caused the end, so it is not retried. @param error rejects the task, if not null */
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

/** The instance of this process. */
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
