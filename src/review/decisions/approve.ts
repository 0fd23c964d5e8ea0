/** Approve: one transaction that locks, compares, applies, writes the audit and changes the state; or changes nothing. */
import type { Database, Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Conflict } from '../../model/conflict.ts';
import { JsonText, stringifyJson } from '../../model/json.ts';
import { decide } from '../../staging/decision-store.ts';
import { emit, isEmitted } from '../../staging/event-store.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import type { LockedSession } from '../../staging/session-lock.ts';
import { lockSession, requireTransition } from '../../staging/session-lock.ts';
import { getSession, isThere } from '../../staging/session-store.ts';
import type { RefuseOutdated } from '../current-overlays.ts';
import { onCurrentOverlays, reviewRelations } from '../current-overlays.ts';
import { digestOf } from '../diff/diff-tables.ts';
import type { Part } from '../edits/parts.ts';
import { emitSplit } from '../edits/parts.ts';
import { withinBudget, yieldFirst } from '../lock-budget.ts';
import { countPlaces } from '../place-counts.ts';
import { renewOutdated } from '../renew.ts';
import { shownDifferences } from '../trigger-differences.ts';
import type { ProductionRefusal } from './apply-failed.ts';
import { refusalError } from './apply-failed.ts';
import type { Approval, ApprovedSession } from './approval.ts';
import type { Rest } from './approve-part.ts';
import { leaveRest } from './approve-part.ts';
import type { Agreed } from './permission.ts';
import { count, partOfSeveral, permit } from './permission.ts';
import { digestMismatch, refuseConflicts, refuseLateRows } from './refusals.ts';
import { isRepeat } from './repeat.ts';
import { demandDue, schedule } from './schedule.ts';

const usualLockTimeoutMs = 2_000;

/**
 * Applies a proposed session to production, or a part of it; or records a vote where the policy demands that others agree, too. Approving
 * it again with the approved digest, or the same part with the digest of the reviewed whole, returns the approved session, so a caller that
 * lost the response can retry.
 * @throws StageError `session_not_found`, `invalid_transition`, `session_busy`, `staged_after_proposal`, `conflict_detected`,
 * `digest_mismatch`, `trigger_differences`, those of `permit` and `countApproval`, `busy` when others hold what it needs, or `apply_failed`
 * when production refused a row; for a part also `no_such_change`, `has_dependents`, `not_splittable`; NotDue as `demandDue` does. In each
 * case nothing was applied, nor split
 */
export async function approveSession(
  db: Database,
  id: string,
  approval: Approval,
): Promise<ApprovedSession> {
  if (approval.only != null) await renewOutdated(db, id);
  return withinBudget(approval.lockTimeoutMs ?? usualLockTimeoutMs, (leftMs) =>
    onCurrentOverlays(db, sessionUuid(id), (refuse) =>
      db.transaction(
        (tx) => approveLocked(tx, id, approval, { leftMs, refuse }),
        'read committed',
        async (check, done) =>
          done.approvals === undefined && done.applyAt === null
            ? isThere(check, done)
            : isEmitted(check, done.lastEvent, sessionUuid(id)),
      ),
    ),
  );
}

interface Attempt {
  /** The remaining time for locks. */
  readonly leftMs: number;
  readonly refuse: RefuseOutdated;
}

async function approveLocked(
  tx: Queryable,
  id: string,
  approval: Approval,
  { leftMs, refuse }: Attempt,
): Promise<ApprovedSession> {
  const { digest, only = null, due = null, byPolicy = null } = approval;
  const session = await lockSession(tx, id);
  if (due !== null) await demandDue(tx, session, due);
  if (byPolicy === null && isRepeat(session, digest, only)) return getSession(tx, id);
  requireTransition(session, 'approve');
  const permission = await permit(tx, session, approval, leftMs);
  await refuseLateRows(tx, session);
  await prepare(tx);
  const rest = only && (await splitReviewed(tx, session, { only, digest, refuse }));
  const ignored = await refuseConflicts(tx, session, approval, refuse);
  const current = await digestOf(tx, session.uuid);
  // guard: approval compares the digest
  if (digest !== null && digest !== current && !rest) throw digestMismatch(current);
  const counted = await count(tx, session, permission, { approval, digest: current });
  if (!counted.last) {
    // guard: a vote splits nothing
    if (rest) throw partOfSeveral();
    return { ...(await getSession(tx, id)), approvals: counted.approvals };
  }
  const { appliesAt } = permission;
  if (appliesAt !== null) return schedule(tx, session, approval, { digest: current, appliesAt });
  await lockAuditHead(tx, leftMs);
  const differences = await apply(tx, session.uuid, current, approval, counted);
  await record(tx, session, approval, { digest: current, ignored, rest, counted });
  return { ...(await getSession(tx, id)), ...differences };
}

interface Applied {
  readonly digest: string;
  readonly ignored: readonly Conflict[];
  readonly rest: Rest | null;
  readonly counted: Agreed;
}

/** Changes the state, and adds the events and the decision, as the last step. */
async function record(
  tx: Queryable,
  session: LockedSession,
  { approvedBy, approvedAs = null }: Approval,
  { digest, ignored, rest, counted }: Applied,
): Promise<void> {
  const { grounds } = counted;
  const places = ignored.map(({ table, field }) => ({ table, field }));
  const body = {
    ...{ digest, approved_by: approvedBy, ...grounds },
    ...(ignored.length > 0 ? { ignored: countPlaces(places) } : {}),
  };
  if (rest) await emitSplit(tx, session, rest, approvedAs, rest.body);
  if (grounds !== null && 'break_glass' in grounds) {
    const text = new JsonText(stringifyJson(grounds));
    await emit(tx, { ...session, kind: 'break_glass', by: approvedAs, body: text });
  }
  await decide(tx, session.uuid, 'approve', approvedAs, body);
}

interface Reviewed {
  readonly only: Part;
  readonly digest: string | null;
  readonly refuse: RefuseOutdated;
}

/** Leaves the chosen part in the session. Returns what became of the rest. @throws StageError `digest_mismatch`, those of `leaveRest` */
async function splitReviewed(
  tx: Queryable,
  session: LockedSession,
  { only, digest, refuse }: Reviewed,
): Promise<Rest | null> {
  refuse(await reviewRelations(tx, session.uuid));
  const current = await digestOf(tx, session.uuid);
  // guard: approval of a part compares the digest of the whole
  if (digest !== null && digest !== current) throw digestMismatch(current);
  return leaveRest(tx, session, only, current);
}

/** Applies the session. Returns its differences. @throws StageError `apply_failed`, `trigger_differences` */
async function apply(
  tx: Queryable,
  uuid: string,
  digest: string,
  { approvedBy, approvedAs = null, refuseDifferences = false }: Approval,
  { voters, grounds }: Agreed,
): Promise<Pick<ApprovedSession, 'differences'>> {
  const agreed = voters.length > 1 ? JSON.stringify(voters) : null;
  const reason = grounds === null ? null : stringifyJson(grounds);
  const by = [approvedBy, approvedAs, digest, String(refuseDifferences), agreed, reason];
  const [row] = await tx.query(
    `SELECT a.outcome -> 'failure' AS failure, nullif(a.outcome -> 'differences', 'null') AS differences,
       a.outcome -> 'differences' ->> 'unexpected' AS unexpected
     FROM stage.approve_session($1, $2, $3, $4, $5, $6, $7) a (outcome)`,
    [uuid, ...by],
  );
  const { failure = null, differences = null, unexpected = null } = row ?? {};
  if (failure !== null) throw refusalError(JSON.parse(failure) as ProductionRefusal);
  if (differences === null) return {};
  const shown = await shownDifferences(tx, differences);
  // guard: differences stop an approval where trigger_differences is refuse
  if (refuseDifferences && Number(unexpected) > 0) throw differs(Number(unexpected), shown);
  return { differences: shown };
}

function differs(unexpected: number, differences: JsonText): StageError {
  const values = unexpected === 1 ? '1 value differs' : `${unexpected} values differ`;
  return new StageError(
    'trigger_differences',
    `production's triggers set other values than were staged: ${values}`,
    {
      hint: 'Nothing was applied. Reopen the session and stage the rows again, or have an operator set trigger_differences: allow.',
      facts: { differences },
    },
  );
}

/** Prepares the transaction. Plans are made anew, because shadow tables grow faster than statistics and cached plans follow. */
async function prepare(tx: Queryable): Promise<void> {
  await tx.query('SET LOCAL synchronous_commit = on');
  await tx.query('DISCARD PLANS');
  await yieldFirst(tx);
}

/** Locks the audit's head. It comes last, so that an approval that waits for another one to end does not block the others meanwhile. */
async function lockAuditHead(tx: Queryable, leftMs: number): Promise<void> {
  await tx.query(`SET LOCAL lock_timeout = ${Math.max(1, Math.floor(leftMs))}`);
  await tx.query('SELECT 1 FROM stage.audit_head FOR UPDATE');
  await yieldFirst(tx);
}
