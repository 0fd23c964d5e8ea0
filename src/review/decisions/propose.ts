/** Propose: the session becomes read-only, and its mutations are counted. */
import type { Database } from '../../db/database.ts';
import { JsonText, stringifyJson } from '../../model/json.ts';
import type { Session } from '../../model/session.ts';
import { emit } from '../../staging/event-store.ts';
import { lockSession, requireTransition } from '../../staging/session-lock.ts';
import { getSession, isThere } from '../../staging/session-store.ts';
import { demandProposable } from '../policy/check.ts';

/** Seals the session against further rows: records where its rows end, and the number of its mutations. */
const propose = `
UPDATE stage.session SET status = 'proposed', round = round + 1, proposed_as = $2, proposed_at = clock_timestamp(),
  sealed = nextval('stage.seq'), mutation_count = (SELECT count(*) FROM stage.mutation WHERE session = $1)
WHERE id = $1`;

/**
 * Submits an active session for review. Writes in flight either finish first and are counted, or find the session closed.
 * @param proposedAs the authenticated name of the proposer
 * @param message the proposer's message to the reviewer
 * @throws StageError `session_not_found`, `invalid_transition`, `session_busy` while a transaction holds staged writes, or
 * `policy_refused`
 */
export async function proposeSession(
  db: Database,
  id: string,
  proposedAs: string | null = null,
  message: string | null = null,
): Promise<Session> {
  return db.transaction(
    async (tx) => {
      const session = await lockSession(tx, id);
      requireTransition(session, 'propose');
      await demandProposable(tx, session, proposedAs);
      await tx.query(propose, [session.uuid, proposedAs]);
      const proposed = await getSession(tx, id);
      const { round, mutationCount } = proposed;
      const given = message === null ? {} : { message };
      const body = new JsonText(stringifyJson({ ...given, round, mutation_count: mutationCount }));
      const lastEvent = await emit(tx, { ...session, kind: 'proposed', by: proposedAs, body });
      return { ...proposed, lastEvent };
    },
    'read committed',
    isThere,
  );
}
