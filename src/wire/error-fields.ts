/**
 * The fields of ErrorResponse and NoticeResponse.
 * https://www.postgresql.org/docs/current/protocol-error-fields.html
 */
import { StageError } from '../errors.ts';
import { MessageReader } from './message-reader.ts';

/** Field letter to text, in the order sent: S and V severity, C SQLSTATE, M message, D detail, H hint, P position ... */
export type ErrorFields = ReadonlyMap<string, string>;

export type Severity = 'FATAL' | 'ERROR' | 'WARNING' | 'NOTICE';

/** Builds the fields of an error or notice that the service itself reports. */
export function errorFields(
  severity: Severity,
  error: {
    readonly sqlstate: string;
    readonly message: string;
    readonly detail?: string | undefined;
    readonly hint?: string | undefined;
    /** The position in the client's text, in characters, from 1. */
    readonly position?: number | undefined;
  },
): ErrorFields {
  const fields = new Map([
    ['S', severity],
    ['V', severity],
    ['C', error.sqlstate],
    ['M', error.message],
  ]);
  if (error.detail !== undefined) fields.set('D', error.detail);
  if (error.hint !== undefined) fields.set('H', error.hint);
  if (error.position !== undefined) fields.set('P', String(error.position));
  return fields;
}

/**
 * Decodes the body of an ErrorResponse or NoticeResponse.
 * @throws StageError `protocol_violation` when the body is not terminated or has no SQLSTATE
 */
export function decodeErrorFields(payload: Buffer): ErrorFields {
  const reader = new MessageReader(payload);
  const fields = new Map<string, string>();
  for (let code = reader.byte(); code !== 0; code = reader.byte()) {
    fields.set(String.fromCharCode(code), reader.lossyString());
  }
  if (!/^[0-9A-Z]{5}$/.test(fields.get('C') ?? '')) {
    throw new StageError('protocol_violation', 'error or notice without a SQLSTATE');
  }
  return reader.end(fields);
}

/** Returns whether the server closes the connection after this error. */
export function endsConnection(fields: ErrorFields): boolean {
  const severity = fields.get('V') ?? fields.get('S');
  return severity === 'FATAL' || severity === 'PANIC';
}
