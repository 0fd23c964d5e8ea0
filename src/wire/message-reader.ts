/**
 * Reads the fields of one message body and checks every read against its end.
 * https://www.postgresql.org/docs/current/protocol-message-types.html
 */
import { isUtf8 } from 'node:buffer';
import { StageError } from '../errors.ts';
import { invalidUtf8 } from '../invalid-utf8.ts';

/** A read past the end, or a text that is not UTF-8, throws StageError `protocol_violation` with the message that the server would send. */
export class MessageReader {
  private readonly body: Buffer;
  private at = 0;

  constructor(body: Buffer) {
    this.body = body;
  }

  get remaining(): number {
    return this.body.length - this.at;
  }

  byte(): number {
    return this.body[this.skip(1)] as number;
  }

  uint16(): number {
    return this.body.readUInt16BE(this.skip(2));
  }

  int32(): number {
    return this.body.readInt32BE(this.skip(4));
  }

  uint32(): number {
    return this.body.readUInt32BE(this.skip(4));
  }

  /** Returns a slice of the body. */
  bytes(length: number): Buffer {
    const start = this.skip(length);
    return this.body.subarray(start, this.at);
  }

  /** Advances, and returns the offset from before. */
  private skip(length: number): number {
    if (length < 0 || length > this.remaining) throw malformed('insufficient data left in message');
    this.at += length;
    return this.at - length;
  }

  /** Reads a zero-terminated text as bytes. It checks for UTF-8, the encoding that every connection is pinned to. */
  text(): Buffer {
    const end = this.body.indexOf(0, this.at);
    if (end === -1) throw malformed('invalid string in message');
    const text = this.bytes(end - this.at);
    this.at += 1;
    if (!isUtf8(text)) throw malformed(invalidUtf8(text), '22021');
    return text;
  }

  /** Reads a zero-terminated text as a string. */
  string(): string {
    // Most names are empty, because they are those of unnamed statements and portals.
    if (this.body[this.at] === 0) {
      this.at += 1;
      return '';
    }
    return this.text().toString();
  }

  /** Reads a zero-terminated text in any encoding (a server may send one before the encoding is settled). */
  lossyString(): string {
    const end = this.body.indexOf(0, this.at);
    if (end === -1) throw malformed('invalid string in message');
    const text = this.bytes(end - this.at).toString();
    this.at += 1;
    return text;
  }

  /** Reads a value with its Int32 length; -1 stands for NULL. */
  value(): Buffer | null {
    const length = this.int32();
    return length === -1 ? null : this.bytes(length);
  }

  /** Reads a list of fields of one kind with its unsigned Int16 count. */
  list<T>(read: (reader: MessageReader) => T): T[] {
    const count = this.uint16();
    const items: T[] = [];
    for (let index = 0; index < count; index += 1) items.push(read(this));
    return items;
  }

  /** Checks that the whole body has been read, and returns `result`. */
  end<T>(result: T): T {
    if (this.remaining !== 0) throw malformed('invalid message format');
    return result;
  }
}

function malformed(message: string, sqlstate = '08P01'): StageError {
  return new StageError('protocol_violation', message, { sqlstate });
}
