/** What the proxy's own messages say that begin transactions, change settings and fail, and how their errors are told. */
import { bindMessage } from '../wire/frontend-messages.ts';
import { deliver } from './error-mapping.ts';
import type { ErrorHandler } from './pending-response.ts';
import { ownPrefix } from './reserved-names.ts';

export const texts = {
  begin: { 'read write': 'BEGIN READ WRITE', 'read only': 'BEGIN READ ONLY' },
  access: {
    'read write': 'SET TRANSACTION READ WRITE',
    'read only': 'SET TRANSACTION READ ONLY',
  },
} as const;

/**
 * A query, unlike SET, takes the transaction's snapshot before the access changes: a SERIALIZABLE transaction that is read-only
 * when it takes its snapshot is not looked at when the anomalies of writing transactions are looked for.
 */
export const readOnly = `SELECT pg_catalog.set_config('transaction_read_only', 'on', true)`;

/** Both at once, and in letters that read the same whatever they are. */
export const pinning = `SELECT pg_catalog.set_config('standard_conforming_strings', 'on', false), pg_catalog.set_config('client_encoding', 'UTF8', false)`;

/** Where the statement itself has failed, that has been told. */
export const unlessFailed: ErrorHandler = (fields) =>
  fields.get('C') === '25P02' ? null : deliver(fields);

/** No statement has this name, so that binding it fails: the transaction with it, as by any error of the client's. */
export const failing = bindMessage({ portal: `${ownPrefix}none`, statement: `${ownPrefix}none` });
