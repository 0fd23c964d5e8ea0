/** Checks a session by the policy: at its proposal, at its approval, and for those who ask before. */
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Limit } from '../../model/policy.ts';
import type { LockedSession } from '../../staging/session-lock.ts';
import type { Rule } from './document.ts';
import type { Policy, SessionFacts, Verdict } from './evaluate.ts';
import { evaluate, rulesFor } from './evaluate.ts';
import { readFacts } from './facts.ts';
import { lockPolicy, readPolicy } from './policy-store.ts';
import { timeOf, verdictBody } from './verdict-body.ts';

/** The result for one session. */
export interface PolicyCheck {
  /** The version of the policy. */
  readonly version: number;
  readonly rules: readonly Rule[];
  readonly verdicts: readonly Verdict[];
  readonly facts: SessionFacts;
  /** Whether its authors may not approve it. */
  readonly fourEyes: boolean;
}

/** The limits that concern what was staged: they can be checked before anybody reviews it. */
const ofRows: readonly Limit[] = ['deny', 'deny_columns', 'max_rows', 'max_rows_per_statement'];

/** Checks a session by the newest policy; null if that has no rules. */
export async function checkPolicy(tx: Queryable, uuid: string): Promise<PolicyCheck | null> {
  return checkBy(tx, uuid, await readPolicy(tx));
}

async function checkBy(tx: Queryable, uuid: string, policy: Policy): Promise<PolicyCheck | null> {
  if (policy.document.rules.length === 0) return null;
  const facts = await readFacts(tx, uuid, policy);
  const rules = rulesFor(policy, facts);
  const verdicts = evaluate(policy, facts);
  const fourEyes = rules.some((rule) => rule.four_eyes === true);
  return { version: policy.version, rules, verdicts, facts, fourEyes };
}

/**
 * Refuses the proposal of a session that the policy would not let pass with the rows that it has.
 * @throws StageError `policy_refused`
 */
export async function demandProposable(tx: Queryable, { uuid }: LockedSession): Promise<void> {
  const check = await checkPolicy(tx, uuid);
  // guard: what the policy denies is not proposed
  if (check !== null) refuseRows(check);
}

/**
 * Checks a session that is being approved, by its rows under the transaction's locks and by a policy that stays until the transaction ends.
 * @param leftMs the longest wait for a policy that is being set, in milliseconds
 * @returns null if the policy has no rules
 * @throws StageError `policy_refused`, `proposal_expired`, `outside_window`, `busy` if a policy is being set
 */
export async function demandApprovable(
  tx: Queryable,
  { uuid, id }: LockedSession,
  leftMs: number,
): Promise<PolicyCheck | null> {
  const check = await checkBy(tx, uuid, await lockPolicy(tx, leftMs));
  if (check === null) return null;
  // guard: what the policy denies is not approved
  refuseRows(check);
  // guard: an old proposal is not approved
  refuseExpired(check, id);
  // guard: nothing is approved outside of the windows
  refuseOutside(check);
  return check;
}

function broken({ verdicts }: PolicyCheck, limits: readonly Limit[]): readonly Verdict[] {
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

function refuseExpired(check: PolicyCheck, id: string): void {
  const violations = broken(check, ['expire']);
  if (violations.length === 0) return;
  throw new StageError('proposal_expired', `the proposal is too old: ${described(violations)}`, {
    hint: `Propose it again: stage reopen ${id}, then stage propose ${id}.`,
    facts: { violations: violations.map(verdictBody) },
  });
}

function refuseOutside(check: PolicyCheck): void {
  const violations = broken(check, ['windows']);
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

function described(violations: readonly Verdict[]): string {
  return violations.map(({ rule, says }) => `rule ${JSON.stringify(rule)}: ${says}`).join('; ');
}
