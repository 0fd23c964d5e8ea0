/** Checks the right to lock rows. The locking clause itself is not sent, so PostgreSQL does not check it. */
import { StageError } from '../errors.ts';
import { readOf } from '../rewrite/query-planner.ts';
import type { InternalStatement } from '../server-connection/internal-statement.ts';
import type { Verdict } from '../sql/verdict.ts';
import type { ConnectionContext } from './connection-context.ts';

const lockDenied: InternalStatement = { text: 'SELECT stage.lock_denied($1)' };

/** Returns whether a statement names rows to lock, so that the server must be queried about the role's rights. */
export const needsLockCheck = ({ state }: ConnectionContext, verdict: Verdict): boolean =>
  !state.failed && relationsLocked(verdict).length > 0;

/**
 * Queries the server whether the role may lock the rows that a statement names.
 * @throws StageError with SQLSTATE 42501 if it may not
 */
export async function checkLockRights(context: ConnectionContext, verdict: Verdict): Promise<void> {
  if (!needsLockCheck(context, verdict)) return;
  const names = relationsLocked(verdict).map(({ schema, name }) => ({ schema, name }));
  const [row] = await context.query(lockDenied, [Buffer.from(JSON.stringify(names))]);
  const denied = row?.[0]?.toString();
  // guard: FOR UPDATE needs the right to UPDATE
  if (denied !== undefined) throw new StageError('forbidden', denied);
}

const relationsLocked = (verdict: Verdict) => readOf(verdict)?.lockedRelations ?? [];
