/** The transaction of a rehearsal: it sees one snapshot, ends in time whatever runs in it, and is always rolled back. */
import type { Database, Queryable, Row } from '../db/database.ts';
import { StageError } from '../errors.ts';
import { sqlstateOf } from '../staging/session-lock.ts';

/** Code may catch that it is cancelled, and go on: so long after that its connection is ended. */
const patienceMs = 1_000;

const begin = `SELECT pg_backend_pid() AS pid, transaction_timestamp()::text AS since`;

/** Whoever has the connection by then is left alone. */
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
 * @returns what the work gives
 * @throws what the work raises; its queries raise StageError `took_too_long` once the time is over
 */
export async function inRehearsal<T>(
  db: Database,
  limitMs: number,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  let guard: NodeJS.Timeout | undefined;
  try {
    return await db.transaction(async (tx) => {
      const limited = new LimitedQueries(tx, limitMs);
      const [backend] = await limited.query(begin);
      guard = setTimeout(() => void endBackend(db, backend), limitMs + patienceMs);
      throw new RolledBack(await work(limited));
    }, 'repeatable read');
  } catch (error) {
    if (error instanceof RolledBack) return error.result as T;
    throw error;
  } finally {
    clearTimeout(guard);
  }
}

async function endBackend(db: Database, backend: Row | undefined): Promise<void> {
  const { pid = null, since = null } = backend ?? {};
  await db.query(end, [pid, since]).catch(() => undefined);
}

class LimitedQueries implements Queryable {
  readonly #tx: Queryable;
  readonly #limitMs: number;
  readonly #deadline: number;

  constructor(tx: Queryable, limitMs: number) {
    this.#tx = tx;
    this.#limitMs = limitMs;
    this.#deadline = performance.now() + limitMs;
  }

  async query(text: string, values?: readonly (string | number | null)[]) {
    const left = Math.round(this.#deadline - performance.now());
    if (left <= 0) throw this.#tookTooLong();
    await this.#tx.query(`SET LOCAL statement_timeout = ${left}`);
    try {
      return await this.#tx.query(text, values);
    } catch (error) {
      // a connection that was ended says other things
      const isOver = sqlstateOf(error) === '57014' || performance.now() >= this.#deadline;
      throw isOver ? this.#tookTooLong(error) : error;
    }
  }

  #tookTooLong(cause?: unknown): StageError {
    const message = `the rehearsal was not done after ${this.#limitMs} ms`;
    return new StageError('took_too_long', message, {
      hint: 'Nothing stays of it. Give it more time with rehearsal_timeout_ms in the configuration of the service.',
      cause,
    });
  }
}
