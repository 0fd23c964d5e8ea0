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
    return this.bytes.subarray(this.start, this.end);
  }

  /** The unsigned byte at an offset that the caller knows to be held. */
  byteAt(offset: number): number {
    return this.bytes[this.start + offset] as number;
  }

  /** The unsigned big-endian Int32 at an offset that the caller knows to be held. */
  uint32At(offset: number): number {
    return this.bytes.readUInt32BE(this.start + offset);
  }

  /** Consumes so many bytes, or gives null when fewer are held. */
  take(length: number): Buffer | null {
    if (this.length < length) return null;
    const taken = this.bytes.subarray(this.start, this.start + length);
    this.start += length;
    return taken;
  }

  /** Consumes everything. */
  drain(): Buffer {
    const rest = this.peek();
    this.start = this.end;
    return rest;
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
