/** Reopen: a proposed session accepts writes again, because a reviewer requests changes or its author withdraws it. */
import type { Database } from '../../db/database.ts';
import type { Session } from '../../model/session.ts';
import { decide } from '../../staging/decision-store.ts';
import { isEmitted } from '../../staging/event-store.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import { lockSession, requireTransition } from '../../staging/session-lock.ts';
import { getSession } from '../../staging/session-store.ts';
import { refuseLateRows } from './refusals.ts';

export interface Reopening {
  readonly message: string;
  /** The authenticated name of the user who reopens it. */
  readonly reopenedAs: string | null;
  /** Whether a reviewer requests changes; otherwise its author withdraws it. */
  readonly asReviewer: boolean;
}

/**
 * Returns a proposed session to its authors. Staged rows stay.
 * @throws StageError `session_not_found`, `session_busy`, `invalid_transition`, or `staged_after_proposal`: rows that were staged past the
 * proposal must not become regular ones
 */
export async function reopenSession(
  db: Database,
  id: string,
  { message, reopenedAs, asReviewer }: Reopening,
): Promise<Session> {
  let number = '0';
  return db.transaction(
    async (tx) => {
      const session = await lockSession(tx, id);
      // guard: only a proposed session is reopened
      requireTransition(session, 'reopen');
      // guard: a session with rows that nobody staged stays closed
      await refuseLateRows(tx, session);
      const verdict = asReviewer ? 'request_changes' : 'withdraw';
      number = await decide(tx, session.uuid, verdict, reopenedAs, { message });
      return getSession(tx, id);
    },
    'read committed',
    (tx) => isEmitted(tx, number, sessionUuid(id)),
  );
}
