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
export interface ParseRequest {
  readonly task: string;
  readonly args: readonly unknown[];
}

export type ParseResponse =
  | { readonly result: unknown }
  | { readonly wrong: Pick<SqlSyntaxError, 'message' | 'position' | 'sqlstate'> }
  | { readonly refused: Pick<StageError, 'message' | 'hint' | 'sqlstate'> & { code: ErrorCode } }
  | { readonly failure: string };

interface Waiting extends ParseRequest {
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
  private requested: Waiting | null = null;
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
  run(question: ParseRequest, bytes: number, gone?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      // guard: the texts that wait to be parsed are bounded
      if (this.waitingBytes + bytes > this.limits.waitingBytes) throw full();
      const due = performance.now() + bytes / bytesPerMs;
      const drop = () => this.drop(waiting);
      const release = () => gone?.removeEventListener('abort', drop);
      const waiting: Waiting = { ...question, bytes, due, resolve, reject, release };
      this.waiting.add(waiting);
      this.waitingBytes += bytes;
      gone?.addEventListener('abort', drop);
      if (gone?.aborted) drop();
      else if (this.requested === null) this.request();
    });
  }

  /** Sends the task with the earliest due time to the thread. */
  private request(): void {
    clearTimeout(this.timer);
    let next: Waiting | null = null;
    for (const each of this.waiting) if (next === null || each.due < next.due) next = each;
    this.requested = next;
    if (next === null) {
      this.timer = setTimeout(() => this.end(), idleMs).unref();
      return;
    }
    const { task, args } = next;
    this.worker ??= this.start();
    this.worker.postMessage({ task, args } satisfies ParseRequest);
    // guard: a text has only so much time
    this.timer = setTimeout(() => this.giveUp(tooLong()), this.limits.ms).unref();
  }

  private start(): Worker {
    const worker = new Worker(this.program, { resourceLimits, execArgv: [] });
    worker.on('message', (response: ParseResponse) => this.receive(worker, response));
    worker.on('error', (error) => this.lost(worker, error));
    worker.on('exit', () => this.lost(worker, null));
    // The worker must not keep the process alive; its callers do. Adding a listener would ref it again.
    worker.unref();
    return worker;
  }

  private receive(worker: Worker, response: ParseResponse): void {
    const { requested } = this;
    if (this.worker !== worker || requested === null) return;
    this.remove(requested);
    if ('result' in response) requested.resolve(withBuffers(response.result));
    else requested.reject(errorOf(response));
    this.request();
  }

  private drop(waiting: Waiting): void {
    this.remove(waiting);
    // guard: nothing is parsed for a client that is gone
    if (this.requested === waiting) this.giveUp(null);
  }

  private lost(worker: Worker, cause: unknown): void {
    if (this.worker === worker) this.giveUp(ended(cause));
  }

  /** Ends the thread, and removes its current task: it caused the end, so it is not retried. @param error rejects the task, if not null */
  private giveUp(error: StageError | null): void {
    this.end();
    const { requested } = this;
    if (requested !== null) this.remove(requested);
    if (error !== null) requested?.reject(error);
    this.request();
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

function errorOf(response: Exclude<ParseResponse, { result: unknown }>): Error {
  if ('failure' in response) return ended(response.failure);
  if ('wrong' in response) {
    const { message, position, sqlstate } = response.wrong;
    return new SqlSyntaxError(message, position, sqlstate);
  }
  const { code, message, hint = '', sqlstate } = response.refused;
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
