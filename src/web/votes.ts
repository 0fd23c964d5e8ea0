/** The verdict of the policy about a session, and the votes on it. */
/// <reference lib="dom" />
import { approvalsInWords, readSessionPolicy, verdictInWords } from '../client/policy.ts';
import type { SessionPolicy } from '../model/policy.ts';
import type { Child } from './dom.ts';
import { h } from './dom.ts';
import { Refusal, request } from './http.ts';

/** Reads the verdict of the policy; null if the caller may not know it, or the session is not open. */
export async function readPolicyOf(id: string): Promise<SessionPolicy | null> {
  try {
    return readSessionPolicy(await request('GET', `/sessions/${id}/policy`));
  } catch (error) {
    if (error instanceof Refusal && error.status >= 400 && error.status < 500) return null;
    throw error;
  }
}

/** Returns the votes and the rules; nothing if no rule holds for the session. */
export function policyView(policy: SessionPolicy | null): Child[] {
  if (policy === null) return [];
  const { approvals, verdicts } = policy;
  const votes =
    approvals === undefined || approvals.needed === 0
      ? []
      : [h('p', { class: 'votes' }, `Approvals: ${approvalsInWords(approvals)}.`)];
  if (verdicts.length === 0) return votes;
  const rules = verdicts.map((verdict) =>
    h('li', verdict.holds ? {} : { class: 'flag' }, verdictInWords(verdict)),
  );
  return [...votes, h('ul', { class: 'rules', 'aria-label': 'Rules of the policy' }, ...rules)];
}
