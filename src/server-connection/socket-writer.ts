/** Writes to a socket in as few pieces as possible: neighbouring slices of one chunk leave together, uncopied. */
import type { Socket } from 'node:net';

/** Several pieces up to this size together are cheaper to copy into one than to write one by one. */
const copyBytes = 16_384;

/** Less than this is let wait: pausing and resuming for every chunk would cost more than it saves. */
const maxWaitingBytes = 1024 * 1024;

export class SocketWriter {
  private readonly socket: Socket;
  private readonly pieces: Buffer[] = [];
  /** The piece that may still grow: from `start` to `end` in the memory of this buffer. */
  private growing: Buffer | null = null;
  private start = 0;
  private end = 0;
  /** The socket took the last write, and has little waiting. */
  private isTaking = true;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Whether so much waits to be taken that the source must pause until the socket's `drain`. */
  get isFull(): boolean {
    return !this.isTaking && this.socket.writableLength > maxWaitingBytes;
  }

  /** How many bytes are queued. */
  get waiting(): number {
    let total = this.growing === null ? 0 : this.end - this.start;
    for (const piece of this.pieces) total += piece.length;
    return total;
  }

  /** Queues bytes. The caller must not write into them any more. */
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

  /** Hands everything queued to the socket. */
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
