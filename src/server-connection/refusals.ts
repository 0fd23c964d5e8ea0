/** Errors that the proxy answers itself, and how they are put where the server's answer would stand. */
import { StageError } from '../errors.ts';
import { SqlSyntaxError } from '../sql/parser/syntax-error.ts';
import type { Refusal } from '../sql/refusal.ts';
import { errorResponse } from '../wire/backend-messages.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import { errorFields } from '../wire/error-fields.ts';
import { wireError } from './wire-error.ts';

/** The connection cannot go on: the cause is what the client is told. */
export class ConnectionFault extends Error {
  constructor(cause: StageError) {
    super(cause.message, { cause });
  }
}

/** An error of the upstream for a statement of ours: the client gets it for its own. */
export class UpstreamError extends Error {
  /** Ready for the client. */
  readonly response: Buffer;
  readonly sqlstate: string;

  constructor(fields: ErrorFields, response: Buffer) {
    super(fields.get('M') ?? 'error of the upstream');
    this.sqlstate = fields.get('C') ?? '';
    this.response = response;
  }
}

/** A message of the client's is not handled any further, because one before it in its batch has failed. */
export class Skipped extends Error {}

export function refusalError({ sqlstate, message, hint, position }: Refusal): StageError {
  return new StageError('statement_not_supported', message, { sqlstate, hint, position });
}

const aborted = errorResponse(
  errorFields('ERROR', {
    sqlstate: '25P02',
    message: 'current transaction is aborted, commands ignored until end of transaction block',
  }),
);

/** Even there a name that would be cut is told of: PostgreSQL would look for another one. */
const isNameTooLong = (error: unknown) => error instanceof StageError && error.sqlstate === '42622';

/** The ErrorResponse for anything that was thrown; in a failed transaction PostgreSQL looks at nothing but that. */
export function errorMessage(error: unknown, inFailedTransaction: boolean): Buffer {
  if (error instanceof SqlSyntaxError) return errorResponse(syntaxFields(error));
  // What the server has said, it has said in the transaction's own state.
  if (error instanceof UpstreamError) return error.response;
  if (inFailedTransaction && !isNameTooLong(error)) return aborted;
  if (isDatabaseError(error)) return errorResponse(errorFields('ERROR', databaseError(error)));
  return errorResponse(wireError('ERROR', error));
}

/** Whether an error was made for the client, and not by a fault of ours. */
export function isExpected(error: unknown): boolean {
  return (
    error instanceof StageError ||
    error instanceof SqlSyntaxError ||
    error instanceof UpstreamError ||
    error instanceof Skipped ||
    isDatabaseError(error)
  );
}

/** The SQLSTATE of anything thrown, for the metrics. */
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

/** Locks held by others, a serialization failure, a deadlock, a time limit, a lack of resources: these pass. */
const passing = /^(?:55P03|40|57|53)/;

/** An error that PostgreSQL gave the service account, e.g. a lock timeout while an overlay is rebuilt. */
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
