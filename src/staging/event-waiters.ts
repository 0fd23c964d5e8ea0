/**
 * Lets requests wait for events. One query over all events serves all of them, so that waiting requests hold no connection, and cost the
 * database nothing.
 */
import type { Queryable } from '../db/database.ts';
import { StageError } from '../errors.ts';
import { sessionIdSql } from './session-id.ts';

/** The part of an event that waiting requests need. */
export interface Happening {
  readonly sessionId: string;
  readonly projectId: string;
}

export interface Awaited {
  /** Whether the request waits for this event. */
  readonly concerns: (event: Happening) => boolean;
  /** Number of the newest event, queried before the request read its events. */
  readonly after: string;
  readonly timeoutMs: number;
  /** Aborted when the client no longer waits for the response. */
  readonly signal: AbortSignal;
}

/** How a wait has ended. */
export interface Waited {
  /** Whether there is something to read: an event of concern, or an error of the database. */
  readonly hasNews: boolean;
  /** Events up to this number were examined. */
  readonly last: string;
}

export interface EventWaiters {
  /**
   * Resolves when an event of concern exists behind `after`, on timeout, on abort or on close. Also resolves if the database query
   * fails: the caller's own query then reports the error.
   * @throws StageError `busy` if too many requests wait
   */
  next(awaited: Awaited): Promise<Waited>;
  /**
   * Runs a read. Reads with the same key that are requested in the same turn of the event loop are run once: an event wakes many requests
   * at once. The read begins after all these requests.
   */
  share<Result>(key: string, read: () => Promise<Result>): Promise<Result>;
  /** Notes that a read would return no events of concern up to the event number `last`. The key names the read and its beginning. */
  noteQuiet(key: string, last: string): void;
  /**
   * Returns the number that was noted for a read in the last minute; undefined if the read has to be run. So a request that begins to wait
   * again costs no query.
   */
  quietUntil(key: string): string | undefined;
  /** Ends the wait of all requests, now and from now on. */
  close(): void;
  readonly isClosed: boolean;
}

const selectEvents = `
SELECT number, ${sessionIdSql('session')} AS session_id, project_id FROM stage.event WHERE number > $1 ORDER BY number LIMIT $2`;

const intervalMs = 500;
const mostWaiting = 2_000;
const mostEvents = 1_000;
const quietForMs = 60_000;
const mostQuiet = 2 * mostWaiting;

interface Waiter extends Pick<Awaited, 'concerns'> {
  after: number;
  readonly wake: (hasNews: boolean) => void;
}

interface EventsBehind extends Happening {
  readonly number: number;
}

/** Creates the list, which queries the database only while requests wait. */
export function createEventWaiters(db: Queryable): EventWaiters {
  const waiting = new Set<Waiter>();
  let isClosed = false;
  let isPolling = false;
  const poll = async (): Promise<void> => {
    if (isPolling) return;
    isPolling = true;
    while (waiting.size > 0) {
      await wakeWaiters(db, [...waiting]);
      if (waiting.size > 0) await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
    isPolling = false;
  };
  return {
    async next({ concerns, after, timeoutMs, signal }) {
      if (isClosed || signal.aborted) return { hasNews: false, last: after };
      // guard: only so many requests wait for events
      if (waiting.size >= mostWaiting) throw tooMany();
      return new Promise<Waited>((resolve) => {
        const wake = (hasNews: boolean) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', leave);
          waiting.delete(waiter);
          resolve({ hasNews, last: String(waiter.after) });
        };
        const leave = () => wake(false);
        const waiter = { concerns, after: Number(after), wake };
        const timer = setTimeout(leave, timeoutMs);
        // guard: a caller that has left waits no longer
        signal.addEventListener('abort', leave);
        waiting.add(waiter);
        void poll();
      });
    },
    ...sharedReads(),
    ...quietReads(),
    close() {
      isClosed = true;
      for (const { wake } of [...waiting]) wake(false);
    },
    get isClosed() {
      return isClosed;
    },
  };
}

/** Runs equal reads of one turn of the event loop once. */
function sharedReads(): Pick<EventWaiters, 'share'> {
  const reads = new Map<string, Promise<unknown>>();
  return {
    share<Result>(key: string, read: () => Promise<Result>) {
      const known = reads.get(key) as Promise<Result> | undefined;
      if (known !== undefined) return known;
      const begun = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        // guard: a read that has begun serves no later request
        reads.delete(key);
        return read();
      });
      reads.set(key, begun);
      return begun;
    },
  };
}

/** Stores the newest of the reads that found nothing. */
function quietReads(): Pick<EventWaiters, 'noteQuiet' | 'quietUntil'> {
  const quiet = new Map<string, { readonly last: string; readonly at: number }>();
  return {
    noteQuiet(key, last) {
      // the oldest notes come first
      quiet.delete(key);
      quiet.set(key, { last, at: performance.now() });
      for (const oldest of quiet.keys()) {
        if (quiet.size <= mostQuiet) break;
        quiet.delete(oldest);
      }
    },
    quietUntil(key) {
      const { last, at } = quiet.get(key) ?? { at: Number.NEGATIVE_INFINITY };
      // the shared query would take long to catch up with what was noted long ago
      return performance.now() - at < quietForMs ? last : undefined;
    },
  };
}

/** Wakes the requests that an event concerns, or all if the query fails. The others continue behind the events that were read. */
async function wakeWaiters(db: Queryable, waiters: readonly Waiter[]): Promise<void> {
  const events = await eventsBehind(db, Math.min(...waiters.map(({ after }) => after)));
  for (const waiter of waiters) {
    const { after, concerns, wake } = waiter;
    const isHeard = (event: EventsBehind) => event.number > after && concerns(event);
    if (events === null || events.some(isHeard)) wake(true);
    else waiter.after = Math.max(after, events.at(-1)?.number ?? 0);
  }
}

/** Returns the oldest events behind a number; null if the query fails. */
async function eventsBehind(db: Queryable, after: number): Promise<readonly EventsBehind[] | null> {
  try {
    const rows = await db.query(selectEvents, [after, mostEvents]);
    return rows.map(({ number, session_id: sessionId, project_id: projectId }) => ({
      number: Number(number),
      sessionId: String(sessionId),
      projectId: String(projectId),
    }));
  } catch {
    return null;
  }
}

function tooMany(): StageError {
  return new StageError('busy', `${mostWaiting} requests wait for events already`, {
    hint: 'Ask without `wait`, or try again in a moment.',
  });
}
