/**
 * Classifies long texts in a thread of its own, one after the other. The thread is started for the first of them, and ends when it has
 * had nothing to do for a while: what a long text has made its memory grow by goes with it.
 */
import { Worker } from 'node:worker_threads';
import { compiledProgram } from '../../compiled.ts';
import { StageError } from '../../errors.ts';
import { SqlSyntaxError } from '../parser/syntax-error.ts';
import type { Statement } from '../verdict.ts';
import type { Answer, Question } from './parse-worker.ts';

export interface ApartParser {
  /** Whether a text is long, and may wait here: what does not fit is to be parsed in place, by which its sender waits. */
  takes(text: Buffer): boolean;
  /**
   * Classifies a text as `parseQuery` does.
   * @throws SqlSyntaxError as it does; StageError `internal` when the thread has ended over it
   */
  parse(text: Buffer): Promise<readonly Statement[]>;
}

interface Waiting {
  readonly text: Buffer;
  resolve(statements: readonly Statement[]): void;
  reject(error: unknown): void;
}

/** What a text of this length takes, some 20 ms, others can wait. */
const longBytes = 32 * 1024;
const maxWaitingBytes = 64 * 1024 * 1024;
const idleMs = 30_000;

/**
 * PostgreSQL's grammar recurses, and V8's stack limit is what stops it in time: not later than in the main thread, whose limit is
 * 984 KiB. Of a thread's stack, V8 leaves 192 KiB.
 */
const resourceLimits = { stackSizeMb: 1 };

const parseWorker = compiledProgram('sql/classify/parse-worker.js');

/**
 * @param maxBytes how long a text may be to be parsed at all
 * @param program what the thread runs
 */
export function createApartParser(maxBytes?: number, program: URL = parseWorker): ApartParser {
  return new Queue(maxBytes, program);
}

class Queue implements ApartParser {
  private readonly maxBytes: number | undefined;
  private readonly program: URL;
  private readonly queue: Waiting[] = [];
  private waitingBytes = 0;
  private worker: Worker | null = null;
  private idle: NodeJS.Timeout | undefined;

  constructor(maxBytes: number | undefined, program: URL) {
    this.maxBytes = maxBytes;
    this.program = program;
  }

  takes(text: Buffer): boolean {
    return text.length > longBytes && this.waitingBytes + text.length <= maxWaitingBytes;
  }

  parse(text: Buffer): Promise<readonly Statement[]> {
    return new Promise((resolve, reject) => {
      // A copy: a packet of the client's must not be kept in memory.
      this.queue.push({ text: Buffer.from(text), resolve, reject });
      this.waitingBytes += text.length;
      if (this.queue.length === 1) this.ask();
    });
  }

  /** Hands the first text over; it stays first until it is answered. */
  private ask(): void {
    const [first] = this.queue;
    clearTimeout(this.idle);
    if (first === undefined) {
      this.idle = setTimeout(() => this.end(), idleMs).unref();
      return;
    }
    const text = new Uint8Array(first.text);
    const question: Question = { text, maxBytes: this.maxBytes };
    this.worker ??= this.start();
    this.worker.postMessage(question, [text.buffer]);
  }

  private start(): Worker {
    const worker = new Worker(this.program, { resourceLimits, execArgv: [] });
    worker.on('message', (answer: Answer) => this.answered(answer));
    worker.on('error', (error) => this.lost(worker, error));
    worker.on('exit', () => this.lost(worker, null));
    // It does not keep the process alive: who waits for it does. A listener would take that back.
    worker.unref();
    return worker;
  }

  private answered(answer: Answer): void {
    const asked = this.next();
    if (asked === undefined) return;
    if ('classified' in answer) asked.resolve(statementsOf(asked.text, answer.classified));
    else asked.reject('wrong' in answer ? syntaxError(answer.wrong) : ended(answer.failure));
    this.ask();
  }

  /** The text that it was given may be why it has ended: that one is not tried again. */
  private lost(worker: Worker, cause: unknown): void {
    if (this.worker !== worker) return;
    this.worker = null;
    this.next()?.reject(ended(cause));
    this.ask();
  }

  private next(): Waiting | undefined {
    const asked = this.queue.shift();
    this.waitingBytes -= asked?.text.length ?? 0;
    return asked;
  }

  private end(): void {
    const { worker } = this;
    this.worker = null;
    worker?.terminate();
  }
}

type Classified = Extract<Answer, { classified: unknown }>['classified'];

function statementsOf(text: Buffer, classified: Classified): readonly Statement[] {
  return classified.map(({ start, end, verdict }) => ({
    start,
    text: text.subarray(start, end),
    verdict: withBuffers(verdict),
  }));
}

/** What comes from another thread has plain arrays of bytes in the place of Buffers. */
function withBuffers<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.length) as unknown as T;
  const members = value as Record<string, unknown>;
  for (const key of Object.keys(members)) members[key] = withBuffers(members[key]);
  return value;
}

function syntaxError({ message, position, sqlstate }: SqlSyntaxErrorFields): SqlSyntaxError {
  return new SqlSyntaxError(message, position, sqlstate);
}

type SqlSyntaxErrorFields = Extract<Answer, { wrong: unknown }>['wrong'];

function ended(cause: unknown): StageError {
  return new StageError('internal', 'the statement could not be parsed', {
    hint: 'Split the statement, or send the values as an array, or by COPY.',
    cause,
  });
}
