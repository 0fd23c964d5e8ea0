/**
 * Writes where nothing can be staged. In a READ ONLY transaction PostgreSQL finds what is wrong with a statement and then
 * refuses it: what would be staged is sent as a read, and the server says the same of it.
 */
import { StageError } from '../errors.ts';
import type { Rewrite } from '../rewrite/rewrite.ts';
import type { Write } from '../sql/verdict.ts';

/** What is thrown where the transaction has failed: the client is told PostgreSQL's 25P02. */
export const inFailedTransaction = new StageError(
  'invalid_request',
  'current transaction is aborted, commands ignored until end of transaction block',
  { sqlstate: '25P02' },
);

/**
 * To be called in a READ ONLY transaction.
 * @throws StageError where what would be sent in the statement's place would not be refused in PostgreSQL's words
 */
export function checkReadOnly({ truncate }: Write, { fill }: Rewrite): void {
  if (truncate !== null) throw readOnly('TRUNCATE TABLE');
  if (fill !== null) throw readOnly('MERGE');
}

function readOnly(command: string): StageError {
  const message = `cannot execute ${command} in a read-only transaction`;
  return new StageError('invalid_request', message, { sqlstate: '25006' });
}
