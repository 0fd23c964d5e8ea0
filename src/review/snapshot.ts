/**
 * Snapshots that review reads from. Each has a time limit: while one exists, VACUUM cannot remove row versions that production has replaced
 * since.
 */
import type { Database, Queryable } from '../db/database.ts';
import { LimitedQueries } from './limited-queries.ts';

/** Including the time by which a running statement may exceed the limit, no snapshot exists for more than a minute. */
const longestMs = 54_000;

/**
 * Runs work in a transaction that reads from one snapshot. The transaction cannot be used after the work has ended.
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
    // The work may wait for others than the server: for the reader of its results.
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = limited.tookTooLong();
        limited.end(error);
        reject(error);
      }, limitMs);
    });
    // no one may be waiting for this promise any more
    expired.catch(() => undefined);
    try {
      // The server also enforces the limit, in case this process has stopped. A reader may pause longer than is allowed in other
      // transactions.
      await tx.query(`SET LOCAL idle_in_transaction_session_timeout = ${limitMs}`);
      return await Promise.race([work(limited), expired]);
    } finally {
      clearTimeout(timer);
      limited.end(new Error('the snapshot was closed while it was being read'));
    }
  }, 'repeatable read read only');
}
