/** Finds and ends the transactions that block an upgrade by their locks on tables of the schema `stage`. */
import { StageError } from '../errors.ts';
import type { Database } from './database.ts';
import { loadSql } from './sql-file.ts';

export interface LockHolder {
  readonly pid: number;
  /** The virtual transaction id of the holder. */
  readonly transaction: string;
  /** Process id, state and age, for people. */
  readonly shown: string;
}

/** Thrown if an upgrade did not get its locks in time. */
export class TablesInUse extends StageError {
  readonly holders: readonly LockHolder[];

  constructor(holders: readonly LockHolder[], cause: unknown) {
    const shown = holders.slice(0, 5).map(({ shown }) => shown);
    super(
      'upstream_unavailable',
      `the schema stage cannot be upgraded yet, its tables are in use by process ${shown.join(', ') || 'unknown'}`,
      {
        hint: 'The service keeps trying. End a transaction that stays open: by itself, with pg_terminate_backend, or by upgrade_lock_timeout_ms.',
        cause,
      },
    );
    this.holders = holders;
  }
}

/** Returns the lock holders, longest transactions first. */
export async function lockHolders(db: Database): Promise<LockHolder[]> {
  const rows = await db.query(loadSql('lock_holders.sql'));
  return rows.map(({ pid, state, seconds, transaction }) => ({
    pid: Number(pid),
    transaction: String(transaction),
    shown: state === null ? String(pid) : `${pid} (${state}, ${seconds} s)`,
  }));
}

/** Terminates a connection unless its transaction is over. @throws PostgreSQL's 42501 if the account lacks the right */
export async function endHolder(db: Database, { pid, transaction }: LockHolder): Promise<void> {
  await db.query(
    // guard: a connection that has begun another transaction is not ended for an upgrade
    `SELECT pg_terminate_backend(l.pid) FROM pg_locks l WHERE l.locktype = 'virtualxid' AND l.granted AND l.pid = $1 AND l.virtualtransaction = $2`,
    [pid, transaction],
  );
}
