/** Events as they happen: https://html.spec.whatwg.org/multipage/server-sent-events.html */
import { Readable } from 'node:stream';
import type { Queryable } from '../db/database.ts';
import { stringifyJson } from '../model/json.ts';
import type { EventFilter, EventPage, EventScope } from '../staging/event-store.ts';
import { listEventsIn } from '../staging/event-store.ts';
import type { EventWatch, Happening } from '../staging/event-watch.ts';
import { eventOfAllBody } from './bodies.ts';

/** Who follows what. */
export interface Following {
  readonly scope: EventScope;
  /** Aborted when nobody listens any more. */
  readonly signal: AbortSignal;
  readonly db: Queryable;
  readonly watch: EventWatch;
}

export const eventStreamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // what stands in between passes events on one by one
  'X-Accel-Buffering': 'no',
};

/** A sign of life, so often: what stands in between cuts connections that are silent for a minute. */
const aliveEveryMs = 15_000;
const perPage = 200;

/**
 * Gives what happens behind an event, without end: each event with its number as the id of the message. A reader that takes
 * nothing is read nothing for.
 */
export function eventStream(following: Following, after: string): Readable {
  return Readable.from(messages(following, after), { objectMode: false });
}

async function* messages(following: Following, after: string): AsyncGenerator<string> {
  const { signal, watch } = following;
  let last = after;
  yield 'retry: 2000\n\n';
  while (!signal.aborted && !watch.isClosed) {
    const page = await awaitEvents(following, { after: last, limit: perPage }, aliveEveryMs);
    last = page.last;
    const told = page.events.map(
      (event) => `id: ${event.number}\ndata: ${stringifyJson(eventOfAllBody(event))}\n\n`,
    );
    // a number alone is no message, and the reader still comes back with it
    yield `${told.join('')}id: ${last}\n\n`;
  }
}

/**
 * Lists the events of a scope; where there are none, waits for some. Gives an empty page when none came in time.
 * @throws StageError `busy` when too many wait already
 */
export async function awaitEvents(
  { scope, signal, db, watch }: Following,
  { after, limit }: EventFilter,
  waitMs: number,
): Promise<EventPage> {
  const until = performance.now() + (limit === 0 ? 0 : waitMs);
  const concerns = ({ projectId }: Happening) => scope.projects?.includes(projectId) ?? true;
  let page = await listEventsIn(db, scope, { after, limit });
  while (page.events.length === 0 && !signal.aborted && !watch.isClosed) {
    const timeoutMs = until - performance.now();
    if (timeoutMs <= 0) break;
    await watch.next({ concerns, after: page.last, timeoutMs, signal });
    page = await listEventsIn(db, scope, { after: page.last, limit });
  }
  return page;
}
