/** Expiry by the policy: rejects proposals that are older than a rule lets them be. */
import type { Database } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Session } from '../../model/session.ts';
import { decide } from '../../staging/decision-store.ts';
import { sessionIdSql } from '../../staging/session-id.ts';
import { lockSession } from '../../staging/session-lock.ts';
import { getSession, isThere } from '../../staging/session-store.ts';
import { broken, checkPolicy, described } from './check.ts';
import { durationMs } from './document.ts';
import { readPolicy } from './policy-store.ts';

/** The maximum number of sessions to reject in one run. */
const atOnce = 100;

const selectOld = `
SELECT ${sessionIdSql('s.id')} AS id FROM stage.session s
WHERE s.status = 'proposed' AND s.proposed_at < clock_timestamp() - $1 * interval '1 millisecond' ORDER BY s.proposed_at LIMIT ${atOnce}`;

/** Rejects them, each in its own transaction. Without a rule that lets proposals expire a single query is run. */
export async function expireByPolicy(db: Database): Promise<Session[]> {
  const { document } = await readPolicy(db);
  const ages = document.rules.flatMap(({ expire }) => (expire ? [durationMs(expire)] : []));
  if (ages.length === 0) return [];
  const expired: Session[] = [];
  for (const { id } of await db.query(selectOld, [Math.min(...ages)])) {
    const session = await expire(db, String(id)).catch(unlessInUse);
    if (session !== null) expired.push(session);
  }
  return expired;
}

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

function unlessInUse(error: unknown): null {
  if (error instanceof StageError && /^session_(?:busy|not_found)$/.test(error.code)) return null;
  throw error;
}
