/** Applies scheduled approvals whose time has come. Several daemons may do so at once: each approval is applied once. */
import type { Database, Row } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Session } from '../../model/session.ts';
import { decide } from '../../staging/decision-store.ts';
import { sessionIdSql } from '../../staging/session-id.ts';
import { lockSession } from '../../staging/session-lock.ts';
import type { FindPerson } from '../policy/approvals.ts';
import type { Approval, Due } from './approval.ts';
import { approveSession } from './approve.ts';
import type { Retries, Retry } from './retries.ts';
import { createRetries } from './retries.ts';
import { demandDue, NotDue } from './schedule.ts';
import { isInUse, isTransient } from './transient.ts';

/** The maximum number of approvals in one run. */
const atOnce = 100;

const selectDue = `
SELECT ${sessionIdSql('s.id')} AS id, s.project_id, d.number, d.by_as, d.by_claim, d.digest, extract(epoch FROM d.at) * 1000 AS given_at
FROM stage.session s JOIN stage.decision d ON d.number = s.scheduled
WHERE s.scheduled IS NOT NULL AND s.apply_at <= clock_timestamp() AND s.status = 'proposed'
  -- guard: an approval that fails repeatedly does not stop the others
  AND NOT $1::jsonb ? s.scheduled::text
ORDER BY s.apply_at LIMIT ${atOnce}`;

/** The needs of an approval by the service, besides the session. */
export type ServiceRules = Required<
  Pick<Approval, 'fourEyes' | 'ignoredColumns' | 'refuseDifferences' | 'lockTimeoutMs'>
> & {
  readonly find: FindPerson;
};

/** An approval that was applied; or refused, and is cancelled; or that failed, and is tried again after a pause. */
export interface ScheduledOutcome {
  readonly id: string;
  readonly applied: Session | null;
  readonly error: unknown;
  /** Null if it is not tried again. */
  readonly retry: Retry | null;
}

/** Returns the retries of approvals by the service. Those of scheduled ones go by the numbers of their decisions. */
export const serviceRetries = (clock?: () => number): Retries => createRetries(isInUse, clock);

/** Applies each in its own transaction. One that cannot be applied now is tried again after a pause; one that is refused is cancelled. */
export async function applyDue(
  db: Database,
  rules: ServiceRules,
  retries: Retries = serviceRetries(),
): Promise<ScheduledOutcome[]> {
  const outcomes: ScheduledOutcome[] = [];
  for (const row of await db.query(selectDue, [JSON.stringify(retries.paused())])) {
    const id = String(row['id']);
    const due = { number: String(row['number']), givenAt: Number(row['given_at']) };
    try {
      const applied = await apply(db, row, due, rules);
      retries.succeeded(due.number);
      outcomes.push({ id, applied, error: null, retry: null });
    } catch (error) {
      if (error instanceof NotDue || isGone(error)) continue;
      const isRefused = error instanceof StageError && !isTransient(error);
      // guard: an approval that cannot be applied does not stop the others
      if (!isRefused) {
        outcomes.push({ id, applied: null, error, retry: retries.failed(due.number, error) });
      } else if (await cancel(db, id, due, error))
        outcomes.push({ id, applied: null, error, retry: null });
    }
  }
  return outcomes;
}

async function apply(
  db: Database,
  row: Row,
  due: Due,
  { find, ...demands }: ServiceRules,
): Promise<Session> {
  const by = {
    approvedBy: row['by_claim'] ?? null,
    approvedAs: row['by_as'] ?? null,
    digest: String(row['digest']),
  };
  // guard: somebody who may not approve by now approves nothing
  const { databaseRoles } = demandStanding(find, by.approvedAs, String(row['project_id']));
  const person = { ...by, databaseRoles, findPerson: find };
  return approveSession(db, String(row['id']), { ...person, ...demands, due });
}

const isGone = (error: unknown) =>
  error instanceof StageError && error.code === 'session_not_found';

/** Returns what the approver's tokens allow now. @throws StageError `approver_required` */
function demandStanding(find: FindPerson, as: string | null, projectId: string) {
  const { roles, refusal, databaseRoles } = find(as ?? '', projectId);
  // where no token is required there are no roles, and nobody is refused
  if (refusal === null && (as !== null || roles.length === 0)) return { databaseRoles };
  throw new StageError('approver_required', `${as ?? 'nobody'} may not approve by now: ${refusal}`);
}

/** Records that a scheduled approval was refused. Returns false if it was cancelled meanwhile, or the session is in use. */
async function cancel(db: Database, id: string, due: Due, error: StageError): Promise<boolean> {
  return db.transaction(async (tx) => {
    const session = await lockSession(tx, id).catch(unlessInUse);
    if (session === null) return false;
    const isDue = await demandDue(tx, session, due).then(
      () => true,
      () => false,
    );
    // guard: an approval that was cancelled is not reported as refused
    if (!isDue) return false;
    const { code, message } = error;
    await decide(tx, session.uuid, 'unschedule', null, { error: code, message });
    return true;
  });
}

function unlessInUse(error: unknown): null {
  if (error instanceof StageError && /^session_(?:busy|not_found)$/.test(error.code)) return null;
  throw error;
}
