/** Streams events as they happen: https://html.spec.whatwg.org/multipage/server-sent-events.html */
import { Readable } from 'node:stream';
import type { Queryable } from '../db/database.ts';
import { stringifyJson } from '../model/json.ts';
import type { EventFilter, EventPage, EventScope } from '../staging/event-store.ts';
import { listEventsIn } from '../staging/event-store.ts';
import type { EventWaiters, Happening } from '../staging/event-waiters.ts';
import { eventOfAllBody } from './bodies.ts';

/** The events that a client follows, and how. */
export interface Following {
  readonly scope: EventScope;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly db: Queryable;
  readonly waiters: EventWaiters;
}

export const eventStreamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // proxies must not buffer events
  'X-Accel-Buffering': 'no',
};

/** Interval of messages that keep the connection alive: proxies cut connections that are silent for a minute. */
const aliveEveryMs = 15_000;
const perPage = 200;

/**
 * Streams the events behind the event number `after`, without end. The id of each message is the number of its event. While the client
 * does not read, no events are queried.
 */
export function eventStream(following: Following, after: string): Readable {
  return Readable.from(messages(following, after), { objectMode: false });
}

async function* messages(following: Following, after: string): AsyncGenerator<string> {
  const { signal, waiters } = following;
  let last = after;
  yield 'retry: 2000\n\n';
  while (!signal.aborted && !waiters.isClosed) {
    const page = await awaitEvents(following, { after: last, limit: perPage }, aliveEveryMs);
    last = page.last;
    const lines = page.events.map(
      (event) => `id: ${event.number}\ndata: ${stringifyJson(eventOfAllBody(event))}\n\n`,
    );
    // an id without data is no event for the client, but the client sends it when it reconnects
    yield `${lines.join('')}id: ${last}\n\n`;
  }
}

/**
 * Lists the events of a scope. If there are none, waits for some. The page is empty if none came within `waitMs`.
 * @throws StageError `busy` if too many requests wait
 */
export async function awaitEvents(
  { scope, signal, db, waiters }: Following,
  { after, limit }: EventFilter,
  waitMs: number,
): Promise<EventPage> {
  const until = performance.now() + (limit === 0 ? 0 : waitMs);
  const concerns = ({ projectId }: Happening) => scope.projects?.includes(projectId) ?? true;
  const keyOf = (from: string) => JSON.stringify([scope, from, limit]);
  const read = (from: string) =>
    waiters.share(keyOf(from), () => listEventsIn(db, scope, { after: from, limit }));
  // a client that only waits again reads nothing: many clients wait, most of the time for nothing
  const quiet = waitMs > 0 ? waiters.quietUntil(keyOf(after)) : undefined;
  let page = quiet === undefined ? await read(after) : { events: [], last: quiet };
  while (page.events.length === 0 && !signal.aborted && !waiters.isClosed) {
    const timeoutMs = until - performance.now();
    if (timeoutMs <= 0) break;
    const { hasNews, last } = await waiters.next({ concerns, after: page.last, timeoutMs, signal });
    page = hasNews ? await read(page.last) : { events: [], last };
    if (hasNews) continue;
    // the same client continues from one of these
    for (const from of [after, last]) waiters.noteQuiet(keyOf(from), last);
  }
  return page;
}
