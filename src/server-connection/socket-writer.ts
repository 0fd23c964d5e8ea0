/** Writes to a socket in as few pieces as possible. Adjacent slices of one chunk leave together, without being copied. */
import type { Socket } from 'node:net';

/** Up to this total size, it is cheaper to join several pieces by copying than to write them one by one. */
const copyBytes = 16_384;

/** The number of pending bytes up to which the source continues. Pausing and resuming for every chunk would cost more. */
const maxWaitingBytes = 1024 * 1024;

export class SocketWriter {
  private readonly socket: Socket;
  private readonly pieces: Buffer[] = [];
  /** The piece that may still grow: from `start` to `end` in the memory of this buffer. */
  private growing: Buffer | null = null;
  private start = 0;
  private end = 0;
  /** The last write left the socket below its high-water mark. */
  private isTaking = true;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Whether so much data is pending that the source must pause until the socket's `drain`. */
  get isFull(): boolean {
    return !this.isTaking && this.socket.writableLength > maxWaitingBytes;
  }

  /** The number of queued bytes. */
  get waiting(): number {
    let total = this.growing === null ? 0 : this.end - this.start;
    for (const piece of this.pieces) total += piece.length;
    return total;
  }

  /** Queues bytes. The caller must not write to them any more. */
  add(bytes: Buffer, start = 0, end = bytes.length): void {
    const { growing } = this;
    const from = bytes.byteOffset + start;
    const to = bytes.byteOffset + end;
    if (growing !== null) {
      if (this.end === from && growing.buffer === bytes.buffer) {
        this.end = to;
        return;
      }
      this.seal(growing);
    }
    this.growing = bytes;
    this.start = from;
    this.end = to;
  }

  /** Writes all queued bytes to the socket. */
  flush(): void {
    const { growing, pieces } = this;
    if (growing !== null) this.seal(growing);
    if (pieces.length === 0) return;
    if (pieces.length === 1) this.isTaking = this.socket.write(pieces[0] as Buffer);
    else this.writeSeveral();
    pieces.length = 0;
  }

  private seal(growing: Buffer): void {
    const { start, end } = this;
    this.growing = null;
    if (start === end) return;
    const isWhole = start === growing.byteOffset && end - start === growing.length;
    this.pieces.push(isWhole ? growing : Buffer.from(growing.buffer, start, end - start));
  }

  private writeSeveral(): void {
    let total = 0;
    for (const piece of this.pieces) total += piece.length;
    if (total <= copyBytes) {
      this.isTaking = this.socket.write(Buffer.concat(this.pieces, total));
      return;
    }
    this.socket.cork();
    for (const piece of this.pieces) this.isTaking = this.socket.write(piece);
    this.socket.uncork();
  }
}
