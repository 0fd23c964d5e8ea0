/** The review of an approval that went past the policy, by somebody else, after it was applied. */
import type { Database } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import { personOf } from '../../model/access.ts';
import type { Session } from '../../model/session.ts';
import { decide } from '../../staging/decision-store.ts';
import { isEmitted } from '../../staging/event-store.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import { lockSession } from '../../staging/session-lock.ts';
import { getSession } from '../../staging/session-store.ts';
import { demandFourEyes } from './four-eyes.ts';

export interface LateReview {
  readonly reviewedAs: string | null;
  readonly databaseRoles: readonly string[];
  readonly message: string | null;
}

/**
 * Records that somebody else has reviewed it. Repeated by the same person it returns the session.
 * @throws StageError `session_not_found`, `session_busy`, `invalid_transition`, `four_eyes_required`
 */
export async function reviewSession(
  db: Database,
  id: string,
  { reviewedAs, databaseRoles, message }: LateReview,
): Promise<Session> {
  return db.transaction(
    async (tx) => {
      const session = await lockSession(tx, id);
      const shown = await getSession(tx, id);
      if (shown.reviewDue === false && shown.reviewedAs === reviewedAs) return shown;
      // guard: only an approval past the policy is reviewed after it
      if (shown.reviewDue !== true) throw notDue(id, shown);
      // guard: the person who went past the policy does not review it
      if (isApprover(shown, reviewedAs)) throw ownApproval();
      await demandFourEyes(tx, session, { approvedAs: reviewedAs, databaseRoles }).catch(asReview);
      await decide(tx, session.uuid, 'review', reviewedAs, message === null ? {} : { message });
      return getSession(tx, id);
    },
    'read committed',
    (tx, { lastEvent }) => isEmitted(tx, lastEvent, sessionUuid(id)),
  );
}

const isApprover = ({ approvedAs }: Session, name: string | null) =>
  approvedAs === null || name === null || personOf(approvedAs) === personOf(name);

function notDue(id: string, { status, reviewedAs }: Session): StageError {
  const why = reviewedAs === null ? 'it did not go past the policy' : `${reviewedAs} reviewed it`;
  return new StageError('invalid_transition', `session ${id} needs no review: ${why}`, {
    hint: 'Comments are possible in every state: `stage comment`.',
    facts: { status },
  });
}

function ownApproval(): StageError {
  return notTheirs('whoever went past the policy does not review that');
}

/** Words the refusal of an author, or of anybody where an author is not known, for a session that is approved already. */
function asReview(error: unknown): never {
  if (!(error instanceof StageError) || error.code !== 'four_eyes_required') throw error;
  throw notTheirs('who took part in the session, or may have, does not review its approval', error);
}

function notTheirs(message: string, cause?: StageError): StageError {
  return new StageError('four_eyes_required', message, {
    hint: 'Have somebody else review it: stage session review. Where it is not known who took part it stays marked; a comment says what was found.',
    cause,
  });
}
