/** Bytes received and not yet consumed. Copies only when a rest has to be joined to the next chunk. */

/**
 * Memory follows the bytes really received, at most twice them. Slices handed out stay valid:
 * what lies before the end of the queue is never written again.
 */
export class ByteQueue {
  private bytes: Buffer = Buffer.alloc(0);
  private start = 0;
  private end = 0;

  get length(): number {
    return this.end - this.start;
  }

  /** Takes over a chunk; the caller must not write into it any more. */
  push(chunk: Buffer): void {
    if (this.start !== this.end) {
      this.append(chunk);
      return;
    }
    this.bytes = chunk;
    this.start = 0;
    this.end = chunk.length;
  }

  /** Everything held, without consuming it. */
  peek(): Buffer {
    return this.slice(this.end);
  }

  /** The unsigned byte at an offset that the caller knows to be held. */
  byteAt(offset: number): number {
    return this.bytes[this.start + offset] as number;
  }

  /** The unsigned big-endian Int32 at an offset that the caller knows to be held. */
  uint32At(offset: number): number {
    return uint32At(this.bytes, this.start + offset);
  }

  /** Consumes so many bytes, or gives null when fewer are held. */
  take(length: number): Buffer | null {
    if (this.length < length) return null;
    const taken = this.slice(this.start + length);
    this.start += length;
    return taken;
  }

  /** Consumes so many bytes that the caller knows to be held. */
  skip(length: number): void {
    this.start += length;
  }

  /** Consumes everything. */
  drain(): Buffer {
    const rest = this.peek();
    this.start = this.end;
    return rest;
  }

  /** What is held up to an end. Most chunks are looked at whole, and a slice costs more than it seems. */
  private slice(end: number): Buffer {
    const { bytes, start } = this;
    return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
  }

  private append(chunk: Buffer): void {
    // A pushed chunk ends where the queue ends, so only memory allocated here is ever written to.
    if (this.bytes.length - this.end < chunk.length) this.grow(this.length + chunk.length);
    chunk.copy(this.bytes, this.end);
    this.end += chunk.length;
  }

  private grow(needed: number): void {
    // Not from the shared pool: small slices handed out would keep foreign bytes alive and the other way round.
    const grown = Buffer.allocUnsafeSlow(needed * 2);
    this.end = this.bytes.copy(grown, 0, this.start, this.end);
    this.start = 0;
    this.bytes = grown;
  }
}

/** The unsigned big-endian Int32 at a place that the caller knows to be inside: without the checks of Buffer's own. */
export function uint32At(bytes: Buffer, at: number): number {
  const high = ((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16);
  return (high | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>> 0;
}
