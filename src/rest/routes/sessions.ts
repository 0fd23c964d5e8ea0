/** Routes that create, list, show and delete sessions. */
import { z } from 'zod';
import type { Caller } from '../../model/access.ts';
import { seesOwnOnly, seesReadableOnly } from '../../model/access.ts';
import type { JsonObject } from '../../model/json.ts';
import { JsonText } from '../../model/json.ts';
import type { Session } from '../../model/session.ts';
import { conflictScopes, readsModes, sessionStatuses } from '../../model/session.ts';
import { presentCards } from '../../review/brief/card-store.ts';
import { readSessionVotes } from '../../review/policy/show.ts';
import { deleteSession } from '../../staging/discard.ts';
import { createSessionOnce } from '../../staging/session-once.ts';
import { createSession, getSession, listSessions } from '../../staging/session-store.ts';
import { demandOwn, demandProject } from '../access.ts';
import { sessionBody } from '../bodies.ts';
import { cardText, countsBody } from '../card-body.ts';
import { PagedList } from '../page.ts';
import { findIn, withApprovals } from '../policy-bodies.ts';
import { defineRoute } from '../route.ts';
import { sessionList } from '../schemas/card.ts';
import { votedSession } from '../schemas/differences.ts';
import { flag, jsonObject, listing, shortText } from '../schemas/inputs.ts';
import { deletedSession, session } from '../schemas/outputs.ts';
import type { RouteServices } from '../services.ts';

const create = defineRoute({
  method: 'post',
  path: '/sessions',
  name: 'createSession',
  summary:
    'Starts a session. Repeated with the same Idempotency-Key, token and body it gives the session of the first time.',
  right: 'write',
  headers: z.object({ 'idempotency-key': shortText.optional() }),
  body: z.strictObject({
    project_id: shortText.nullish(),
    metadata: jsonObject.nullish(),
    reads: z.enum(readsModes).nullish(),
    conflict_scope: z.enum(conflictScopes).nullish(),
  }),
  responses: { 200: session, 201: session },
  errors: ['idempotency_conflict'],
  needsUpstream: true,
  handle: async ({ body, texts, caller, headers }, { db, conflictScope }) => {
    const projectId = body.project_id ?? 'default';
    demandProject(caller, projectId);
    const wanted = {
      projectId,
      metadata: (body.metadata && texts.get('metadata')) ?? new JsonText('{}'),
      reads: body.reads ?? 'production',
      conflictScope: body.conflict_scope ?? conflictScope,
      createdAs: caller.name,
    };
    const key = headers['idempotency-key'];
    const [made, isNew] =
      key === undefined
        ? [await createSession(db, wanted), true]
        : await createSessionOnce(db, wanted, key);
    return {
      status: isNew ? 201 : 200,
      headers: {
        Location: `/sessions/${made.id}`,
        ...(isNew ? {} : { 'Idempotent-Replayed': 'true' }),
      },
      body: sessionBody(made),
    };
  },
});

const sessionPages = new PagedList<Session>({
  name: 'sessions',
  placeOf: ({ createdAt, id }) => [createdAt, id],
  forms: [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/, /^sess_[0-9a-f]{32}$/],
});

const list = defineRoute({
  method: 'get',
  path: '/sessions',
  name: 'listSessions',
  summary:
    'Lists sessions, newest first; to an agent its own only. With card=true, each has the card of its present proposal, as it was stored.',
  right: 'read',
  query: z.object({
    status: z.enum(sessionStatuses).optional(),
    project_id: shortText.optional(),
    author: shortText.optional().meta({ description: 'Only those created with this token' }),
    search: shortText.optional().meta({
      description:
        'Only those, of the newest 10,000, with this text in id, project, author or metadata',
    }),
    review_due: flag.optional().meta({
      description:
        'With true only those approved past the policy that nobody else has reviewed yet; with false the others',
    }),
    card: flag.optional(),
    ...listing,
  }),
  responses: { 200: sessionList },
  errors: [],
  needsUpstream: true,
  handle: async ({ query, caller }, services) => {
    const { db } = services;
    const { project_id: projectId, review_due: reviewDue, card, ...filter } = query;
    if (projectId !== undefined) demandProject(caller, projectId);
    const projectIds = projectId === undefined ? (caller.projects ?? undefined) : [projectId];
    // guard: an agent lists its own sessions only
    const createdAs = seesOwnOnly(caller) ? caller.name : undefined;
    const after = sessionPages.placeIn({ query });
    const page = await listSessions(db, { ...filter, reviewDue, after, projectIds, createdAs });
    return {
      body: {
        sessions: card
          ? await withCards(page.sessions, caller, services)
          : page.sessions.map(sessionBody),
        ...sessionPages.members({ query }, { ...page, items: page.sessions }),
      },
    };
  },
});

async function withCards(
  sessions: readonly Session[],
  caller: Caller,
  { db, sensitiveColumns, rehearsal }: RouteServices,
): Promise<JsonObject[]> {
  const ids = sessions.map(({ id }) => id);
  const rules = { sensitiveColumns, rehearses: rehearsal.access !== 'off' };
  const cards = await presentCards(db, ids, ['proposed', 'approved'], rules);
  const write = seesReadableOnly(caller) ? countsBody : cardText;
  return sessions.map((session) => {
    const card = cards.get(session.id);
    return { ...sessionBody(session), card: card ? write(card) : null };
  });
}

const get = defineRoute({
  method: 'get',
  path: '/sessions/:id',
  name: 'getSession',
  summary: 'Shows a session.',
  right: 'read',
  responses: { 200: votedSession },
  errors: ['session_not_found'],
  needsUpstream: true,
  handle: async ({ id }, { db, access, fourEyes }) => {
    const shown = await getSession(db, id);
    if (shown.status !== 'proposed') return { body: sessionBody(shown) };
    const approvals = await readSessionVotes(db, id, { fourEyes, find: findIn(access.tokens()) });
    return { body: { ...sessionBody(shown), ...withApprovals(approvals) } };
  },
});

const remove = defineRoute({
  method: 'delete',
  path: '/sessions/:id',
  name: 'deleteSession',
  summary:
    'Deletes an active or proposed session and everything it staged; an author or agent only its own.',
  right: 'write',
  responses: { 200: deletedSession },
  errors: ['session_not_found', 'invalid_transition', 'session_busy'],
  needsUpstream: true,
  handle: async ({ id, caller }, { db }) => {
    if (caller.role === 'author') demandOwn(caller, await getSession(db, id));
    const { sessionId, deletedAt } = await deleteSession(db, id, caller.name);
    return {
      body: { session_id: sessionId, id: sessionId, status: 'deleted', deleted_at: deletedAt },
    };
  },
});

export const sessionRoutes = [create, list, get, remove];
