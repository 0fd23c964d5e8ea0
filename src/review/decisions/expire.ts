/** Expiry: sessions in which nothing has happened for too long are rejected, and what they staged is discarded. */
import type { Database, Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import { JsonText, stringifyJson } from '../../model/json.ts';
import type { Session, SessionStatus } from '../../model/session.ts';
import { discardStaged } from '../../staging/discard.ts';
import { emit } from '../../staging/event-store.ts';
import { sessionIdSql } from '../../staging/session-id.ts';
import { lockSession } from '../../staging/session-lock.ts';
import { getSession, isThere } from '../../staging/session-store.ts';
import { sealing } from './propose.ts';
import { rejecting } from './reject.ts';

/** How long a session lives after the last thing that happened in it, in milliseconds; for ever in a state that is left out. */
export type SessionTtls = Readonly<Partial<Record<'active' | 'proposed', number>>>;

/** So many are rejected in one go: a service that stops waits for no more than that. */
const atOnce = 100;

/** A write, a comment or a change of state is something that happens. */
const isIdle = `
s.status = $1 AND greatest(s.created_at, s.proposed_at) < clock_timestamp() - $2 * interval '1 millisecond'
AND NOT EXISTS (SELECT FROM stage.mutation m WHERE m.session = s.id AND m.executed_at >= clock_timestamp() - $2 * interval '1 millisecond')
AND NOT EXISTS (SELECT FROM stage.event e WHERE e.session = s.id AND e.at >= clock_timestamp() - $2 * interval '1 millisecond')`;

const selectIdle = `
SELECT ${sessionIdSql('s.id')} AS id FROM stage.session s WHERE ${isIdle} ORDER BY s.created_at LIMIT $3`;

const stillIdle = `SELECT FROM stage.session s WHERE ${isIdle} AND s.id = $3`;

const reject = `UPDATE stage.session SET ${rejecting} WHERE id = $1`;

/** A rejected session is one that was proposed. */
const rejectActive = `UPDATE stage.session SET ${rejecting}, ${sealing} WHERE id = $1`;

/**
 * Rejects sessions that have expired, each in a transaction of its own, up to a hundred of each state. One that somebody works in
 * at the moment is left alone.
 * @returns those that were rejected
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

/** Gives null where something has happened since it was looked for. */
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
      await tx.query(status === 'active' ? rejectActive : reject, [session.uuid, reason]);
      await discardStaged(tx, session.uuid);
      const rejected = await getSession(tx, id);
      const body = new JsonText(stringifyJson({ reason, was: status }));
      const lastEvent = await emit(tx, { ...session, kind: 'expired', by: null, body });
      return { ...rejected, lastEvent };
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
