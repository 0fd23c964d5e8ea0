/** Approvals that are applied at a later time. */
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import { decide } from '../../staging/decision-store.ts';
import type { LockedSession } from '../../staging/session-lock.ts';
import { getSession } from '../../staging/session-store.ts';
import type { PolicyCheck } from '../policy/check.ts';
import type { Approval, ApprovedSession, Due } from './approval.ts';

/** How far ahead an approval may be applied. */
const mostDays = 60;

const compareTime = `
SELECT to_timestamp($1) > clock_timestamp() AS later, to_timestamp($1) < clock_timestamp() + interval '${mostDays} days' AS soon`;

/** Checks the moment of an approval. @throws StageError `invalid_request` for a moment at which nothing can be applied */
export async function demandMoment(
  tx: Queryable,
  { moment = 'now', only = null }: Approval,
  check: PolicyCheck | null,
): Promise<void> {
  if (moment === 'now') return;
  if (only !== null) throw refused('a part of a session is approved at once');
  if (moment === 'window') {
    const isTimed = check?.rules.some(({ windows }) => windows !== undefined);
    if (!isTimed) throw refused('no rule that holds for the session has windows');
    return;
  }
  const [row] = await tx.query(compareTime, [moment / 1000]);
  // guard: a scheduled time is in the future
  if (row?.['later'] !== 't') throw refused('the time is over: leave it out to apply it at once');
  if (row['soon'] !== 't') throw refused(`the time is more than ${mostDays} days ahead`);
}

const refused = (message: string) => new StageError('invalid_request', message);

/** Records the approval of a locked session, which everything but its time allows. */
export async function schedule(
  tx: Queryable,
  { id, uuid }: LockedSession,
  { approvedBy, approvedAs = null }: Approval,
  { digest, appliesAt }: { readonly digest: string; readonly appliesAt: number },
): Promise<ApprovedSession> {
  const body = { digest, approved_by: approvedBy, apply_at: new Date(appliesAt).toISOString() };
  await decide(tx, uuid, 'schedule', approvedAs, body);
  return getSession(tx, id);
}

/** An approval that was cancelled, replaced or applied meanwhile, or whose time has not come. */
export class NotDue extends Error {}

const selectDue =
  'SELECT s.scheduled, s.apply_at <= clock_timestamp() AS due FROM stage.session s WHERE s.id = $1';

/** Checks that a locked session has the scheduled approval, and that its time has come. @throws NotDue */
export async function demandDue(
  tx: Queryable,
  { uuid }: LockedSession,
  { number }: Due,
): Promise<void> {
  const [row] = await tx.query(selectDue, [uuid]);
  // guard: a scheduled approval is applied once, and not after it was cancelled
  if (row?.['scheduled'] !== number) throw new NotDue('it is not scheduled any more');
  // guard: a scheduled approval is not applied before its time
  if (row['due'] !== 't') throw new NotDue('it is not due yet');
}
