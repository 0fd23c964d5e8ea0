/** Writes to a socket in as few pieces as possible: neighbouring slices of one chunk leave together, uncopied. */
import type { Socket } from 'node:net';

/** Several pieces up to this size together are cheaper to copy into one than to write one by one. */
const copyBytes = 16_384;

/** Less than this is let wait: pausing and resuming for every chunk would cost more than it saves. */
const maxWaitingBytes = 1024 * 1024;

export class Outlet {
  private readonly socket: Socket;
  private readonly pieces: Buffer[] = [];
  /** The piece that may still grow: a slice of `memory`. */
  private memory: ArrayBufferLike | null = null;
  private start = 0;
  private end = 0;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Whether so much waits to be taken that the source must pause until the socket's `drain`. */
  get isFull(): boolean {
    return this.socket.writableLength > maxWaitingBytes;
  }

  /** Queues bytes. The caller must not write into them any more. */
  add(bytes: Buffer, start = 0, end = bytes.length): void {
    const from = bytes.byteOffset + start;
    const to = bytes.byteOffset + end;
    if (this.memory === bytes.buffer && this.end === from) {
      this.end = to;
      return;
    }
    this.seal();
    this.memory = bytes.buffer;
    this.start = from;
    this.end = to;
  }

  /** Hands everything queued to the socket. */
  flush(): void {
    this.seal();
    const [first] = this.pieces;
    if (first === undefined) return;
    if (this.pieces.length === 1) this.socket.write(first);
    else this.writeSeveral();
    this.pieces.length = 0;
  }

  private seal(): void {
    if (this.memory !== null && this.end > this.start) {
      this.pieces.push(Buffer.from(this.memory, this.start, this.end - this.start));
    }
    this.memory = null;
  }

  private writeSeveral(): void {
    const total = this.pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (total <= copyBytes) {
      this.socket.write(Buffer.concat(this.pieces, total));
      return;
    }
    this.socket.cork();
    for (const piece of this.pieces) this.socket.write(piece);
    this.socket.uncork();
  }
}
