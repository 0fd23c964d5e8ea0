/** Reopen: a proposed session takes writes again, because a reviewer requests changes or its author withdraws it. */
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
