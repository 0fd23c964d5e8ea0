/** Requests about the policy, and its results in words. */
import type { JsonText } from '../model/json.ts';
import { membersOf } from '../model/json-members.ts';
import type { Approvals, PolicyVerdict } from '../model/policy.ts';
import { approvalsShape, policyVersionShape, sessionPolicyShape } from '../model/policy.ts';
import { textCell } from './cell.ts';
import type { ListPaging } from './filters.ts';
import { sessionPath } from './paths.ts';
import { readerOf } from './read-noun.ts';
import { pageOf } from './responses.ts';
import { sanitize } from './sanitize.ts';
import type { ServiceClient } from './service-client.ts';

const path = '/policy';
const readVersion = readerOf(policyVersionShape);
export const readSessionPolicy = readerOf(sessionPolicyShape);
const readVotes = readerOf(approvalsShape);

/** Returns the policy that counts now. */
export const showPolicy = (api: ServiceClient) => api.read({ method: 'GET', path }, readVersion);

/** Sets a document. @param after the version that it follows */
export const setPolicy = (
  api: ServiceClient,
  document: JsonText,
  after: string,
  message?: string,
) => {
  const headers = { 'if-match': `"${after}"` };
  return api.read({ method: 'PUT', path, body: { document, message }, headers }, readVersion);
};

/** Lists the versions of the policy, newest first. */
export const listPolicies = (api: ServiceClient, page: ListPaging) =>
  api.read(
    { method: 'GET', path: `${path}/history`, query: { ...page } },
    pageOf('versions', readVersion),
  );

/** Returns the verdicts of the policy on a session. */
export const checkSession = (api: ServiceClient, id: string) =>
  api.read({ method: 'GET', path: sessionPath(id, 'policy') }, readSessionPolicy);

/** Reads the votes from the body of a session; null if the policy demands none. */
export function readApprovals(session: JsonText): Approvals | null {
  const votes = membersOf(session).get('approvals');
  return votes === undefined ? null : readVotes(votes);
}

/** Describes who has agreed and who is missing: `1 of 2 agreed: ann; 1 more of bob, cat`. */
export function approvalsInWords({ needed, count, given, missing }: Approvals): string {
  const names = given.map(
    ({ as, why }) => textCell(as) + (why === null ? '' : ` (does not count: ${sanitize(why)})`),
  );
  const rest = missing.map(
    ({ more, from }) => `${more} more${from === null ? '' : ` of ${namesIn(from)}`}`,
  );
  const agreed = `${count} of ${needed} agreed`;
  return [names.length === 0 ? agreed : `${agreed}: ${names.join(', ')}`, ...rest].join('; ');
}

const namesIn = (names: readonly string[]) => names.map((name) => textCell(name)).join(', ');

/** Describes who may go past rules. */
export const breakersInWords = (names: readonly string[]) =>
  `past the policy, with a reason: ${namesIn(names)}`;

/** Describes a limit of a rule, and whether the session complies with it. */
export function verdictInWords({ rule, holds, says, opensAt }: PolicyVerdict): string {
  const opens = opensAt === undefined ? '' : ` (opens ${opensAt})`;
  return `${holds ? 'holds' : 'BROKEN'}  ${textCell(rule)}: ${sanitize(says)}${opens}`;
}
