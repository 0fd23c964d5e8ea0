/** Snapshots that review reads from. Each has an end: while one lives, VACUUM keeps what production has outdated since. */
import type { Database, Queryable } from '../db/database.ts';
import { StageError } from '../errors.ts';
import { sqlstateOf } from '../staging/session-lock.ts';

/** With the time by which a statement under way may outlast it, none lives longer than a minute. */
const longestMs = 54_000;

/** A statement's own limit is set anew when so much of the time has passed: not for each of them. */
const stepOf = (ms: number) => ms / 10;

/**
 * Runs work in a transaction that reads from one snapshot. What the work is given can be used no longer than it runs.
 * @throws StageError `took_too_long` when the work is not done in time
 */
export async function inSnapshot<T>(
  db: Database,
  work: (tx: Queryable) => Promise<T>,
  limitMs = longestMs,
): Promise<T> {
  return db.transaction(async (tx) => {
    const limited = new LimitedQueries(tx, limitMs);
    try {
      await limited.begin();
      return await Promise.race([work(limited), limited.expired]);
    } finally {
      limited.end();
    }
  }, 'repeatable read read only');
}

class LimitedQueries implements Queryable {
  /** Is rejected when the time is over. */
  readonly expired: Promise<never>;
  readonly #tx: Queryable;
  readonly #limitMs: number;
  readonly #deadline: number;
  readonly #timer: NodeJS.Timeout;
  /** What the statements' limit was set to last. */
  #setTo = Number.POSITIVE_INFINITY;
  #ending: Error | null = null;

  constructor(tx: Queryable, limitMs: number) {
    this.#tx = tx;
    this.#limitMs = limitMs;
    this.#deadline = performance.now() + limitMs;
    let expire: (error: Error) => void = () => undefined;
    this.expired = new Promise((_, reject) => {
      expire = reject;
    });
    // nobody may be waiting for it any more
    this.expired.catch(() => undefined);
    this.#timer = setTimeout(() => {
      this.#ending = tookTooLong();
      expire(this.#ending);
    }, limitMs);
  }

  /** Has the server end it, too: this process may have stopped. A reader may pause longer than other transactions may. */
  async begin(): Promise<void> {
    await this.#tx.query(`SET LOCAL idle_in_transaction_session_timeout = ${this.#limitMs}`);
  }

  async query(text: string, values?: readonly (string | number | null)[]) {
    await this.#limitStatement();
    return this.#tx.query(text, values).catch((error: unknown) => {
      throw sqlstateOf(error) === '57014' ? tookTooLong(error) : error;
    });
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#ending ??= new Error('the snapshot was closed while it was being read');
  }

  async #limitStatement(): Promise<void> {
    if (this.#ending !== null) throw this.#ending;
    const left = Math.max(1, Math.round(this.#deadline - performance.now()));
    if (this.#setTo - left < stepOf(this.#limitMs)) return;
    this.#setTo = left;
    await this.#tx.query(`SET LOCAL statement_timeout = ${left}`);
    // the time may have been over by the answer
    if (this.#ending !== null) throw this.#ending;
  }
}

function tookTooLong(cause?: unknown): StageError {
  return new StageError('took_too_long', 'reading took longer than a snapshot may live', {
    hint: 'Read it in pages: GET /sessions/:id/diff/outline and /sessions/:id/diff/changes, as `stage diff` in a terminal does.',
    cause,
  });
}
