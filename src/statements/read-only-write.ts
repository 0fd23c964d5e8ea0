/**
 * Writes where nothing can be staged. In a READ ONLY transaction PostgreSQL finds what is wrong with a statement and then
 * refuses it: what would be staged is sent as a read, and the server says the same of it.
 */
import { StageError } from '../errors.ts';
import type { Rewrite } from '../rewrite/rewrite.ts';
import type { Write } from '../sql/write.ts';

/** What is thrown where the transaction has failed: the client is told PostgreSQL's 25P02. */
export const inFailedTransaction = new StageError(
  'invalid_request',
  'current transaction is aborted, commands ignored until end of transaction block',
  { sqlstate: '25P02' },
);

/**
 * In a READ ONLY transaction: the error of a write, where what would be sent in its place would not be refused in PostgreSQL's
 * words; null where the server tells it.
 */
export function readOnlyRefusal({ form }: Write, { fill }: Rewrite): StageError | null {
  if (form === 'truncate') return readOnly('TRUNCATE TABLE');
  return fill === null ? null : readOnly('MERGE');
}

function readOnly(command: string): StageError {
  const message = `cannot execute ${command} in a read-only transaction`;
  return new StageError('invalid_request', message, { sqlstate: '25006' });
}
