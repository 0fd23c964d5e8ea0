/** Expiry: rejects sessions without activity for too long, and discards what they staged. */
import type { Database, Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Session, SessionStatus } from '../../model/session.ts';
import { decide } from '../../staging/decision-store.ts';
import { sessionIdSql } from '../../staging/session-id.ts';
import { lockSession } from '../../staging/session-lock.ts';
import { getSession, isThere } from '../../staging/session-store.ts';

/** How long a session lives after its last activity, in milliseconds, by state; without a limit in a state that is left out. */
export type SessionTtls = Readonly<Partial<Record<'active' | 'proposed', number>>>;

/** The maximum number of sessions of a state to reject in one run: a service that stops waits for no more than one run. */
const atOnce = 100;

/** The condition that a session is idle. Activity is a write, a comment or a change of state. */
const isIdle = `
s.status = $1 AND s.scheduled IS NULL AND greatest(s.created_at, s.proposed_at) < clock_timestamp() - $2 * interval '1 millisecond'
AND NOT EXISTS (SELECT FROM stage.mutation m WHERE m.session = s.id AND m.executed_at >= clock_timestamp() - $2 * interval '1 millisecond')
AND NOT EXISTS (SELECT FROM stage.event e WHERE e.session = s.id AND e.at >= clock_timestamp() - $2 * interval '1 millisecond')`;

const selectIdle = `
SELECT ${sessionIdSql('s.id')} AS id FROM stage.session s WHERE ${isIdle} ORDER BY s.created_at LIMIT $3`;

const stillIdle = `SELECT FROM stage.session s WHERE ${isIdle} AND s.id = $3`;

/**
 * Rejects expired sessions, each in its own transaction, up to a hundred of each state. It skips sessions that are in use.
 * @returns the rejected sessions
 */
export async function expireSessions(db: Database, ttls: SessionTtls): Promise<Session[]> {
  const expired: Session[] = [];
  for (const status of ['active', 'proposed'] as const) {
    const ttl = ttls[status];
    if (ttl === undefined) continue;
    for (const { id } of await db.query(selectIdle, [status, ttl, atOnce])) {
      const session = await expire(db, String(id), status, ttl).catch(unlessInUse);
      if (session !== null) expired.push(session);
    }
  }
  return expired;
}

/** Rejects one session. Returns null if there has been activity since it was selected. */
async function expire(
  db: Database,
  id: string,
  status: SessionStatus,
  ttl: number,
): Promise<Session | null> {
  return db.transaction(
    async (tx) => {
      const session = await lockSession(tx, id);
      if (!(await isStillIdle(tx, session.uuid, status, ttl))) return null;
      const reason = `expired: nothing has happened for ${inWords(ttl)} while it was ${status}`;
      await decide(tx, session.uuid, 'expire', null, { reason, was: status });
      return getSession(tx, id);
    },
    'read committed',
    async (tx, rejected) => rejected === null || isThere(tx, rejected),
  );
}

async function isStillIdle(
  tx: Queryable,
  uuid: string,
  status: SessionStatus,
  ttl: number,
): Promise<boolean> {
  return (await tx.query(stillIdle, [status, ttl, uuid])).length > 0;
}

const inUse = new Set(['session_busy', 'session_not_found']);

function unlessInUse(error: unknown): null {
  if (error instanceof StageError && inUse.has(error.code)) return null;
  throw error;
}

function inWords(ms: number): string {
  const hours = Math.round(ms / 3_600_000);
  if (hours % 24 === 0 && hours > 0) return hours === 24 ? 'a day' : `${hours / 24} days`;
  return hours === 1 ? 'an hour' : `${hours} hours`;
}
