/** Expiry by the policy: rejects proposals that are older than a rule lets them be. */
import type { Database } from '../../db/database.ts';
import type { Session } from '../../model/session.ts';
import { decide } from '../../staging/decision-store.ts';
import { lockSession } from '../../staging/session-lock.ts';
import { getSession, isThere } from '../../staging/session-store.ts';
import type { Retry } from '../decisions/retries.ts';
import { createRetries } from '../decisions/retries.ts';
import { isInUse } from '../decisions/transient.ts';
import { broken, checkPolicy, described } from './check.ts';
import { durationMs } from './document.ts';
import type { Proposal } from './proposals.ts';

/** The maximum number of sessions to reject in one run. */
const atOnce = 100;

/** A session that was rejected, or why it could not be. */
export interface ExpiryOutcome {
  readonly id: string;
  readonly rejected: Session | null;
  readonly error: unknown;
  /** Set if it is tried again after a pause. */
  readonly retry?: Retry;
}

/** Returns the function that rejects those of the proposals that are too old, each in its own transaction. */
export function createPolicyExpiry(
  db: Database,
): (proposals: readonly Proposal[]) => Promise<readonly ExpiryOutcome[]> {
  const retries = createRetries(isInUse);
  return async (proposals) => {
    const paused = new Set(retries.paused());
    const outcomes: ExpiryOutcome[] = [];
    const old = proposals.filter((one) => isOld(one) && !paused.has(one.key));
    for (const { id, key } of old.slice(0, atOnce)) {
      try {
        const rejected = await expire(db, id);
        if (rejected !== null) outcomes.push({ id, rejected, error: null });
      } catch (error) {
        const retry = retries.failed(key, error);
        // guard: a session that cannot be rejected does not stop the others
        outcomes.push({ id, rejected: null, error, retry });
      }
    }
    return outcomes;
  };
}

const isOld = ({ rules, now, proposedAt }: Proposal) =>
  rules.some(({ expire }) => expire !== undefined && now - proposedAt > durationMs(expire));

/** Rejects one session. Returns null if it is not proposed any more, or no rule that holds for it is broken. */
async function expire(db: Database, id: string): Promise<Session | null> {
  return db.transaction(
    async (tx) => {
      const session = await lockSession(tx, id);
      if (session.status !== 'proposed') return null;
      const check = await checkPolicy(tx, session.uuid);
      const violations = check === null ? [] : broken(check, ['expire']);
      // guard: only rules that hold for a session let it expire
      if (violations.length === 0) return null;
      const reason = `expired: ${described(violations)}`;
      await decide(tx, session.uuid, 'expire', null, { reason, was: session.status });
      return getSession(tx, id);
    },
    'read committed',
    async (tx, rejected) => rejected === null || isThere(tx, rejected),
  );
}
