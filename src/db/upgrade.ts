/** Upgrades the schema `stage` while it is in use: short attempts with growing pauses, so that nobody queues behind them for long. */
import type { Log } from '../log.ts';
import type { Database } from './database.ts';
import type { LockHolder } from './lock-holders.ts';
import { endHolder, TablesInUse } from './lock-holders.ts';
import { migrate } from './migrate.ts';

const pausesMs = { first: 1_000, longest: 10_000 };

interface UpgradeOptions {
  /** How long a transaction may block the upgrade before its connection is ended; null for no limit. */
  readonly lockTimeoutMs: number | null;
  readonly log: Log;
  /** Returns the time in milliseconds. */
  readonly now?: () => number;
}

/** The state of an upgrade that waits for locks. */
interface Wait {
  readonly error: TablesInUse;
  readonly pauseMs: number;
  /** Time of the next attempt. */
  readonly until: number;
  /** Since when each transaction has blocked the upgrade. */
  readonly since: ReadonlyMap<string, number>;
}

/**
 * Creates a function that upgrades the schema to this version. The caller repeats it until it succeeds. It throws the errors of
 * `migrate`; during a pause it throws the error of the last attempt.
 */
export function createUpgrade(options: UpgradeOptions): (db: Database) => Promise<void> {
  const { now = Date.now, lockTimeoutMs, log } = options;
  let wait: Wait | null = null;
  return async (db) => {
    // guard: a request for the state of an upgrade starts no further attempt
    if (wait !== null && now() < wait.until) throw wait.error;
    try {
      await migrate(db);
      wait = null;
    } catch (error) {
      if (error instanceof TablesInUse) {
        wait = waitFurther(wait, error, now());
        const limit = lockTimeoutMs ?? Number.POSITIVE_INFINITY;
        for (const holder of holdersSince(wait, now() - limit)) await endAndLog(db, holder, log);
      }
      throw error;
    }
  };
}

function waitFurther(before: Wait | null, error: TablesInUse, now: number): Wait {
  const pauseMs = before === null ? pausesMs.first : Math.min(2 * before.pauseMs, pausesMs.longest);
  const since = new Map(
    error.holders.map(({ transaction }) => [transaction, before?.since.get(transaction) ?? now]),
  );
  return { error, pauseMs, until: now + pauseMs, since };
}

/** Returns the holders whose transactions have blocked the upgrade at least since `time`. */
function holdersSince({ error, since }: Wait, time: number): LockHolder[] {
  return error.holders.filter(({ transaction }) => (since.get(transaction) ?? Infinity) <= time);
}

async function endAndLog(db: Database, holder: LockHolder, log: Log): Promise<void> {
  const facts = { process: holder.shown };
  try {
    await endHolder(db, holder);
    log.warn('the upgrade has ended a connection that blocked it', facts);
  } catch (error) {
    log.warn('the upgrade cannot end a connection that blocks it', {
      ...facts,
      error: (error as Error).message,
      hint: 'Grant pg_signal_backend to the service account. It does not end connections of superusers.',
    });
  }
}
