/** Reopen: a proposed session takes writes again, because a reviewer asks for changes or its author takes it back. */
import type { Database } from '../../db/database.ts';
import { JsonText, stringifyJson } from '../../model/json.ts';
import type { Session } from '../../model/session.ts';
import { emit, isEmitted } from '../../staging/event-store.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import { lockSession, requireTransition } from '../../staging/session-lock.ts';
import { getSession } from '../../staging/session-store.ts';
import { refuseLateRows } from './approve.ts';

const reopen = `
UPDATE stage.session SET status = 'active', proposed_at = NULL, proposed_as = NULL, sealed = NULL, mutation_count = NULL,
  round = greatest(round, 1), earlier_authors = earlier_authors || ARRAY[proposed_as]
WHERE id = $1`;

export interface Reopening {
  readonly message: string;
  /** The authenticated name of who reopens it. */
  readonly reopenedAs: string | null;
  /** Whether a reviewer asks for changes; its author takes it back otherwise. */
  readonly asReviewer: boolean;
}

/**
 * Gives a proposed session back to those who stage in it. What was staged stays.
 * @throws StageError `session_not_found`, `session_busy`, `invalid_transition`, or `staged_after_proposal`: rows that were
 *   smuggled in must not become rows like others
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
      // guard: only what is proposed is reopened
      requireTransition(session, 'reopen');
      // guard: rows that were smuggled in keep a session closed
      await refuseLateRows(tx, session);
      await tx.query(reopen, [session.uuid]);
      const reopened = await getSession(tx, id);
      const body = new JsonText(stringifyJson({ message, round: reopened.round }));
      const kind = asReviewer ? 'changes_requested' : 'withdrawn';
      number = await emit(tx, { ...session, kind, by: reopenedAs, body });
      return { ...reopened, lastEvent: number };
    },
    'read committed',
    (tx) => isEmitted(tx, number, sessionUuid(id)),
  );
}
