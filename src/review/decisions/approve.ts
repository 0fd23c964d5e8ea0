/** Approve: one transaction that locks, compares, applies, writes the audit and changes the state; or changes nothing. */
import type { Database, Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Conflict } from '../../model/conflict.ts';
import type { JsonText } from '../../model/json.ts';
import type { Approvals } from '../../model/policy.ts';
import type { Session } from '../../model/session.ts';
import { decide } from '../../staging/decision-store.ts';
import { isEmitted } from '../../staging/event-store.ts';
import { sessionUuid } from '../../staging/session-id.ts';
import type { LockedSession } from '../../staging/session-lock.ts';
import { lockSession, requireTransition } from '../../staging/session-lock.ts';
import { getSession, isThere } from '../../staging/session-store.ts';
import type { ConflictRules } from '../conflicts.ts';
import { conflictFacts, counts, detectConflicts, lockTouchedRows } from '../conflicts.ts';
import type { RefuseOutdated } from '../current-overlays.ts';
import { onCurrentOverlays, reviewRelations } from '../current-overlays.ts';
import { digestOf } from '../diff/diff-tables.ts';
import type { Part } from '../edits/parts.ts';
import { emitSplit } from '../edits/parts.ts';
import { withinBudget, yieldFirst } from '../lock-budget.ts';
import { countPlaces } from '../place-counts.ts';
import type { FindPerson, Outcome } from '../policy/approvals.ts';
import { countApproval } from '../policy/approvals.ts';
import type { PolicyCheck } from '../policy/check.ts';
import { demandApprovable } from '../policy/check.ts';
import { renewOutdated } from '../renew.ts';
import { shownDifferences } from '../trigger-differences.ts';
import type { ProductionRefusal } from './apply-failed.ts';
import { refusalError } from './apply-failed.ts';
import type { Rest } from './approve-part.ts';
import { leaveRest } from './approve-part.ts';
import { demandFourEyes } from './four-eyes.ts';
import { isRepeat } from './repeat.ts';

export interface Approval extends ConflictRules {
  /** The approver's name as the caller states it. */
  readonly approvedBy: string | null;
  /** The approver's name by the presented token. */
  readonly approvedAs?: string | null;
  /** The digest of the reviewed diff: anything else is not approved. */
  readonly digest: string | null;
  /** Database roles that belong to the approver, besides one with the token's name. */
  readonly databaseRoles?: readonly string[];
  /** Whether those who created or proposed the session, or staged in it, may not approve it. */
  readonly fourEyes?: boolean;
  /** Whether unexpected differences between staged rows and those that production's triggers made of them stop the approval. */
  readonly refuseDifferences?: boolean;
  /** The rows to apply; the others go to a new session. All rows by default. */
  readonly only?: Part | null;
  /** Returns what the tokens allow a person, for the policy. */
  readonly findPerson?: FindPerson;
  /** The total time that it may wait for locks of others, in milliseconds; 2,000 by default. */
  readonly lockTimeoutMs?: number;
}

export interface ApprovedSession extends Session {
  /**
   * The columns in which rows landed other than staged, as `stage.trigger_differences` returns them. Absent if there are none, and for a
   * session that was approved before.
   */
  readonly differences?: JsonText;
  /** The state of the votes, where the policy demands more of them: the session is still proposed then. */
  readonly approvals?: Approvals;
}

const usualLockTimeoutMs = 2_000;

/**
 * Applies a proposed session to production, or a part of it; or records a vote where the policy demands that others agree, too. Approving
 * it again with the approved digest, or the same part with the digest of the reviewed whole, returns the approved session, so a caller that
 * lost the response can retry.
 * @throws StageError `session_not_found`, `invalid_transition`, `session_busy`, `four_eyes_required`, `staged_after_proposal`,
 * `conflict_detected`, `digest_mismatch`, `trigger_differences`, those of `demandApprovable` and `countApproval`, `busy` when others hold
 * what it needs, or `apply_failed` when production refused a row; for a part also `no_such_change`, `has_dependents`, `not_splittable`; in
 * each case nothing was applied, nor split
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
          done.approvals === undefined
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
  const { approvedBy, approvedAs = null, digest, refuseDifferences = false } = approval;
  const { only = null } = approval;
  const session = await lockSession(tx, id);
  if (isRepeat(session, digest, only)) return getSession(tx, id);
  requireTransition(session, 'approve');
  const check = await demandApprovable(tx, session, leftMs);
  // guard: the policy can demand four eyes
  const fourEyes = approval.fourEyes === true || check?.fourEyes === true;
  const { databaseRoles = [] } = approval;
  // guard: authors do not approve
  if (fourEyes) await demandFourEyes(tx, session, { approvedAs, databaseRoles });
  await refuseLateRows(tx, session);
  await prepare(tx);
  const rest = only && (await splitReviewed(tx, session, { only, digest, refuse }));
  const ignored = await refuseConflicts(tx, session, approval, refuse);
  const current = await digestOf(tx, session.uuid);
  // guard: approval compares the digest
  if (digest !== null && digest !== current && !rest) throw digestMismatch(current);
  const counted = await count(tx, session, check, { approval, fourEyes, digest: current });
  if (!counted.last) {
    // guard: a vote splits nothing
    if (rest) throw partOfSeveral();
    return { ...(await getSession(tx, id)), approvals: counted.approvals };
  }
  await lockAuditHead(tx, leftMs);
  const by = { approvedBy, approvedAs, refuseDifferences, voters: counted.voters };
  const differences = await apply(tx, session.uuid, current, by);
  const facts = { digest: current, approved_by: approvedBy };
  const places = ignored.map(({ table, field }) => ({ table, field }));
  const body = ignored.length > 0 ? { ...facts, ignored: countPlaces(places) } : facts;
  if (rest) await emitSplit(tx, session, rest, approvedAs, rest.body);
  await decide(tx, session.uuid, 'approve', approvedAs, body);
  return { ...(await getSession(tx, id)), ...differences };
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

/** Counts the approval against what the policy demands. Without a policy one is enough. */
async function count(
  tx: Queryable,
  session: LockedSession,
  check: PolicyCheck | null,
  given: { readonly approval: Approval; readonly fourEyes: boolean; readonly digest: string },
): Promise<Outcome> {
  if (check === null) return { last: true, voters: [] };
  const { approval, fourEyes, digest } = given;
  const { approvedBy, approvedAs: as = null, findPerson: find = nobody } = approval;
  return countApproval(tx, session, check.rules, { as, approvedBy, digest, fourEyes, find });
}

function partOfSeveral(): StageError {
  return new StageError('policy_refused', 'several have to agree, and a part is approved by one', {
    hint: 'Nothing was split. Split the session, and propose both parts: then each is voted on.',
  });
}

const nobody: FindPerson = () => ({ roles: [], databaseRoles: [], refusal: null });

/** Applies the session. Returns its differences. @throws StageError `apply_failed`, `trigger_differences` */
async function apply(
  tx: Queryable,
  uuid: string,
  digest: string,
  { approvedBy, approvedAs, refuseDifferences, voters }: AppliedBy,
): Promise<Pick<ApprovedSession, 'differences'>> {
  const agreed = voters.length > 1 ? JSON.stringify(voters) : null;
  const values = [uuid, approvedBy, approvedAs, digest, String(refuseDifferences), agreed];
  const [row] = await tx.query(
    `SELECT a.outcome -> 'failure' AS failure, nullif(a.outcome -> 'differences', 'null') AS differences,
       a.outcome -> 'differences' ->> 'unexpected' AS unexpected
     FROM stage.approve_session($1, $2, $3, $4, $5, $6) a (outcome)`,
    values,
  );
  const { failure = null, differences = null, unexpected = null } = row ?? {};
  if (failure !== null) throw refusalError(JSON.parse(failure) as ProductionRefusal);
  if (differences === null) return {};
  const shown = await shownDifferences(tx, differences);
  // guard: differences stop an approval where the configuration says so
  if (refuseDifferences && Number(unexpected) > 0) throw differs(Number(unexpected), shown);
  return { differences: shown };
}

type AppliedBy = Required<Pick<Approval, 'approvedBy' | 'approvedAs' | 'refuseDifferences'>> & {
  /** The names of all who agreed. */
  readonly voters: readonly string[];
};

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

/** Makes plans fresh: shadow tables grow faster than statistics and cached plans follow. */
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

/** Refuses a session with rows that were staged after its proposal. @throws StageError `staged_after_proposal` */
export async function refuseLateRows(
  tx: Queryable,
  { uuid, sealed }: LockedSession,
): Promise<void> {
  const [row] = await tx.query('SELECT stage.staged_since($1, $2) AS late', [uuid, sealed]);
  // guard: what got into a session after its proposal is not approved
  if (row?.['late'] !== 't') return;
  throw new StageError(
    'staged_after_proposal',
    'rows were staged in the session after it was proposed: somebody went around the proxy',
    {
      hint: 'Reject the session, and check who can connect to the database directly.',
    },
  );
}

/** Returns the ignored conflicts. @throws StageError `conflict_detected` */
async function refuseConflicts(
  tx: Queryable,
  session: LockedSession,
  { ignoredColumns }: ConflictRules,
  refuse: RefuseOutdated,
): Promise<readonly Conflict[]> {
  const relations = await reviewRelations(tx, session.uuid);
  refuse(relations);
  const { uuid, conflictScope } = session;
  const lockedTables = await lockTouchedRows(tx, uuid, relations);
  const compared = { conflictScope, ignoredColumns };
  const found = await detectConflicts(tx, uuid, relations, compared, lockedTables);
  const conflicts = found.filter(counts);
  if (conflicts.length === 0) return found;
  const changed = conflicts.filter(({ reason }) => reason !== undefined);
  const reasons = changed.slice(0, 3).map(placedReason);
  const others = changed.length > 3 ? [`${changed.length - 3} more changes of tables`] : [];
  const message = ['production data changed since the session started', ...reasons, ...others];
  throw new StageError('conflict_detected', message.join('; '), {
    hint:
      changed.length === 0
        ? 'Settle them: stage reopen, stage resolve, stage propose. Or reject the session, and create a new one: it starts from production as it is now.'
        : 'Reject the session, create a new one, and stage the changes anew for the tables as they are now.',
    facts: { conflicts: conflicts.map(conflictFacts) },
  });
}

/** Describes a change of a table, with the table's name. */
function placedReason({ table, field, reason }: Conflict): string {
  return `${table}${field === null ? '' : ` ${field}`}: ${reason}`;
}

function digestMismatch(current: string): StageError {
  return new StageError('digest_mismatch', 'the diff is not the one that was reviewed', {
    hint: 'Read the diff again, and approve with its new digest.',
    facts: { digest: current },
  });
}
