/** Whether an approval may be given: by the policy, by four eyes, and by the votes of others; or past these, by those whom a rule names. */
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import { personOf } from '../../model/access.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Approvals, Limit } from '../../model/policy.ts';
import type { LockedSession } from '../../staging/session-lock.ts';
import type { Approving, FindPerson } from '../policy/approvals.ts';
import { countApproval, isEnough } from '../policy/approvals.ts';
import type { PolicyCheck } from '../policy/check.ts';
import { broken, demandApprovable } from '../policy/check.ts';
import type { Rule } from '../policy/document.ts';
import type { Approval } from './approval.ts';
import { demandFourEyes } from './four-eyes.ts';
import { demandMoment } from './schedule.ts';

export interface Permission {
  readonly check: PolicyCheck | null;
  /** Whether those who have a part in the session do not agree. */
  readonly fourEyes: boolean;
  /** Whether the approver goes past a rule. */
  readonly passes: (rule: Rule) => boolean;
  /** The limits that the approver went past so far. */
  readonly passed: readonly Limit[];
  /** When it is applied, in milliseconds since 1970; null for at once. */
  readonly appliesAt: number | null;
}

/**
 * Checks everything but the rows, the conflicts and the votes.
 * @throws StageError those of `demandApprovable`, `demandFourEyes` and `demandMoment`, `approver_required`
 */
export async function permit(
  tx: Queryable,
  session: LockedSession,
  approval: Approval,
  leftMs: number,
): Promise<Permission> {
  const { moment = 'now', byPolicy = null } = approval;
  const passes = passesFor(approval);
  const check = await demandApprovable(tx, session, { leftMs, moment, passes });
  if (byPolicy !== null) await demandAuto(tx, session, check, byPolicy);
  await demandMoment(tx, approval, check);
  if (approval.breakGlass != null) demandBreaker(check, approval);
  const rules = check?.rules ?? [];
  const isDemanded = rules.some((rule) => rule.four_eyes === true && !passes(rule));
  // guard: the policy can demand four eyes
  const fourEyes = approval.fourEyes === true || isDemanded;
  const { approvedAs = null, databaseRoles = [] } = approval;
  // guard: authors do not approve
  if (fourEyes) await demandFourEyes(tx, session, { approvedAs, databaseRoles });
  const passed: Limit[] =
    check !== null && broken(check, ['windows']).length > 0 ? ['windows'] : [];
  const isPassed = !fourEyes && check?.fourEyes === true;
  if (isPassed && (await hasPart(tx, session, approval))) passed.push('four_eyes');
  const appliesAt = check === null ? laterOf(moment) : check.appliesAt;
  return { check, fourEyes: fourEyes || isPassed, passes, passed, appliesAt };
}

const laterOf = (moment: Approval['moment']) => (typeof moment === 'number' ? moment : null);

/** Returns whether the approver goes past a rule: with a reason, where the rule names the person. */
function passesFor({ breakGlass = null, approvedAs = null }: Approval): (rule: Rule) => boolean {
  return ({ break_glass: people = [] }) =>
    breakGlass !== null &&
    approvedAs !== null &&
    // guard: nobody but those named goes past a rule
    people.some((who) => personOf(who) === personOf(approvedAs));
}

function demandBreaker(check: PolicyCheck | null, approval: Approval): void {
  const { approvedAs = null, only = null, moment = 'now' } = approval;
  if (only !== null || moment !== 'now')
    throw new StageError('invalid_request', 'an approval past the policy is of the whole, at once');
  if (check?.rules.some(passesFor(approval))) return;
  const who = approvedAs ?? 'nobody who shows no token';
  throw new StageError('approver_required', `no rule that holds lets ${who} go past it`, {
    hint: 'The key break_glass of a rule names those who may: stage policy show.',
  });
}

async function hasPart(
  tx: Queryable,
  session: LockedSession,
  { approvedAs = null, databaseRoles = [] }: Approval,
): Promise<boolean> {
  try {
    await demandFourEyes(tx, session, { approvedAs, databaseRoles });
    return false;
  } catch (error) {
    if (error instanceof StageError) return true;
    throw error;
  }
}

const selectScheduled = 'SELECT FROM stage.session s WHERE s.id = $1 AND s.scheduled IS NOT NULL';

/**
 * Demands that the policy itself approves a session.
 * @throws StageError `policy_refused` unless the policy of the version approves the session, and nobody has set a time for it
 */
async function demandAuto(
  tx: Queryable,
  { uuid }: LockedSession,
  check: PolicyCheck | null,
  version: number,
): Promise<void> {
  const isScheduled = (await tx.query(selectScheduled, [uuid])).length > 0;
  // guard: the policy applies nothing before the time that somebody has set
  if (isScheduled) throw notApproved('its approval is scheduled');
  // guard: the policy that approves is the one that counts
  if (check?.version === version && check.auto?.hindrance === null) return;
  throw notApproved(hindranceIn(check));
}

const notApproved = (why: string) =>
  new StageError('policy_refused', `the policy does not approve it: ${why}`);

const hindranceIn = (check: PolicyCheck | null) => check?.auto?.hindrance ?? 'it was changed';

/** An approval that is enough, with the names of all who agreed. */
export interface Agreed {
  readonly last: true;
  readonly voters: readonly string[];
  /** Why nobody, or not everybody, had to agree; null otherwise. */
  readonly grounds: JsonObject | null;
}

type Counted = Agreed | { readonly last: false; readonly approvals: Approvals };

/** Counts the approval against what the policy demands. Without a policy one is enough. */
export async function count(
  tx: Queryable,
  session: LockedSession,
  permission: Permission,
  { approval, digest }: { readonly approval: Approval; readonly digest: string },
): Promise<Counted> {
  const { check, fourEyes, passes, passed, appliesAt } = permission;
  const { byPolicy = null, breakGlass = null, due = null, approvedBy } = approval;
  if (check === null) return { last: true, voters: [], grounds: null };
  if (byPolicy !== null) return { last: true, voters: [], grounds: { policy: byPolicy } };
  const { approvedAs: as = null, findPerson: find = nobody } = approval;
  const times = { givenAt: due?.givenAt ?? null, appliedAt: appliesAt };
  const approving: Approving = { as, approvedBy, digest, fourEyes, find, ...times };
  const strict = check.rules.filter((rule) => !passes(rule));
  const outcome = await countApproval(tx, session, strict, approving);
  // guard: an approval for a later time is the last one
  if (!outcome.last && (due !== null || appliesAt !== null)) throw notYet();
  if (!outcome.last) return outcome;
  const isMet = await isEnough(tx, session, check.rules.filter(passes), approving);
  const gone: readonly Limit[] = isMet ? passed : [...passed, 'approvals'];
  // guard: an approval past the policy is marked as one
  const grounds = gone.length === 0 ? null : { break_glass: breakGlass, passed: gone };
  return { ...outcome, grounds };
}

function notYet(): StageError {
  return new StageError('policy_refused', 'others have to agree first, or votes are too old then', {
    hint: 'Approve it without a time: that is a vote. The last one who approves sets the time.',
  });
}

export function partOfSeveral(): StageError {
  return new StageError('policy_refused', 'several have to agree, and a part is approved by one', {
    hint: 'Nothing was split. Split the session, and propose both parts: then each is voted on.',
  });
}

const nobody: FindPerson = () => ({ roles: [], databaseRoles: [], refusal: null });
