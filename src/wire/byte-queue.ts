/** The bytes that were received and are not consumed yet. */

/**
 * A queue of bytes. It copies only to join a rest to the next chunk, and allocates at most twice the bytes that were received.
 * Slices that it returns stay valid: bytes before the end of the queue are never overwritten.
 */
export class ByteQueue {
  private bytes: Buffer = Buffer.alloc(0);
  private start = 0;
  private end = 0;

  get length(): number {
    return this.end - this.start;
  }

  /** Appends a chunk and takes ownership of it: the caller must not write to it any more. */
  push(chunk: Buffer): void {
    if (this.start !== this.end) {
      this.append(chunk);
      return;
    }
    this.bytes = chunk;
    this.start = 0;
    this.end = chunk.length;
  }

  /** Returns all bytes without consuming them. */
  peek(): Buffer {
    return this.slice(this.end);
  }

  /** Returns the unsigned byte at an offset. The caller makes sure that the offset is inside the queue. */
  byteAt(offset: number): number {
    return this.bytes[this.start + offset] as number;
  }

  /** Returns the unsigned big-endian Int32 at an offset. The caller makes sure that all of it is inside the queue. */
  uint32At(offset: number): number {
    return uint32At(this.bytes, this.start + offset);
  }

  /** Consumes `length` bytes. Returns null when the queue has fewer. */
  take(length: number): Buffer | null {
    if (this.length < length) return null;
    const taken = this.slice(this.start + length);
    this.start += length;
    return taken;
  }

  /** Consumes `length` bytes. The caller makes sure that the queue has them. */
  skip(length: number): void {
    this.start += length;
  }

  /** Consumes and returns all bytes. */
  drain(): Buffer {
    const rest = this.peek();
    this.start = this.end;
    return rest;
  }

  /** Returns the bytes up to `end`. It avoids `subarray`, which is expensive, for the common case of a whole chunk. */
  private slice(end: number): Buffer {
    const { bytes, start } = this;
    return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
  }

  private append(chunk: Buffer): void {
    // A pushed chunk ends where the queue ends, so only memory that was allocated here is ever written to.
    if (this.bytes.length - this.end < chunk.length) this.grow(this.length + chunk.length);
    chunk.copy(this.bytes, this.end);
    this.end += chunk.length;
  }

  private grow(needed: number): void {
    // The shared pool is avoided: a small slice would keep unrelated bytes alive, and they would keep the slice alive.
    const grown = Buffer.allocUnsafeSlow(needed * 2);
    this.end = this.bytes.copy(grown, 0, this.start, this.end);
    this.start = 0;
    this.bytes = grown;
  }
}

/** Returns the unsigned big-endian Int32 at an offset, without the bounds checks of Buffer. The caller makes sure that it is inside. */
export function uint32At(bytes: Buffer, at: number): number {
  const high = ((bytes[at] as number) << 24) | ((bytes[at + 1] as number) << 16);
  return (high | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number)) >>> 0;
}
