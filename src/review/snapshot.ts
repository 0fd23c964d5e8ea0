/** Snapshots that review reads from. Each has an end: while one lives, VACUUM keeps what production has outdated since. */
import type { Database, Queryable } from '../db/database.ts';
import { LimitedQueries } from './limited-queries.ts';

/** With the time by which a statement under way may outlast it, none lives longer than a minute. */
const longestMs = 54_000;

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
    const limited = new LimitedQueries(tx, {
      ms: limitMs,
      stepMs: limitMs / 10,
      message: 'reading took longer than a snapshot may live',
      hint: 'Read it in pages: GET /sessions/:id/diff/outline and /sessions/:id/diff/changes, as `stage diff` does.',
    });
    let timer: NodeJS.Timeout | undefined;
    // Work may wait for others than the server: whoever reads what it gives.
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = limited.tookTooLong();
        limited.end(error);
        reject(error);
      }, limitMs);
    });
    // nobody may be waiting for it any more
    expired.catch(() => undefined);
    try {
      // The server ends it, too: this process may have stopped. A reader may pause longer than other transactions may.
      await tx.query(`SET LOCAL idle_in_transaction_session_timeout = ${limitMs}`);
      return await Promise.race([work(limited), expired]);
    } finally {
      clearTimeout(timer);
      limited.end(new Error('the snapshot was closed while it was being read'));
    }
  }, 'repeatable read read only');
}
