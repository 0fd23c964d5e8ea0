/** Reject: the staged changes are discarded, and the session remains as a record. */
import type { Database } from '../../db/database.ts';
import { JsonText, stringifyJson } from '../../model/json.ts';
import type { Session } from '../../model/session.ts';
import { discardStaged } from '../../staging/discard.ts';
import { emit } from '../../staging/event-store.ts';
import { lockSession, requireTransition } from '../../staging/session-lock.ts';
import { getSession, isThere } from '../../staging/session-store.ts';

/** Assignments that reject a session, with the reason $2. */
export const rejecting = "status = 'rejected', rejected_at = clock_timestamp(), reason = $2";

const reject = `UPDATE stage.session SET ${rejecting}, rejected_as = $3 WHERE id = $1`;

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
      await discardStaged(tx, session.uuid);
      await tx.query(reject, [session.uuid, reason, rejectedAs]);
      const rejected = await getSession(tx, id);
      const body = new JsonText(stringifyJson({ reason }));
      const lastEvent = await emit(tx, { ...session, kind: 'rejected', by: rejectedAs, body });
      return { ...rejected, lastEvent };
    },
    'read committed',
    isThere,
  );
}
