/** The time that an approval may spend waiting for locks of others. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from '../db/database.ts';
import { StageError } from '../errors.ts';
import { sqlstateOf } from '../staging/session-lock.ts';

/** Pauses grow from the first to the longest. Each is shortened at random, because others may pause for the same reason. */
const pausesMs = { first: 20, longest: 200 };

/** A lock conflict with other transactions, with the SQLSTATE that production reported when the approval was applied. */
export class InTheWay extends Error {
  readonly code: string;

  constructor(sqlstate: string, message: string) {
    super(message);
    this.code = sqlstate;
  }

  /** Returns whether a SQLSTATE is a lock conflict: an unavailable lock, a serialization failure, or a deadlock. */
  static has(sqlstate: string | undefined): boolean {
    return sqlstate === '55P03' || sqlstate === '40001' || sqlstate === '40P01';
  }
}

/**
 * Retries an attempt until it meets no lock conflict. It holds no locks between attempts.
 * @param budgetMs total time for pauses and failed attempts
 * @param attempt gets the remaining time
 * @throws StageError `busy` when the time is used up
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
 * Limits all further waits for locks in a transaction to a tenth of deadlock_timeout. Others may wait for a transaction that holds rows of
 * production. When two wait for each other, PostgreSQL ends one of them after deadlock_timeout. This transaction gives up first.
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
