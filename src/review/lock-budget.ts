/** The time that an approval may spend on locks of others. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from '../db/database.ts';
import { StageError } from '../errors.ts';
import { sqlstateOf } from '../staging/session-lock.ts';

/** Pauses grow from the first to the longest, and are shortened by chance: others may pause for the same reason. */
const pausesMs = { first: 20, longest: 200 };

/** Others are in the way, as production said it where the approval was applied. */
export class InTheWay extends Error {
  readonly code: string;

  constructor(sqlstate: string, message: string) {
    super(message);
    this.code = sqlstate;
  }

  /** Whether a SQLSTATE says so: of a lock that could not be had, a serialization failure, a deadlock. */
  static has(sqlstate: string | undefined): boolean {
    return sqlstate === '55P03' || sqlstate === '40001' || sqlstate === '40P01';
  }
}

/**
 * Tries again until the way is free. Between two tries nothing is held.
 * @param budgetMs for pauses and tries in vain, all together
 * @param attempt is given what is left of it
 * @throws StageError `busy` when it is used up
 */
export async function withinBudget<T>(
  budgetMs: number,
  attempt: (leftMs: number) => Promise<T>,
): Promise<T> {
  let leftMs = budgetMs;
  for (let pauseMs = pausesMs.first; ; pauseMs = Math.min(2 * pauseMs, pausesMs.longest)) {
    const begun = performance.now();
    try {
      return await attempt(leftMs);
    } catch (error) {
      if (!InTheWay.has(sqlstateOf(error))) throw error;
      const pause = pauseMs * (1 - Math.random() / 2);
      leftMs -= performance.now() - begun + pause;
      if (leftMs < 0) throw busy(error);
      await delay(pause);
    }
  }
}

/**
 * From here on in a transaction no wait for a lock is long: whoever holds rows of production and waits may be waited for, and
 * PostgreSQL ends one of two who wait for each other after deadlock_timeout. We give up before it comes to that.
 */
export async function yieldFirst(tx: Queryable): Promise<void> {
  await tx.query(
    `SELECT set_config('lock_timeout', greatest(1, setting::int / 10)::text, true) FROM pg_settings WHERE name = 'deadlock_timeout'`,
  );
}

function busy(cause: unknown): StageError {
  return new StageError('busy', `production is in use: ${(cause as Error).message}`, {
    hint: 'Nothing was applied. Other transactions hold what is to be changed: try again in a moment.',
    facts: { sqlstate: sqlstateOf(cause) ?? null },
    cause,
  });
}
