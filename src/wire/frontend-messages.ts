/**
 * Decodes the client messages that the proxy must understand, and builds those that it sends to the upstream itself.
 * Sync, Flush, Terminate and CopyDone have no body. CopyData, CopyFail, FunctionCall and passwords are passed on or refused undecoded.
 * When a decoder throws, the client gets an ERROR for that message. The stream itself stays in sync.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
import { serialize } from 'pg-protocol';
import { StageError } from '../errors.ts';
import { frontend } from './message-codes.ts';
import { MessageReader } from './message-reader.ts';
import { MessageWriter } from './message-writer.ts';

export interface Parse {
  /** Name of the prepared statement; empty for the unnamed one. */
  readonly name: string;
  readonly text: Buffer;
  /** Type OIDs that the client specifies; 0 lets the server infer the type. */
  readonly types: readonly number[];
}

export interface Bind {
  readonly portal: string;
  readonly statement: string;
  /** No entry (all text), one for all values, or one for each value: 0 for text, 1 for binary. */
  readonly formats: readonly number[];
  readonly values: readonly (Buffer | null)[];
  readonly resultFormats: readonly number[];
}

/** The target of a Describe or Close message. */
export interface Named {
  readonly kind: 'statement' | 'portal';
  readonly name: string;
}

export interface Execute {
  readonly portal: string;
  /** The row limit; 0 for no limit. */
  readonly maxRows: number;
}

/** Decodes the text of a Query message: UTF-8, without its terminating zero. */
export function decodeQuery(payload: Buffer): Buffer {
  const reader = new MessageReader(payload);
  return reader.end(reader.text());
}

export function decodeParse(payload: Buffer): Parse {
  const reader = new MessageReader(payload);
  const name = reader.string();
  const text = reader.text();
  const types = reader.list((each) => each.uint32());
  return reader.end({ name, text, types });
}

/** Decodes a Bind. @throws StageError `protocol_violation` also when the number of formats is not 0, 1, or the number of values */
export function decodeBind(payload: Buffer): Bind {
  const reader = new MessageReader(payload);
  const portal = reader.string();
  const statement = reader.string();
  const formats = reader.list((each) => each.uint16());
  const values = reader.list((each) => each.value());
  if (formats.length > 1 && formats.length !== values.length) {
    throw new StageError(
      'protocol_violation',
      `bind message has ${formats.length} parameter formats but ${values.length} parameters`,
    );
  }
  const resultFormats = reader.list((each) => each.uint16());
  return reader.end({ portal, statement, formats, values, resultFormats });
}

/** Decodes a Describe or a Close. */
export function decodeNamed(payload: Buffer): Named {
  const reader = new MessageReader(payload);
  const letter = String.fromCharCode(reader.byte());
  if (letter !== 'S' && letter !== 'P') {
    throw new StageError(
      'protocol_violation',
      `invalid subtype ${JSON.stringify(letter)} of Describe or Close message`,
    );
  }
  const name = reader.string();
  return reader.end({ kind: letter === 'S' ? 'statement' : 'portal', name });
}

export function decodeExecute(payload: Buffer): Execute {
  const reader = new MessageReader(payload);
  const portal = reader.string();
  // The server treats a negative limit as no limit, like 0.
  const maxRows = Math.max(0, reader.int32());
  return reader.end({ portal, maxRows });
}

/**
 * Decodes the mechanism's first message, which a client's first response to AuthenticationSASL contains. Returns null when there is none.
 */
export function decodeSaslInitialResponse(payload: Buffer): Buffer | null {
  const reader = new MessageReader(payload);
  reader.string(); // the mechanism
  return reader.end(reader.value());
}

export function queryMessage(text: string | Buffer): Buffer {
  return new MessageWriter(Buffer.byteLength(text) + 1).text(text).message(frontend.query);
}

export function parseMessage(parse: {
  name?: string;
  text: string | Buffer;
  types?: readonly number[];
}): Buffer {
  return new MessageWriter(Buffer.byteLength(parse.text) + 64)
    .text(parse.name ?? '')
    .text(parse.text)
    .list(parse.types ?? [], (writer, type) => writer.int32(type))
    .message(frontend.parse);
}

export function bindMessage(bind: Partial<Bind>): Buffer {
  return new MessageWriter()
    .text(bind.portal ?? '')
    .text(bind.statement ?? '')
    .list(bind.formats ?? [], (writer, format) => writer.int16(format))
    .list(bind.values ?? [], (writer, value) => writer.value(value))
    .list(bind.resultFormats ?? [], (writer, format) => writer.int16(format))
    .message(frontend.bind);
}

/** Returns the Bind message with the name of another statement. @param payload of the message */
export function rebindMessage(payload: Buffer, statement: string): Buffer {
  return bindMessage({ ...decodeBind(payload), statement });
}

export function executeMessage(portal = '', maxRows = 0): Buffer {
  return serialize.execute({ portal, rows: maxRows });
}

export function describeMessage({ kind, name }: Named): Buffer {
  return serialize.describe({ type: kind === 'statement' ? 'S' : 'P', name });
}

export function closeMessage({ kind, name }: Named): Buffer {
  return serialize.close({ type: kind === 'statement' ? 'S' : 'P', name });
}

export const syncMessage = serialize.sync();
export const flushMessage = serialize.flush();
export const terminateMessage = serialize.end();

export function copyFailMessage(reason: string): Buffer {
  return serialize.copyFail(reason);
}
