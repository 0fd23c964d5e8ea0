/** Reject: the staged changes are discarded, and the session remains as a record. */
import type { Database } from '../../db/database.ts';
import type { Session } from '../../model/session.ts';
import { decide } from '../../staging/decision-store.ts';
import { lockSession, requireTransition } from '../../staging/session-lock.ts';
import { getSession, isThere } from '../../staging/session-store.ts';

/**
 * Rejects a proposed session. Its mutation count remains, as the number of discarded mutations.
 * @param rejectedAs the authenticated name of the rejecting user
 * @throws StageError `session_not_found`, `session_busy` or `invalid_transition`
 */
export async function rejectSession(
  db: Database,
  id: string,
  reason: string | null,
  rejectedAs: string | null = null,
): Promise<Session> {
  return db.transaction(
    async (tx) => {
      const session = await lockSession(tx, id);
      requireTransition(session, 'reject');
      await decide(tx, session.uuid, 'reject', rejectedAs, { reason });
      return getSession(tx, id);
    },
    'read committed',
    isThere,
  );
}
