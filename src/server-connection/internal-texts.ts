/** The texts and error handlers of internal statements that begin transactions, change settings, or fail. */
import { bindMessage } from '../wire/frontend-messages.ts';
import { deliver } from './error-mapping.ts';
import type { ErrorHandler } from './pending-response.ts';
import { internalPrefix } from './reserved-names.ts';

export const texts = {
  begin: { 'read write': 'BEGIN READ WRITE', 'read only': 'BEGIN READ ONLY' },
  access: {
    'read write': 'SET TRANSACTION READ WRITE',
    'read only': 'SET TRANSACTION READ ONLY',
  },
} as const;

/**
 * A query that, unlike SET, takes the transaction's snapshot before the access changes. PostgreSQL would exclude a SERIALIZABLE transaction
 * that is read-only at its snapshot from the detection of write anomalies.
 */
export const readOnly = `SELECT pg_catalog.set_config('transaction_read_only', 'on', true)`;

/**
 * Sets both settings at once, in characters that any values of them leave unchanged. A client may call the encoding UNICODE, and is not told
 * of another name.
 */
export const pinning = `SELECT pg_catalog.set_config('standard_conforming_strings', 'on', false), pg_catalog.set_config('client_encoding',
  CASE WHEN pg_catalog.current_setting('client_encoding') OPERATOR(pg_catalog.=) 'UNICODE' THEN 'UNICODE' ELSE 'UTF8' END, false)`;

/** Suppresses the error of an already failed transaction: the client has received the error of the statement itself. */
export const unlessFailed: ErrorHandler = (fields) =>
  fields.get('C') === '25P02' ? null : deliver(fields);

/** A Bind that fails, because no statement has this name. It fails the transaction like any error of the client. */
export const failing = bindMessage({
  portal: `${internalPrefix}none`,
  statement: `${internalPrefix}none`,
});
