/** Checks a session by the policy: at its proposal, at its approval, and on request. */
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Limit } from '../../model/policy.ts';
import type { LockedSession } from '../../staging/session-lock.ts';
import type { AutoApproval } from './auto-approval.ts';
import { autoApproval } from './auto-approval.ts';
import { lockBudgets, peopleOf, spend } from './budgets.ts';
import type { Rule } from './document.ts';
import type { Policy, SessionFacts, Verdict } from './evaluate.ts';
import { evaluate, rowsOf, rulesFor } from './evaluate.ts';
import { readFacts } from './facts.ts';
import { lockPolicy, readPolicy } from './policy-store.ts';
import { timeOf, verdictBody } from './verdict-body.ts';
import { areOpen, nextOpening } from './windows.ts';

/** The result for one session. */
export interface PolicyCheck {
  /** The version of the policy. */
  readonly version: number;
  readonly rules: readonly Rule[];
  readonly verdicts: readonly Verdict[];
  readonly facts: SessionFacts;
  /** Whether its authors may not approve it. */
  readonly fourEyes: boolean;
  /** The verdict of the rules about its approval by the policy; null if none approves anything. */
  readonly auto: AutoApproval | null;
  /** When it would be applied, in milliseconds since 1970; null for at once. */
  readonly appliesAt: number | null;
}

/** When an approval is applied: at once, at a time in milliseconds since 1970, or as soon as all windows are open. */
export type Moment = 'now' | 'window' | number;

/** The circumstances of an approval. */
export interface Circumstances {
  /** The longest wait for a policy that is being set, in milliseconds. */
  readonly leftMs: number;
  readonly moment: Moment;
  /** Whether the approver may go past the windows of a rule. */
  readonly passes: (rule: Rule) => boolean;
}

/** The limits that concern what was staged: they can be checked before anybody reviews it. */
const ofRows: readonly Limit[] = ['deny', 'deny_columns', 'max_rows', 'max_rows_per_statement'];

/** Checks a session by the newest policy, as if it were approved now; null if that has no rules. */
export async function checkPolicy(tx: Queryable, uuid: string): Promise<PolicyCheck | null> {
  return checkBy(tx, uuid, await readPolicy(tx));
}

async function checkBy(
  tx: Queryable,
  uuid: string,
  policy: Policy,
  moment: Moment = 'now',
  proposer: string | null = null,
): Promise<PolicyCheck | null> {
  if (policy.document.rules.length === 0) return null;
  const present = await readFacts(tx, uuid, policy, proposer);
  const rules = rulesFor(policy, present);
  // guard: a scheduled approval is checked for its time
  const facts = { ...present, now: timeOfMoment(moment, rules, present.now) };
  const verdicts = evaluate(policy, facts);
  const fourEyes = rules.some((rule) => rule.four_eyes === true);
  const auto = autoApproval(policy, rules, facts);
  const appliesAt = facts.now === present.now ? null : facts.now;
  return { version: policy.version, rules, verdicts, facts, fourEyes, auto, appliesAt };
}

/** Returns the time at which an approval is applied; the present time if no window ever opens. */
function timeOfMoment(moment: Moment, rules: readonly Rule[], now: number): number {
  if (typeof moment === 'number') return moment;
  const lists = rules.flatMap(({ windows }) => (windows === undefined ? [] : [windows]));
  if (moment === 'now' || areOpen(lists, now)) return now;
  return nextOpening(lists, now) ?? now;
}

/**
 * Refuses the proposal of a session that the policy would not let pass with the rows that it has. Otherwise counts these rows in the
 * budgets of its authors, if there are budgets.
 * @param proposer the authenticated name of the proposer: the rows count as theirs, and as those of each author
 * @throws StageError `policy_refused`
 */
export async function demandProposable(
  tx: Queryable,
  { uuid, authors }: LockedSession,
  proposer: string | null,
): Promise<void> {
  const policy = await readPolicy(tx);
  const hasBudgets = policy.document.rules.some(({ budget }) => budget !== undefined);
  const people = peopleOf([...authors, proposer]);
  if (hasBudgets) await lockBudgets(tx, people);
  const check = await checkBy(tx, uuid, policy, 'now', proposer);
  if (check === null) return;
  // guard: changes that the policy denies are not proposed
  refuseRows(check);
  // guard: nobody proposes more in a day than the policy allows
  refuseSpent(check);
  if (hasBudgets) await spend(tx, uuid, people, rowsOf(check.facts.tables));
}

/**
 * Checks a session that is being approved, by its rows under the transaction's locks and by a policy that stays until the transaction ends.
 * @returns null if the policy has no rules
 * @throws StageError `policy_refused`, `proposal_expired`, `outside_window`, `busy` if a policy is being set
 */
export async function demandApprovable(
  tx: Queryable,
  { uuid, id }: LockedSession,
  { leftMs, moment, passes }: Circumstances,
): Promise<PolicyCheck | null> {
  const check = await checkBy(tx, uuid, await lockPolicy(tx, leftMs), moment);
  if (check === null) return null;
  // guard: changes that the policy denies are not approved
  refuseRows(check);
  // guard: an old proposal is not approved
  refuseExpired(check, id);
  // guard: nothing is approved outside of the windows
  refuseOutside(check, passes);
  return check;
}

/** Returns the verdicts on some limits that refuse a session. */
export function broken({ verdicts }: PolicyCheck, limits: readonly Limit[]): readonly Verdict[] {
  return verdicts.filter(({ holds, limit }) => !holds && limits.includes(limit));
}

function refuseRows(check: PolicyCheck): void {
  const violations = broken(check, ofRows);
  if (violations.length === 0) return;
  throw new StageError(
    'policy_refused',
    `the policy does not let it pass: ${described(violations)}`,
    {
      hint: 'Take the rows out: stage unstage (after stage reopen, if it is proposed). Or have an operator change the rule: stage policy show.',
      facts: { violations: violations.map(verdictBody) },
    },
  );
}

function refuseSpent(check: PolicyCheck): void {
  const violations = broken(check, ['budget']);
  if (violations.length === 0) return;
  throw new StageError('policy_refused', `the budget is spent: ${described(violations)}`, {
    hint: 'Propose it tomorrow, or fewer rows today: stage session split. Or have an operator change the rule: stage policy show.',
    facts: { violations: violations.map(verdictBody) },
  });
}

function refuseExpired(check: PolicyCheck, id: string): void {
  const violations = broken(check, ['expire']);
  if (violations.length === 0) return;
  throw new StageError('proposal_expired', `the proposal is too old: ${described(violations)}`, {
    hint: `Propose it again: stage reopen ${id}, then stage propose ${id}.`,
    facts: { violations: violations.map(verdictBody) },
  });
}

function refuseOutside(check: PolicyCheck, passes: (rule: Rule) => boolean): void {
  const passed = new Set(check.rules.filter(passes).map(({ name }) => name));
  const violations = broken(check, ['windows']).filter(({ rule }) => !passed.has(rule));
  const [first] = violations;
  if (first === undefined) return;
  const opensAt = timeOf(first.opensAt);
  throw new StageError('outside_window', `nothing may be approved now: ${described(violations)}`, {
    hint:
      opensAt === null
        ? 'The windows of these rules never open together: have an operator change them.'
        : `Approve it from ${opensAt} on.`,
    facts: { opens_at: opensAt, violations: violations.map(verdictBody) },
  });
}

/** Describes violations in one line. */
export function described(violations: readonly Verdict[]): string {
  return violations.map(({ rule, says }) => `rule ${JSON.stringify(rule)}: ${says}`).join('; ');
}
