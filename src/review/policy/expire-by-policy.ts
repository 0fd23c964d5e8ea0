/** Expiry by the policy: rejects proposals that are older than a rule lets them be. */
import type { Database } from '../../db/database.ts';
import type { Session } from '../../model/session.ts';
import { decide } from '../../staging/decision-store.ts';
import { lockSession } from '../../staging/session-lock.ts';
import { getSession, isThere } from '../../staging/session-store.ts';
import { isTransient } from '../decisions/transient.ts';
import { broken, checkPolicy, described } from './check.ts';
import { durationMs } from './document.ts';
import { readPolicy } from './policy-store.ts';
import type { Proposal } from './proposals.ts';
import { createProposals } from './proposals.ts';

/** The maximum number of sessions to reject in one run. */
const atOnce = 100;

/** A session that was rejected, or why it could not be. */
export interface ExpiryOutcome {
  readonly id: string;
  readonly rejected: Session | null;
  readonly error: unknown;
}

/** Returns the function that rejects them, each in its own transaction. Without a rule that lets proposals expire a single query is run. */
export function createPolicyExpiry(db: Database): () => Promise<readonly ExpiryOutcome[]> {
  const list = createProposals(db);
  return async () => {
    const policy = await readPolicy(db);
    if (!policy.document.rules.some(({ expire }) => expire)) return [];
    const outcomes: ExpiryOutcome[] = [];
    for (const { id } of (await list(policy)).filter(isOld).slice(0, atOnce)) {
      try {
        const rejected = await expire(db, id);
        if (rejected !== null) outcomes.push({ id, rejected, error: null });
      } catch (error) {
        // guard: a session that cannot be rejected does not keep the others
        if (!isTransient(error)) outcomes.push({ id, rejected: null, error });
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
