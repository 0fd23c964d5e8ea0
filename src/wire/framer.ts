/**
 * Cuts a byte stream into protocol messages, for either side of the protocol (the limits say which).
 * https://www.postgresql.org/docs/current/protocol-overview.html#PROTOCOL-MESSAGE-CONCEPTS
 */
import { StageError } from '../errors.ts';
import { ByteQueue, uint32At } from './byte-queue.ts';
import type { Limits } from './limits.ts';
import { checkHeader } from './limits.ts';

/** One complete message. Both buffers are slices of what was pushed: nothing is copied unless chunks had to be joined. */
export interface Message {
  readonly type: number;
  /** Everything after the length. */
  readonly payload: Buffer;
  /** The whole message with its header, ready to be passed on. */
  readonly frame: Buffer;
}

/** Most messages are passed on whole: their payload is cut out when it is asked for. */
class Framed implements Message {
  readonly type: number;
  readonly frame: Buffer;

  constructor(type: number, frame: Buffer) {
    this.type = type;
    this.frame = frame;
  }

  get payload(): Buffer {
    return this.frame.subarray(headerBytes);
  }
}

/** What PostgreSQL itself accepts as the first packet of a connection. */
const largestStartupPacket = 10_000;
const headerBytes = 5;

/** Pull framer: push what arrives, take messages until there is none. */
export class Framer {
  private readonly limits: Limits;
  private readonly queue = new ByteQueue();
  /** Bytes still to come of a message whose beginning was taken by `passing`. */
  private rest = 0;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /** Number of bytes received and not yet taken. */
  get buffered(): number {
    return this.queue.length;
  }

  /** Whether the rest of a message taken in part is still to come: nothing but `passing` takes it. */
  get isInside(): boolean {
    return this.rest > 0;
  }

  /** Takes over a chunk; the caller must not write into it any more. */
  push(chunk: Buffer): void {
    this.queue.push(chunk);
  }

  /**
   * The next complete message, or null when more bytes are needed.
   * @throws StageError `protocol_violation` as soon as a header is wrong, before its body arrives
   */
  next(): Message | null {
    if (this.isInside || this.queue.length < headerBytes) return null;
    const type = this.queue.byteAt(0);
    const length = this.queue.uint32At(1);
    checkHeader(this.limits, type, length);
    const frame = this.queue.take(length + 1);
    return frame && new Framed(type, frame);
  }

  /**
   * What has arrived of the next messages, as far as they are of one type: in one piece, the last one perhaps only in
   * part. Null when a message of another type is next, or nothing has arrived.
   * @param wholeOnly what has arrived in part only stays
   * @throws StageError `protocol_violation` as `next` does
   */
  passing(type: number, wholeOnly = false): Buffer | null {
    const bytes = this.queue.peek();
    let at = Math.min(this.rest, bytes.length);
    this.rest -= at;
    while (bytes.length - at >= headerBytes && bytes[at] === type) {
      const length = uint32At(bytes, at + 1);
      checkHeader(this.limits, type, length);
      const end = at + 1 + length;
      if (wholeOnly && end > bytes.length) break;
      this.rest = Math.max(0, end - bytes.length);
      at = end - this.rest;
    }
    return at === 0 ? null : this.queue.take(at);
  }

  /**
   * The next packet without a type byte (StartupMessage and the requests before it), without its length, or null.
   * @throws StageError `protocol_violation` on a length outside 8 to 10000
   */
  nextStartup(): Buffer | null {
    if (this.queue.length < 4) return null;
    const length = this.queue.uint32At(0);
    // guard: a startup packet has a largest length
    if (length < 8 || length > largestStartupPacket) {
      throw new StageError('protocol_violation', 'invalid length of startup packet');
    }
    return this.queue.take(length)?.subarray(4) ?? null;
  }

  /** What has arrived and is not taken, which stays. */
  peek(): Buffer {
    return this.queue.peek();
  }

  /** Whether a whole message of the type has arrived, behind whole ones of any type. */
  holds(type: number): boolean {
    const bytes = this.queue.peek();
    for (let at = 0; bytes.length - at >= headerBytes; ) {
      const end = at + 1 + uint32At(bytes, at + 1);
      if (bytes[at] === type) return end <= bytes.length;
      at = end;
    }
    return false;
  }

  /** The first byte not yet taken, which stays, or null. */
  peekByte(): number | null {
    return this.queue.length === 0 ? null : this.queue.byteAt(0);
  }

  /** Gives the bytes not yet taken and forgets them: the stream goes on elsewhere. */
  drain(): Buffer {
    return this.queue.drain();
  }
}
