/** Converts the policy and the votes to bodies of responses. */
import type { Token } from '../model/access.ts';
import { databaseRolesOf, standingOf } from '../model/access.ts';
import type { JsonObject } from '../model/json.ts';
import type { Approvals, FindPerson } from '../review/policy/approvals.ts';
import type { PolicyVersion } from '../review/policy/policy-store.ts';
import type { SessionPolicy } from '../review/policy/show.ts';
import { verdictBody } from '../review/policy/verdict-body.ts';

/** Returns the function that finds out what the tokens allow a person. Where no token is required nobody is excluded. */
export function findIn(tokens: readonly Token[]): FindPerson {
  return (name, projectId) => ({
    ...(tokens.length === 0
      ? { roles: [], refusal: null }
      : standingOf(tokens, name, { projectId, now: Date.now() })),
    databaseRoles: databaseRolesOf(tokens, { name }),
  });
}

export function policyBody(policy: PolicyVersion): JsonObject {
  const { version, document, hash, setBy, message, at } = policy;
  return { version, document, hash, set_by: setBy, message, at };
}

function approvalsBody({ needed, count, given, missing }: Approvals): JsonObject {
  const rest = missing.map((demand) => ({ ...demand }));
  return { needed, count, given: given.map((vote) => ({ ...vote })), missing: rest };
}

/** Returns the member of a session for its votes; none if the policy demands none. */
export function withApprovals(policy: Pick<SessionPolicy, 'approvals'> | null): JsonObject {
  const approvals = policy?.approvals ?? null;
  return approvals === null ? {} : { approvals: approvalsBody(approvals) };
}

export function sessionPolicyBody(policy: SessionPolicy | null): JsonObject {
  if (policy === null) return { version: '0', verdicts: [] };
  const { version, verdicts } = policy.check;
  return {
    version: String(version),
    verdicts: verdicts.map(verdictBody),
    ...withApprovals(policy),
  };
}
