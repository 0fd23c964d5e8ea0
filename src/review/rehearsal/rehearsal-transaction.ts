/** The transaction of a rehearsal: it sees one snapshot, ends in time whatever runs in it, and is always rolled back. */
import type { Database, Queryable, Row } from '../../db/database.ts';
import { LimitedQueries } from '../limited-queries.ts';

/** Code may catch its cancellation and continue. The connection is terminated this long after the limit. */
const patienceMs = 1_000;

const begin = `SELECT pg_backend_pid() AS pid, transaction_timestamp()::text AS since`;

/** Terminates the backend, unless it is in another transaction by now. */
const end = `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE a.pid = $1 AND a.xact_start = $2::timestamptz`;

/** Carries a result out of a transaction that must not commit. */
class RolledBack<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('rolled back');
    this.result = result;
  }
}

/**
 * Runs work in a transaction and rolls it back.
 * @returns the result of the work
 * @throws the errors of the work; its queries throw StageError `took_too_long` once the time is over
 */
export async function inRehearsal<T>(
  db: Database,
  limitMs: number,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  try {
    return await db.transaction(async (tx) => {
      throw new RolledBack(await withinTime(db, tx, limitMs, work));
    }, 'repeatable read');
  } catch (error) {
    if (error instanceof RolledBack) return error.result as T;
    throw error;
  }
}

/**
 * Runs work that may run code of production's triggers, for a limited time, in the current transaction. The limit on statements stays set.
 * @throws the errors of the work; its queries throw StageError `took_too_long` once the time is over
 */
export async function withinTime<T>(
  db: Database,
  tx: Queryable,
  limitMs: number,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  const limited = new LimitedQueries(tx, {
    ms: limitMs,
    // user code may change the setting
    stepMs: 0,
    message: `the rehearsal was not done after ${limitMs} ms`,
    hint: 'It changed nothing. Give it more time with rehearsal_timeout_ms in the configuration of the service.',
  });
  const [backend] = await limited.query(begin);
  // guard: a rehearsal that cannot be cancelled loses its connection
  const guard = setTimeout(() => void endBackend(db, backend), limitMs + patienceMs);
  try {
    return await work(limited);
  } finally {
    clearTimeout(guard);
  }
}

async function endBackend(db: Database, backend: Row | undefined): Promise<void> {
  const { pid = null, since = null } = backend ?? {};
  await db.query(end, [pid, since]).catch(() => undefined);
}
