/** COPY data that is buffered to be sent again, with limits for one connection and for all connections together. */

const maxBytes = 16 * 1024 * 1024;
const maxBytesTogether = 64 * 1024 * 1024;

/** The total of all connections. */
export class KeptTogether {
  bytes = 0;
}

export class KeptData {
  private readonly together: KeptTogether;
  /** In order. */
  readonly pieces: Buffer[] = [];
  bytes = 0;

  constructor(together: KeptTogether) {
    this.together = together;
  }

  /** Whether the buffered data would exceed a limit. @param more the number of additional bytes */
  exceedsWith(more: number): boolean {
    return this.bytes + more > maxBytes || this.together.bytes + more > maxBytesTogether;
  }

  /** Adds whole messages, as the client sent them. */
  add(piece: Buffer): void {
    this.pieces.push(piece);
    this.bytes += piece.length;
    this.together.bytes += piece.length;
  }

  /** Releases the data. Call it once, when the data is no longer needed. */
  release(): void {
    this.together.bytes -= this.bytes;
    this.bytes = 0;
  }
}
