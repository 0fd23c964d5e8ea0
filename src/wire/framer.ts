/**
 * Cuts a byte stream into protocol messages, for either side of the protocol. The limits select the side.
 * https://www.postgresql.org/docs/current/protocol-overview.html#PROTOCOL-MESSAGE-CONCEPTS
 */
import { StageError } from '../errors.ts';
import { ByteQueue, uint32At } from './byte-queue.ts';
import type { Limits } from './limits.ts';
import { checkHeader } from './limits.ts';

/** One complete message. Both buffers are slices of the pushed bytes, which are copied only when chunks had to be joined. */
export interface Message {
  readonly type: number;
  /** The bytes after the length. */
  readonly payload: Buffer;
  /** The whole message with its header, ready to be passed on. */
  readonly frame: Buffer;
}

/** A message that slices its payload on access, because most messages are passed on whole. */
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

/** The limit of PostgreSQL itself for the first packet of a connection. */
const largestStartupPacket = 10_000;
const headerBytes = 5;

/** Pull framer: the caller pushes chunks and takes messages until there are none left. */
export class Framer {
  private readonly limits: Limits;
  private readonly queue = new ByteQueue();
  /** The number of bytes that are missing of a message whose beginning `passing` has returned. */
  private rest = 0;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /** The number of bytes that were received and not taken yet. */
  get buffered(): number {
    return this.queue.length;
  }

  /** Whether the rest of a partly taken message is still missing. Only `passing` takes that rest. */
  get isInside(): boolean {
    return this.rest > 0;
  }

  /** Appends a chunk and takes ownership of it: the caller must not write to it any more. */
  push(chunk: Buffer): void {
    this.queue.push(chunk);
  }

  /**
   * Takes the next complete message. Returns null when more bytes are needed.
   * @throws StageError `protocol_violation` as soon as a header is invalid, before the body arrives
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
   * Takes the received bytes of the next messages, while they are of one type, in one piece. The last message may be incomplete.
   * Returns null when the next message has another type, or nothing has arrived.
   * @param wholeOnly leaves an incomplete message in the queue
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
   * Takes the next packet without a type byte (StartupMessage and the requests before it). Returns it without its length, or null.
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

  /** Returns the received bytes without taking them. */
  peek(): Buffer {
    return this.queue.peek();
  }

  /** Returns whether a complete message of the type has arrived. Only complete messages may stand before it. */
  holds(type: number): boolean {
    const bytes = this.queue.peek();
    for (let at = 0; bytes.length - at >= headerBytes; ) {
      const end = at + 1 + uint32At(bytes, at + 1);
      if (bytes[at] === type) return end <= bytes.length;
      at = end;
    }
    return false;
  }

  /** Returns the first byte without taking it, or null. */
  peekByte(): number | null {
    return this.queue.length === 0 ? null : this.queue.byteAt(0);
  }

  /** Takes all remaining bytes, for a caller that reads the stream from here on. */
  drain(): Buffer {
    return this.queue.drain();
  }
}
