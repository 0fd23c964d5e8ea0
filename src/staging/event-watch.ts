/**
 * Lets requests wait for what happens to a session. One look at the database serves all of them: while they wait, none holds a
 * connection.
 */
import type { Queryable } from '../db/database.ts';
import { StageError } from '../errors.ts';

export interface Awaited {
  /** The key of the session's row. */
  readonly uuid: string;
  /** Number of the last event that is known. */
  readonly after: string;
  readonly timeoutMs: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export interface EventWatch {
  /**
   * Resolves once the session has an event behind the known one, the time is over, nobody waits any more, or the watch is closed;
   * also when the database cannot be asked: whoever waited finds out by asking it.
   * @throws StageError `busy` when too many wait already
   */
  next(awaited: Awaited): Promise<void>;
  /** Lets all go who wait, now and from now on. */
  close(): void;
}

/** The places of those whose session has news; the index by session and number answers for each. */
const selectNews = `
SELECT w.place FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS w (session, after, place)
WHERE EXISTS (SELECT FROM stage.event e WHERE e.session = w.session AND e.number > w.after)`;

const intervalMs = 500;
const mostWaiting = 200;

interface Waiter {
  readonly uuid: string;
  readonly after: string;
  readonly wake: () => void;
}

/** Starts a watch that asks the database only while somebody waits. */
export function createEventWatch(db: Queryable): EventWatch {
  const waiting = new Set<Waiter>();
  let isClosed = false;
  let isLooking = false;
  const look = async (): Promise<void> => {
    for (const waiter of await concerned(db, [...waiting])) waiter.wake();
  };
  const lookOn = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    while (waiting.size > 0) {
      await look();
      if (waiting.size > 0) await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
    isLooking = false;
  };
  return {
    async next({ uuid, after, timeoutMs, signal }) {
      if (isClosed || signal.aborted) return;
      // guard: only so many requests wait for events
      if (waiting.size >= mostWaiting) throw tooMany();
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          waiting.delete(waiter);
          resolve();
        };
        const waiter = { uuid, after, wake };
        const timer = setTimeout(wake, timeoutMs);
        // guard: whoever left waits no longer
        signal.addEventListener('abort', wake);
        waiting.add(waiter);
        void lookOn();
      });
    },
    close() {
      isClosed = true;
      for (const { wake } of [...waiting]) wake();
    },
  };
}

/** Those of whose sessions there is news; all where the database cannot tell. */
async function concerned(db: Queryable, waiters: readonly Waiter[]): Promise<readonly Waiter[]> {
  const list = (member: 'uuid' | 'after') => `{${waiters.map((each) => each[member]).join(',')}}`;
  try {
    const rows = await db.query(selectNews, [list('uuid'), list('after')]);
    return rows.flatMap((row) => waiters[Number(row['place']) - 1] ?? []);
  } catch {
    return waiters;
  }
}

function tooMany(): StageError {
  return new StageError('busy', `${mostWaiting} requests wait for events already`, {
    hint: 'Ask without `wait`, or try again in a moment.',
  });
}
