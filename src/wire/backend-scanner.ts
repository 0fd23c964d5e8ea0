/**
 * Scans a server's byte stream for a few message types and passes everything else on: the hot path of reads.
 * It parses headers only. Rows of any size stream through without being copied or buffered.
 * https://www.postgresql.org/docs/current/protocol-overview.html#PROTOCOL-MESSAGE-CONCEPTS
 */
import { StageError } from '../errors.ts';
import { ByteQueue, uint32At } from './byte-queue.ts';
import { backendLimits, checkHeader } from './limits.ts';
import { codeName } from './message-codes.ts';

/** Receives the content of a chunk, in order; `end` is exclusive. The bytes are shared: the receiver must not write to them. */
export interface Receiver {
  /** Receives a run of other messages. It may begin or end inside a message. */
  pass(bytes: Buffer, start: number, end: number): void;
  /** Receives one complete inspected message with its header. */
  message(bytes: Buffer, type: number, start: number, end: number): void;
}

const headerBytes = 5;
const passing = backendLimits();

export class BackendScanner {
  private readonly maxBufferedBytes: number;
  private readonly queue = new ByteQueue();
  private readonly inspected = new Uint8Array(256);
  /** The number of bytes that are missing of a passed message whose beginning the receiver has got. */
  private skip = 0;

  /** @param maxBufferedBytes the largest length of an inspected message that arrives in pieces and therefore must be buffered */
  constructor(maxBufferedBytes: number, inspected: readonly number[]) {
    this.maxBufferedBytes = maxBufferedBytes;
    this.inspect(inspected);
  }

  /** Whether the receiver's bytes end between two messages. After `scan` has thrown, true is still reliable. */
  get atBoundary(): boolean {
    return this.skip === 0;
  }

  /** Replaces the inspected types, from the next message header on. */
  inspect(types: readonly number[]): void {
    this.inspected.fill(0);
    for (const type of types) this.inspected[type] = 1;
  }

  /**
   * Scans a chunk and passes its content to the receiver. Only an incomplete header or inspected message is buffered until its rest
   * arrives.
   * @throws StageError `protocol_violation` on an unknown type, an impossible length, or an inspected message that is too long to buffer
   */
  scan(chunk: Buffer, receiver: Receiver): void {
    const { queue, inspected } = this;
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
      const isInspected = inspected[type] === 1;
      if (end > available) {
        if (isInspected) {
          this.checkBuffered(type, length);
          break;
        }
        skip = end - available;
        at = available;
        break;
      }
      if (isInspected) {
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

  private checkBuffered(type: number, length: number): void {
    if (length <= this.maxBufferedBytes) return;
    throw new StageError(
      'protocol_violation',
      `backend message ${codeName(type)} of ${length} bytes is longer than the ${this.maxBufferedBytes} allowed`,
    );
  }
}
