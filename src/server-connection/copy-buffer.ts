/** COPY data that is buffered to be sent again, with limits for one connection and for all connections together. */

const maxBytes = 16 * 1024 * 1024;
const maxTotalBytes = 64 * 1024 * 1024;

/** The total of all connections. */
export class CopyBufferTotal {
  bytes = 0;
}

export class CopyBuffer {
  private readonly total: CopyBufferTotal;
  /** In order. */
  readonly pieces: Buffer[] = [];
  bytes = 0;

  constructor(total: CopyBufferTotal) {
    this.total = total;
  }

  /** Returns whether the buffered data would exceed a limit. @param more the number of additional bytes */
  exceedsWith(more: number): boolean {
    return this.bytes + more > maxBytes || this.total.bytes + more > maxTotalBytes;
  }

  /** Adds whole messages, as the client sent them. */
  add(piece: Buffer): void {
    this.pieces.push(piece);
    this.bytes += piece.length;
    this.total.bytes += piece.length;
  }

  /** Releases the data. Call it once, when the data is no longer needed. */
  release(): void {
    this.total.bytes -= this.bytes;
    this.bytes = 0;
  }
}
