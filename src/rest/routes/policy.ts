/** Routes of the policy: show it, set it, list its versions, and check a session by it. */
import { z } from 'zod';
import { StageError } from '../../errors.ts';
import type { Token } from '../../model/access.ts';
import { hasRight, personOf } from '../../model/access.ts';
import type { PolicyVersion } from '../../model/policy.ts';
import type { People } from '../../review/policy/policy-names.ts';
import { listPolicies, newestPolicy, setPolicy } from '../../review/policy/policy-store.ts';
import { readSessionPolicy } from '../../review/policy/show.ts';
import { getSession } from '../../staging/session-store.ts';
import { policyBody } from '../bodies.ts';
import { PagedList } from '../page.ts';
import { findIn, policyOfSessionBody } from '../policy-bodies.ts';
import { defineRoute } from '../route.ts';
import { jsonObject, listing, message } from '../schemas/inputs.ts';
import { policyHistory, policyVersion, sessionPolicy } from '../schemas/policy.ts';

const etagOf = (version: string) => `"${version}"`;

const show = defineRoute({
  method: 'get',
  path: '/policy',
  name: 'getPolicy',
  summary: 'Shows the policy that counts now, for all daemons. ETag is its version.',
  right: 'read',
  responses: { 200: policyVersion },
  errors: [],
  needsUpstream: true,
  handle: async (_, { db }) => {
    const policy = await newestPolicy(db);
    return { headers: { ETag: etagOf(policy.version) }, body: policyBody(policy) };
  },
});

const set = defineRoute({
  method: 'put',
  path: '/policy',
  name: 'setPolicy',
  summary:
    'Sets the policy for all daemons, as a new version. If-Match is the ETag of the version that it follows, or *.',
  // guard: only an operator sets the policy
  right: 'operate',
  headers: z.object({
    'if-match': z
      .string('is required: the ETag of GET /policy, or *')
      .regex(/^(?:\*|"\d{1,18}")$/, 'must be the ETag of GET /policy, or *'),
  }),
  body: z.strictObject({ document: jsonObject, message: message.nullish() }),
  responses: { 200: policyVersion },
  errors: ['policy_changed', 'busy'],
  needsUpstream: true,
  handle: async ({ body, headers, caller }, { db, access, fourEyes }) => {
    const seen = headers['if-match'];
    const wanted = {
      document: body.document,
      after: seen === '*' ? null : seen.slice(1, -1),
      setBy: caller.name,
      message: body.message ?? null,
    };
    // guard: rules for all projects are set by somebody of all projects
    if (caller.projects !== null) throw notForAll();
    const policy = await setPolicy(db, wanted, peopleOf(access.tokens(), fourEyes));
    return { headers: { ETag: etagOf(policy.version) }, body: policyBody(policy) };
  },
});

function notForAll(): StageError {
  return new StageError('forbidden', 'the policy is for all projects, and the token is not', {
    hint: 'It takes a token of the role operator without projects.',
  });
}

function peopleOf(tokens: readonly Token[], fourEyes: boolean): People {
  const names = new Map<string, { readonly approves: boolean }>();
  for (const token of tokens) {
    const approves =
      hasRight(token, 'review') || names.get(personOf(token.name))?.approves === true;
    names.set(personOf(token.name), { approves });
  }
  const projects = tokens.flatMap((token) => token.projects ?? []);
  return { isOpen: tokens.length === 0, names, projects, fourEyes };
}

const pages = new PagedList<PolicyVersion>({
  name: 'policies',
  placeOf: ({ version }) => [version],
  forms: [/^\d{1,18}$/],
});

const history = defineRoute({
  method: 'get',
  path: '/policy/history',
  name: 'listPolicies',
  summary: 'Lists every version of the policy, newest first.',
  right: 'audit',
  query: z.object({ ...listing }),
  responses: { 200: policyHistory },
  errors: [],
  needsUpstream: true,
  handle: async ({ query }, { db }) => {
    const page = await listPolicies(db, { ...query, after: pages.placeIn({ query }) });
    const { versions } = page;
    const members = pages.members({ query }, { ...page, items: versions });
    return { body: { versions: versions.map(policyBody), ...members } };
  },
});

const checkSession = defineRoute({
  method: 'get',
  path: '/sessions/:id/policy',
  name: 'getSessionPolicy',
  summary:
    'Shows which rules hold for a session, whether it complies with them, and who has agreed.',
  right: 'read',
  responses: { 200: sessionPolicy },
  errors: ['session_not_found', 'took_too_long', 'busy'],
  needsUpstream: true,
  handle: async ({ id }, { db, access, fourEyes, diffs }) => {
    await getSession(db, id);
    const reader = { fourEyes, find: findIn(access.tokens()) };
    const policy = await readSessionPolicy(db, id, reader, () => diffs.take());
    return { body: { session_id: id, id, ...policyOfSessionBody(policy) } };
  },
});

export const policyRoutes = [show, set, history, checkSession];
