/**
 * Builds the messages that the proxy sends to a client in place of the server.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
import type { ErrorFields } from './error-fields.ts';
import { authentication, backend } from './message-codes.ts';
import { MessageWriter } from './message-writer.ts';

/** I: idle, T: in a transaction, E: in a failed transaction. */
export type TransactionStatus = 'I' | 'T' | 'E';

const empty = (type: number): Buffer => new MessageWriter(0).message(type);

export const parseComplete = empty(backend.parseComplete);
export const bindComplete = empty(backend.bindComplete);
export const closeComplete = empty(backend.closeComplete);
export const noData = empty(backend.noData);
export const emptyQueryResponse = empty(backend.emptyQueryResponse);
export const authenticationOk = new MessageWriter(4)
  .int32(authentication.ok)
  .message(backend.authentication);

export function readyForQuery(status: TransactionStatus): Buffer {
  return new MessageWriter(1).byte(status.charCodeAt(0)).message(backend.readyForQuery);
}

/** Builds a CommandComplete. @param tag e.g. `INSERT 0 1` */
export function commandComplete(tag: string): Buffer {
  return new MessageWriter().text(tag).message(backend.commandComplete);
}

export function parameterStatus(name: string, value: string): Buffer {
  return new MessageWriter().text(name).text(value).message(backend.parameterStatus);
}

export function backendKeyData(processId: number, secret: Buffer): Buffer {
  return new MessageWriter().int32(processId).raw(secret).message(backend.backendKeyData);
}

/** Builds the message that offers SASL mechanisms. */
export function authenticationSasl(mechanisms: readonly string[]): Buffer {
  const writer = new MessageWriter().int32(authentication.sasl);
  for (const mechanism of mechanisms) writer.text(mechanism);
  return writer.byte(0).message(backend.authentication);
}

/** Builds the response to a client that requested a newer minor version or unknown protocol options. */
export function negotiateProtocolVersion(minor: number, unknownOptions: readonly string[]): Buffer {
  const writer = new MessageWriter().int32((3 << 16) | minor).int32(unknownOptions.length);
  for (const option of unknownOptions) writer.text(option);
  return writer.message(backend.negotiateProtocolVersion);
}

export function errorResponse(fields: ErrorFields): Buffer {
  return fieldsMessage(backend.errorResponse, fields);
}

export function noticeResponse(fields: ErrorFields): Buffer {
  return fieldsMessage(backend.noticeResponse, fields);
}

function fieldsMessage(type: number, fields: ErrorFields): Buffer {
  const writer = new MessageWriter(256);
  for (const [code, value] of fields) {
    // A message may quote any text. A zero byte in it would end the field.
    writer.byte(code.charCodeAt(0)).text(value.replaceAll('\0', ''));
  }
  return writer.byte(0).message(type);
}
