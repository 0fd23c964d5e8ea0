/**
 * Decodes the server messages that the proxy must understand. All of them are small: rows pass without being decoded.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
import { StageError } from '../errors.ts';
import type { TransactionStatus } from './backend-messages.ts';
import { MessageReader } from './message-reader.ts';

export interface ResultColumn {
  readonly name: string;
  /** OID of the data type. */
  readonly type: number;
  /** 0 for text, 1 for binary; always 0 in the description of a statement. */
  readonly format: number;
}

export interface Key {
  readonly processId: number;
  readonly secret: Buffer;
}

/** Decodes the status of the transaction. */
export function decodeReadyForQuery(payload: Buffer): TransactionStatus {
  const reader = new MessageReader(payload);
  return reader.end(transactionStatus(reader.byte()));
}

const statuses = new Map<number, TransactionStatus>(
  (['I', 'T', 'E'] as const).map((status) => [status.charCodeAt(0), status]),
);

/** Decodes the status byte of a ReadyForQuery. @throws StageError `protocol_violation` when the byte is unknown */
export function transactionStatus(byte: number): TransactionStatus {
  const status = statuses.get(byte);
  if (status !== undefined) return status;
  const shown = JSON.stringify(String.fromCharCode(byte));
  throw new StageError('protocol_violation', `unknown transaction status ${shown}`);
}

/** Decodes the name and the value of a reported setting. */
export function decodeParameterStatus(payload: Buffer): {
  readonly name: string;
  readonly value: string;
} {
  const reader = new MessageReader(payload);
  const name = reader.lossyString();
  const value = reader.lossyString();
  return reader.end({ name, value });
}

/** Decodes the command tag, e.g. `UPDATE 3`. */
export function decodeCommandComplete(payload: Buffer): string {
  const reader = new MessageReader(payload);
  return reader.end(reader.lossyString());
}

/** Decodes the type OIDs of a prepared statement's parameters. There may be more of them than their count can tell: `$65536`. */
export function decodeParameterDescription(payload: Buffer): number[] {
  const reader = new MessageReader(payload);
  reader.uint16();
  return reader.end(Array.from({ length: reader.remaining / 4 }, () => reader.uint32()));
}

/** Decodes the names, types and formats of a result's columns. */
export function decodeRowDescription(payload: Buffer): ResultColumn[] {
  const reader = new MessageReader(payload);
  const columns = reader.list((each) => {
    const name = each.lossyString();
    each.bytes(6); // table OID and attribute number
    const type = each.uint32();
    each.bytes(6); // type size and modifier
    return { name, type, format: each.uint16() };
  });
  return reader.end(columns);
}

/** Decodes the values of one row. The proxy uses it only for the small results of its internal queries. */
export function decodeDataRow(payload: Buffer): (Buffer | null)[] {
  const reader = new MessageReader(payload);
  return reader.end(reader.list((each) => each.value()));
}

/** Decodes the key by which a client can cancel its statement. */
export function decodeBackendKeyData(payload: Buffer): Key {
  const reader = new MessageReader(payload);
  return { processId: reader.int32(), secret: reader.bytes(reader.remaining) };
}

/** Decodes the kind of an Authentication message and the data that follows it. */
export function decodeAuthentication(payload: Buffer): {
  readonly kind: number;
  readonly data: Buffer;
} {
  const reader = new MessageReader(payload);
  return { kind: reader.int32(), data: reader.bytes(reader.remaining) };
}

/** Decodes the mechanisms that an AuthenticationSASL offers. @param data the bytes after the kind */
export function decodeSaslMechanisms(data: Buffer): string[] {
  const reader = new MessageReader(data);
  const mechanisms: string[] = [];
  for (let name = reader.string(); name !== ''; name = reader.string()) mechanisms.push(name);
  return reader.end(mechanisms);
}
