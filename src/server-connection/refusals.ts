/** Errors that the proxy itself reports to the client, in place of the server's response. */
import { StageError } from '../errors.ts';
import { SqlSyntaxError } from '../sql/parser/syntax-error.ts';
import type { Refusal } from '../sql/refusal.ts';
import { errorResponse } from '../wire/backend-messages.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import { errorFields } from '../wire/error-fields.ts';
import { wireError } from './wire-error.ts';

/** The connection cannot continue. The client receives the cause. */
export class ConnectionFault extends Error {
  constructor(cause: StageError) {
    super(cause.message, { cause });
  }
}

/** An upstream error of an internal statement. The client receives it as the error of its own statement. */
export class UpstreamError extends Error {
  /** The ErrorResponse for the client. */
  readonly response: Buffer;
  readonly sqlstate: string;

  constructor(fields: ErrorFields, response: Buffer) {
    super(fields.get('M') ?? 'error of the upstream');
    this.sqlstate = fields.get('C') ?? '';
    this.response = response;
  }
}

/** A message of the client is not processed further, because an earlier one in its batch has failed. */
export class Skipped extends Error {}

/** Converts a refusal to the error for the client. */
export function refusalError({ sqlstate, message, hint, position }: Refusal): StageError {
  return new StageError('statement_not_supported', message, { sqlstate, hint, position });
}

const aborted = errorResponse(
  errorFields('ERROR', {
    sqlstate: '25P02',
    message: 'current transaction is aborted, commands ignored until end of transaction block',
  }),
);

/** Too long a name is reported even in a failed transaction: PostgreSQL would truncate it and use another one. */
const isNameTooLong = (error: unknown) => error instanceof StageError && error.sqlstate === '42622';

/** Builds the ErrorResponse for anything thrown. In a failed transaction PostgreSQL reports only that failure. */
export function errorMessage(error: unknown, inFailedTransaction: boolean): Buffer {
  if (error instanceof SqlSyntaxError) return errorResponse(syntaxFields(error));
  // The server has already taken the transaction's state into account.
  if (error instanceof UpstreamError) return error.response;
  if (inFailedTransaction && !isNameTooLong(error)) return aborted;
  if (isDatabaseError(error)) return errorResponse(errorFields('ERROR', databaseError(error)));
  return errorResponse(wireError('ERROR', error));
}

/** Returns whether an error is meant for the client, and is no internal fault. */
export function isExpected(error: unknown): boolean {
  return (
    error instanceof StageError ||
    error instanceof SqlSyntaxError ||
    error instanceof UpstreamError ||
    error instanceof Skipped ||
    isDatabaseError(error)
  );
}

/** Returns the SQLSTATE of anything thrown, for the metrics. */
export function sqlstateOf(error: unknown): string {
  if (error instanceof StageError || error instanceof SqlSyntaxError) return error.sqlstate;
  if (error instanceof UpstreamError) return error.sqlstate;
  return isDatabaseError(error) ? error.code : 'XX000';
}

function syntaxFields({ sqlstate, message, position }: SqlSyntaxError): ErrorFields {
  return errorFields('ERROR', { sqlstate, message, ...(position !== null && { position }) });
}

interface DatabaseError extends Error {
  readonly code: string;
}

/** Matches transient errors: locks of others, serialization failures, deadlocks, time limits, lack of resources. */
const passing = /^(?:55P03|40|57|53)/;

/** Returns whether PostgreSQL reported the error to the service account, e.g. a lock timeout while an overlay was rebuilt. */
function isDatabaseError(error: unknown): error is DatabaseError {
  return error instanceof Error && /^[0-9A-Z]{5}$/.test((error as { code?: string }).code ?? '');
}

function databaseError({ code, message }: DatabaseError) {
  return {
    sqlstate: code,
    message: `the overlay of a table could not be made ready: ${message}`,
    hint: passing.test(code)
      ? 'Retry the statement; other transactions may be using the table.'
      : 'The service account could not create its objects for the table. `stage doctor` names the rights that it lacks, and the event triggers that may refuse it.',
  };
}
