/** Sessions: create, list, look at, delete. */
import { z } from 'zod';
import { JsonText } from '../../model/json.ts';
import { conflictScopes, readsModes, sessionStatuses } from '../../model/session.ts';
import { deleteSession } from '../../staging/discard.ts';
import { createSession, getSession, listSessions } from '../../staging/session-store.ts';
import { sessionBody } from '../bodies.ts';
import { hasMore } from '../page.ts';
import { defineRoute } from '../route.ts';
import { paging, shortText } from '../schemas/inputs.ts';
import { deletedSession, session, sessionList } from '../schemas/outputs.ts';

const create = defineRoute({
  method: 'post',
  path: '/sessions',
  name: 'createSession',
  summary: 'Starts a session.',
  body: z.object({
    project_id: shortText.nullish(),
    metadata: z.record(z.string(), z.unknown()).nullish(),
    reads: z.enum(readsModes).nullish(),
    conflict_scope: z.enum(conflictScopes).nullish(),
  }),
  answers: { 201: session },
  errors: [],
  needsUpstream: true,
  handle: async ({ body, texts }, { db, conflictScope }) => {
    const created = await createSession(db, {
      projectId: body.project_id ?? 'default',
      metadata: (body.metadata && texts.get('metadata')) ?? new JsonText('{}'),
      reads: body.reads ?? 'production',
      conflictScope: body.conflict_scope ?? conflictScope,
    });
    return {
      status: 201,
      headers: { Location: `/sessions/${created.id}` },
      body: sessionBody(created),
    };
  },
});

const list = defineRoute({
  method: 'get',
  path: '/sessions',
  name: 'listSessions',
  summary: 'Lists sessions, newest first.',
  query: z.object({
    status: z.enum(sessionStatuses).optional(),
    project_id: shortText.optional(),
    ...paging,
  }),
  answers: { 200: sessionList },
  errors: [],
  needsUpstream: true,
  handle: async ({ query: { status, project_id: projectId, limit, offset } }, { db }) => {
    const page = await listSessions(db, { status, projectId, limit, offset });
    return {
      body: {
        sessions: page.sessions.map(sessionBody),
        total_count: page.totalCount,
        has_more: hasMore(offset, page.sessions, page.totalCount),
      },
    };
  },
});

const get = defineRoute({
  method: 'get',
  path: '/sessions/:id',
  name: 'getSession',
  summary: 'Shows a session.',
  answers: { 200: session },
  errors: ['session_not_found'],
  needsUpstream: true,
  handle: async ({ id }, { db }) => ({ body: sessionBody(await getSession(db, id)) }),
});

const remove = defineRoute({
  method: 'delete',
  path: '/sessions/:id',
  name: 'deleteSession',
  summary: 'Deletes an active or proposed session and everything it staged.',
  answers: { 200: deletedSession },
  errors: ['session_not_found', 'invalid_transition', 'session_busy'],
  needsUpstream: true,
  handle: async ({ id }, { db }) => {
    const { sessionId, deletedAt } = await deleteSession(db, id);
    return {
      body: { session_id: sessionId, id: sessionId, status: 'deleted', deleted_at: deletedAt },
    };
  },
});

export const sessionRoutes = [create, list, get, remove];
