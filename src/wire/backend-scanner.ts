/**
 * Watches a server's byte stream for a few message types while everything passes: the hot path of reads.
 * Walks over headers only; rows of any size stream through without being copied or held.
 * https://www.postgresql.org/docs/current/protocol-overview.html#PROTOCOL-MESSAGE-CONCEPTS
 */
import { StageError } from '../errors.ts';
import { ByteQueue } from './byte-queue.ts';
import { backendLimits, checkHeader } from './limits.ts';
import { codeName } from './message-codes.ts';

/** A watched message, complete: `start` and `end` (exclusive, header included) count from the start of the scan's bytes. */
export interface Found {
  readonly type: number;
  readonly start: number;
  readonly end: number;
}

export interface Scan {
  /** What may go on now, in one piece; may be empty, and may begin or end inside an unwatched message. */
  readonly bytes: Buffer;
  /** The watched messages within, in order. */
  readonly found: readonly Found[];
}

const headerBytes = 5;
const passing = backendLimits();

export class BackendScanner {
  private readonly maxHeldBytes: number;
  private readonly queue = new ByteQueue();
  private readonly watched = new Uint8Array(256);
  /** Bytes still to come of an unwatched message whose beginning has passed. */
  private skip = 0;

  /** @param maxHeldBytes how long a watched message may be that arrives in pieces and so has to be held */
  constructor(maxHeldBytes: number, watched: readonly number[]) {
    this.maxHeldBytes = maxHeldBytes;
    this.watch(watched);
  }

  /** Whether the stream stands between two messages: only then may something else take over reading it. */
  get atBoundary(): boolean {
    return this.skip === 0 && this.queue.length === 0;
  }

  /** Replaces the watched types, from the next message header on. */
  watch(types: readonly number[]): void {
    this.watched.fill(0);
    for (const type of types) this.watched[type] = 1;
  }

  /**
   * Takes a chunk, gives what may pass and where the watched messages are. Only the beginning of a watched message
   * or of a header is held back until its rest has arrived.
   * @throws StageError `protocol_violation` on an unknown type, an impossible length, or a watched message too long to hold
   */
  scan(chunk: Buffer): Scan {
    this.queue.push(chunk);
    const bytes = this.queue.peek();
    const found: Found[] = [];
    let at = Math.min(this.skip, bytes.length);
    this.skip -= at;
    while (bytes.length - at >= headerBytes) {
      const type = bytes[at] as number;
      const length = bytes.readUInt32BE(at + 1);
      checkHeader(passing, type, length);
      const end = at + 1 + length;
      const watched = this.watched[type] === 1;
      if (end > bytes.length) {
        if (watched) {
          this.checkHeld(type, length);
          break;
        }
        this.skip = end - bytes.length;
        at = bytes.length;
        break;
      }
      if (watched) found.push({ type, start: at, end });
      at = end;
    }
    return { bytes: this.queue.take(at) as Buffer, found };
  }

  private checkHeld(type: number, length: number): void {
    if (length <= this.maxHeldBytes) return;
    throw new StageError(
      'protocol_violation',
      `backend message ${codeName(type)} of ${length} bytes is longer than the ${this.maxHeldBytes} allowed`,
    );
  }
}
