/**
 * Lets requests wait for what happens. One cursor over all events serves every one of them: while they wait, none holds a
 * connection.
 */
import type { Queryable } from '../db/database.ts';
import { StageError } from '../errors.ts';
import { sessionIdSql } from './session-id.ts';

/** What the watch knows of an event. */
export interface Happening {
  readonly sessionId: string;
  readonly projectId: string;
}

export interface Awaited {
  /** Whether an event is one of those that are waited for. */
  readonly concerns: (event: Happening) => boolean;
  /** Number of the last event that was looked at: the newest one, as it was before that look. */
  readonly after: string;
  readonly timeoutMs: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export interface EventWatch {
  /**
   * Resolves once there is an event of concern behind the known one, the time is over, nobody waits any more, or the watch is
   * closed; also when the database cannot be asked: whoever waited finds out by asking it.
   * @throws StageError `busy` when too many wait already
   */
  next(awaited: Awaited): Promise<void>;
  /** Lets all go who wait, now and from now on. */
  close(): void;
  readonly isClosed: boolean;
}

const selectNews = `
SELECT number, ${sessionIdSql('session')} AS session_id, project_id FROM stage.event WHERE number > $1 ORDER BY number LIMIT $2`;

const intervalMs = 500;
const mostWaiting = 1_000;
const mostNews = 1_000;

interface Waiter extends Pick<Awaited, 'concerns'> {
  after: number;
  readonly wake: () => void;
}

interface News extends Happening {
  readonly number: number;
}

/** Starts a watch that asks the database only while somebody waits. */
export function createEventWatch(db: Queryable): EventWatch {
  const waiting = new Set<Waiter>();
  let isClosed = false;
  let isLooking = false;
  const lookOn = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    while (waiting.size > 0) {
      await look(db, [...waiting]);
      if (waiting.size > 0) await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
    isLooking = false;
  };
  return {
    async next({ concerns, after, timeoutMs, signal }) {
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
        const waiter = { concerns, after: Number(after), wake };
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
    get isClosed() {
      return isClosed;
    },
  };
}

/** Wakes those whom an event concerns, and all where the database cannot tell. The others have seen what there was. */
async function look(db: Queryable, waiters: readonly Waiter[]): Promise<void> {
  const news = await newsBehind(db, Math.min(...waiters.map(({ after }) => after)));
  for (const waiter of waiters) {
    const { after, concerns, wake } = waiter;
    const isHeard = (event: News) => event.number > after && concerns(event);
    if (news === null || news.some(isHeard)) wake();
    else waiter.after = Math.max(after, news.at(-1)?.number ?? 0);
  }
}

/** The oldest events behind a number; null where the database cannot tell. */
async function newsBehind(db: Queryable, after: number): Promise<readonly News[] | null> {
  try {
    const rows = await db.query(selectNews, [after, mostNews]);
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
