/** Converts the policy and the votes to bodies of responses. */
import type { Token } from '../model/access.ts';
import { databaseRolesOf, standingOf } from '../model/access.ts';
import type { JsonObject } from '../model/json.ts';
import type { Approvals } from '../model/policy.ts';
import type { FindPerson } from '../review/policy/approvals.ts';
import type { SessionPolicy } from '../review/policy/show.ts';
import { sentVerdict } from '../review/policy/verdict-body.ts';
import { approvalsBody, sessionPolicyBody } from './bodies.ts';

/** Returns the function that determines what the tokens allow a person. If no token is required, nobody is excluded. */
export function findIn(tokens: readonly Token[]): FindPerson {
  return (name, projectId) => ({
    ...(tokens.length === 0
      ? { roles: [], refusal: null }
      : standingOf(tokens, name, { projectId, now: Date.now() })),
    databaseRoles: databaseRolesOf(tokens, { name }),
  });
}

/** Returns the member of a session for its votes; none if the policy demands none. */
export const withApprovals = (approvals: Approvals | null | undefined): JsonObject =>
  approvals ? { approvals: approvalsBody(approvals) } : {};

export function policyOfSessionBody(policy: SessionPolicy | null): JsonObject {
  if (policy === null) return sessionPolicyBody({ version: '0', verdicts: [] });
  const { version, verdicts, rules } = policy.check;
  const breakers = new Set(rules.flatMap(({ break_glass: people = [] }) => people));
  return sessionPolicyBody({
    version: String(version),
    verdicts: verdicts.map(sentVerdict),
    ...(policy.approvals && { approvals: policy.approvals }),
    ...(breakers.size > 0 && { breakGlass: [...breakers].sort() }),
  });
}
