/**
 * Watches a server's byte stream for a few message types while everything passes: the hot path of reads.
 * Walks over headers only; rows of any size stream through without being copied or held.
 * https://www.postgresql.org/docs/current/protocol-overview.html#PROTOCOL-MESSAGE-CONCEPTS
 */
import { StageError } from '../errors.ts';
import { ByteQueue, uint32At } from './byte-queue.ts';
import { backendLimits, checkHeader } from './limits.ts';
import { codeName } from './message-codes.ts';

/** Is given what a chunk holds, in order; `end` is exclusive. The bytes are shared: they must not be written into. */
export interface Receiver {
  /** Unwatched messages, in one piece as far as they go; it may begin or end inside one of them. */
  pass(bytes: Buffer, start: number, end: number): void;
  /** A watched message, complete, with its header. */
  message(bytes: Buffer, type: number, start: number, end: number): void;
}

const headerBytes = 5;
const passing = backendLimits();

export class BackendScanner {
  private readonly maxHeldBytes: number;
  private readonly queue = new ByteQueue();
  private readonly watched = new Uint8Array(256);
  /** Bytes still to come of an unwatched message whose beginning the receiver has been given. */
  private skip = 0;

  /** @param maxHeldBytes how long a watched message may be that arrives in pieces and so has to be held */
  constructor(maxHeldBytes: number, watched: readonly number[]) {
    this.maxHeldBytes = maxHeldBytes;
    this.watch(watched);
  }

  /** Whether what the receiver has been given ends between two messages, also after `scan` has raised an error. */
  get atBoundary(): boolean {
    return this.skip === 0;
  }

  /** Replaces the watched types, from the next message header on. */
  watch(types: readonly number[]): void {
    this.watched.fill(0);
    for (const type of types) this.watched[type] = 1;
  }

  /**
   * Takes a chunk, and gives what it completes to the receiver. Only the beginning of a watched message or of a header is held
   * back until its rest has arrived.
   * @throws StageError `protocol_violation` on an unknown type, an impossible length, or a watched message too long to hold
   */
  scan(chunk: Buffer, receiver: Receiver): void {
    const { queue, watched } = this;
    queue.push(chunk);
    const bytes = queue.peek();
    const available = bytes.length;
    let passed = 0;
    let at = Math.min(this.skip, available);
    let skip = this.skip - at;
    while (available - at >= headerBytes) {
      const type = bytes[at] as number;
      const length = uint32At(bytes, at + 1);
      checkHeader(passing, type, length);
      const end = at + 1 + length;
      const isWatched = watched[type] === 1;
      if (end > available) {
        if (isWatched) {
          this.checkHeld(type, length);
          break;
        }
        skip = end - available;
        at = available;
        break;
      }
      if (isWatched) {
        if (passed < at) receiver.pass(bytes, passed, at);
        passed = end;
        receiver.message(bytes, type, at, end);
      }
      at = end;
    }
    if (passed < at) receiver.pass(bytes, passed, at);
    this.skip = skip;
    queue.skip(at);
  }

  private checkHeld(type: number, length: number): void {
    if (length <= this.maxHeldBytes) return;
    throw new StageError(
      'protocol_violation',
      `backend message ${codeName(type)} of ${length} bytes is longer than the ${this.maxHeldBytes} allowed`,
    );
  }
}
