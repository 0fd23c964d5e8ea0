/** Routes that follow events, of one session or of all that the caller may see: as lists, by waiting, or as a stream. */
import { z } from 'zod';
import type { Caller } from '../../model/access.ts';
import { seesOwnOnly } from '../../model/access.ts';
import type { EventScope } from '../../staging/event-store.ts';
import { lastEvent, listEvents } from '../../staging/event-store.ts';
import type { Happening } from '../../staging/event-waiters.ts';
import { demandProject } from '../access.ts';
import { eventBody, eventOfAllBody } from '../bodies.ts';
import { awaitEvents, eventStream, eventStreamHeaders } from '../event-stream.ts';
import { defineRoute } from '../route.ts';
import { eventList, eventsOfAll } from '../schemas/discussion.ts';
import { cursor, paging, shortText, waiting } from '../schemas/inputs.ts';

const follow = defineRoute({
  method: 'get',
  path: '/sessions/:id/events',
  name: 'listEvents',
  summary:
    'Lists the events of a session, comments included, oldest first, behind the event with the number `after`. With wait, the response is empty only when nothing has happened for so many seconds.',
  right: 'read',
  query: z.object({ after: cursor, limit: paging.limit, wait: waiting }),
  responses: { 200: eventList },
  errors: ['session_not_found', 'busy'],
  needsUpstream: true,
  handle: async ({ id, query, signal }, { db, events: waiters }) => {
    const key = JSON.stringify([id, query.after, query.limit]);
    const quiet = query.wait > 0 ? waiters.quietUntil(key) : undefined;
    const head = quiet ?? (query.wait > 0 ? await lastEvent(db) : '0');
    let events = quiet === undefined ? await listEvents(db, id, query) : [];
    if (events.length === 0 && query.wait > 0) {
      const concerns = ({ sessionId }: Happening) => sessionId === id;
      const timeoutMs = query.wait * 1000;
      const waited = await waiters.next({ concerns, after: head, timeoutMs, signal });
      if (waited.hasNews) events = await waiters.share(key, () => listEvents(db, id, query));
      else waiters.noteQuiet(key, waited.last);
    }
    const last = events.at(-1)?.number ?? query.after;
    return { body: { session_id: id, id, events: events.map(eventBody), last } };
  },
});

const place = cursor.removeDefault().optional();

const followAll = defineRoute({
  method: 'get',
  path: '/events',
  name: 'followEvents',
  summary:
    'Lists the events of all sessions that the caller may see, oldest first, behind the event with the number `after`. With wait, the response is empty only when nothing has happened for so many seconds. With Accept: text/event-stream, the events are sent as they happen, from Last-Event-ID or `after` on, else from now on.',
  right: 'read',
  query: z.object({
    project_id: shortText.optional(),
    after: place,
    limit: paging.limit,
    wait: waiting,
  }),
  headers: z.object({ accept: z.string().optional(), 'last-event-id': place }),
  responses: { 200: eventsOfAll },
  errors: ['busy'],
  needsUpstream: true,
  handle: async ({ query, headers, caller, signal }, { db, events: waiters }) => {
    const { project_id: projectId, limit, wait } = query;
    if (projectId !== undefined) demandProject(caller, projectId);
    const following = { scope: scopeOf(caller, projectId), signal, db, waiters };
    if (/\btext\/event-stream\b/i.test(headers.accept ?? '')) {
      const after = headers['last-event-id'] ?? query.after ?? (await lastEvent(db));
      return { headers: eventStreamHeaders, body: eventStream(following, after) };
    }
    const first = { after: query.after ?? '0', limit };
    const { events, last } = await awaitEvents(following, first, wait * 1000);
    return { body: { events: events.map(eventOfAllBody), last } };
  },
});

function scopeOf(caller: Caller, projectId: string | undefined): EventScope {
  return {
    projects: projectId === undefined ? caller.projects : [projectId],
    createdAs: seesOwnOnly(caller) ? caller.name : null,
  };
}

export const eventRoutes = [follow, followAll];
