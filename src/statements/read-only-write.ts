/**
 * Handles writes in a READ ONLY transaction, where nothing can be staged. PostgreSQL first reports the errors of a statement, and then
 * refuses it. The rewritten statement is sent as a read, and the server responds in the same way.
 */
import { StageError } from '../errors.ts';
import type { Rewrite } from '../rewrite/rewritten.ts';
import type { Write } from '../sql/write.ts';

/** The error in a failed transaction, which is PostgreSQL's 25P02. */
export const inFailedTransaction = new StageError(
  'invalid_request',
  'current transaction is aborted, commands ignored until end of transaction block',
  { sqlstate: '25P02' },
);

/**
 * Returns the error of a write in a READ ONLY transaction if PostgreSQL would not refuse the rewritten statement in the same words; null
 * if the server reports it.
 */
export function readOnlyRefusal({ form }: Write, { fill }: Rewrite): StageError | null {
  if (form === 'truncate') return readOnly('TRUNCATE TABLE');
  return fill === null ? null : readOnly('MERGE');
}

function readOnly(command: string): StageError {
  const message = `cannot execute ${command} in a read-only transaction`;
  return new StageError('invalid_request', message, { sqlstate: '25006' });
}
