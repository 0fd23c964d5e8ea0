/** Data of a COPY that is kept to be sent once more: a little for each, and for all connections together. */

const maxBytes = 16 * 1024 * 1024;
const maxBytesTogether = 64 * 1024 * 1024;

/** What all connections keep. */
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

  /** Whether there is more than may be kept, with so many bytes more. */
  exceedsWith(more: number): boolean {
    return this.bytes + more > maxBytes || this.together.bytes + more > maxBytesTogether;
  }

  /** Whole messages, as the client sent them. */
  add(piece: Buffer): void {
    this.pieces.push(piece);
    this.bytes += piece.length;
    this.together.bytes += piece.length;
  }

  /** To be called once, when nothing of it is needed any more. */
  release(): void {
    this.together.bytes -= this.bytes;
    this.bytes = 0;
  }
}
