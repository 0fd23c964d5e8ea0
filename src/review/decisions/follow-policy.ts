/** The decisions that the policy takes without anybody: it rejects old proposals, and approves small ones. */
import type { Database } from '../../db/database.ts';
import type { ExpiryOutcome } from '../policy/expire-by-policy.ts';
import { createPolicyExpiry } from '../policy/expire-by-policy.ts';
import { readPolicy } from '../policy/policy-store.ts';
import { createProposals } from '../policy/proposals.ts';
import type { AutoOutcome, AutoRules } from './auto-approve.ts';
import { createAutoApproval } from './auto-approve.ts';
import type { Retries } from './retries.ts';

export interface Followed {
  readonly expired: readonly ExpiryOutcome[];
  readonly approved: readonly AutoOutcome[];
}

/**
 * Returns the function that does both for all proposals, which are listed once. Without a rule that expires or approves something it runs a
 * single query.
 */
export function createPolicyUpkeep(
  db: Database,
  rules: AutoRules,
  retries?: Retries,
): () => Promise<Followed> {
  const list = createProposals(db);
  const expireOld = createPolicyExpiry(db);
  const autoApprove = createAutoApproval(db, rules, retries);
  return async () => {
    const policy = await readPolicy(db);
    const { rules: all } = policy.document;
    const approves = all.some((rule) => rule.auto_approve !== undefined);
    if (!approves && !all.some(({ expire }) => expire !== undefined))
      return { expired: [], approved: [] };
    const proposals = await list(policy);
    const expired = await expireOld(proposals);
    const gone = new Set(expired.flatMap(({ id, rejected }) => (rejected === null ? [] : [id])));
    const left = proposals.filter(({ id }) => !gone.has(id));
    return { expired, approved: approves ? await autoApprove(policy, left) : [] };
  };
}
