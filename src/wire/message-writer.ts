/** Builds one message field by field. https://www.postgresql.org/docs/current/protocol-message-types.html */

/** The space for the type byte and the length, which are set when the message is finished. */
const headerBytes = 5;

export class MessageWriter {
  private bytes: Buffer;
  private end = headerBytes;

  /** @param expectedBytes the likely length of the body; the buffer grows when the body is longer */
  constructor(expectedBytes = 128) {
    this.bytes = Buffer.allocUnsafe(headerBytes + expectedBytes);
  }

  byte(value: number): this {
    this.reserve(1);
    this.end = this.bytes.writeUInt8(value, this.end);
    return this;
  }

  int16(value: number): this {
    this.reserve(2);
    this.end = this.bytes.writeUInt16BE(value & 0xffff, this.end);
    return this;
  }

  int32(value: number): this {
    this.reserve(4);
    this.end = this.bytes.writeInt32BE(value | 0, this.end);
    return this;
  }

  raw(value: Buffer): this {
    this.reserve(value.length);
    this.end += value.copy(this.bytes, this.end);
    return this;
  }

  /**
   * Writes a zero-terminated text.
   * @throws Error when the text contains a zero byte: the receiver would read the rest as another field
   */
  text(value: string | Buffer): this {
    const text = typeof value === 'string' ? Buffer.from(value) : value;
    if (text.includes(0)) throw new Error('a text of the protocol cannot hold a zero byte');
    return this.raw(text).byte(0);
  }

  /** Writes a value with its Int32 length; NULL has length -1. */
  value(value: Buffer | null): this {
    return value === null ? this.int32(-1) : this.int32(value.length).raw(value);
  }

  /** Writes a list of fields of one kind with its Int16 count. */
  list<T>(items: readonly T[], write: (writer: this, item: T) => void): this {
    this.int16(items.length);
    for (const item of items) write(this, item);
    return this;
  }

  /** Returns the finished message with its type byte. */
  message(type: number): Buffer {
    this.bytes.writeUInt8(type, 0);
    this.bytes.writeInt32BE(this.end - 1, 1);
    return this.bytes.subarray(0, this.end);
  }

  /** Returns the finished packet without a type byte, as in the start-up of a connection. */
  packet(): Buffer {
    this.bytes.writeInt32BE(this.end - 1, 1);
    return this.bytes.subarray(1, this.end);
  }

  private reserve(length: number): void {
    if (this.bytes.length - this.end >= length) return;
    const grown = Buffer.allocUnsafe((this.end + length) * 2);
    this.bytes.copy(grown, 0, 0, this.end);
    this.bytes = grown;
  }
}
