/** Waits for events of a session: by long polling if the daemon supports it, else by repeated requests. */
import { setTimeout as pause } from 'node:timers/promises';
import { StageError } from '../errors.ts';
import type { ApiClient } from './api-client.ts';

/** The longest wait of one request. The daemon allows 50 seconds, but intermediaries often cut connections that are silent for a minute. */
const mostSeconds = 30;

export interface Patience {
  /** The longest wait, in milliseconds. */
  readonly mostMs: number;
  /** The interval between requests where the daemon cannot report events, in milliseconds. */
  readonly intervalMs: number;
  /** Ends the wait; the promise then rejects. */
  readonly signal: AbortSignal;
}

/**
 * Waits for an event after the known one. Rejects when the signal is aborted.
 * @param after the number of the known event
 * @returns the number of the last event; `after` if nothing happened; null if the session is gone, or if the daemon cannot report events and
 * the caller has to poll
 */
export async function nextEvent(
  api: ApiClient,
  sessionId: string,
  after: string,
  { mostMs, intervalMs, signal }: Patience,
): Promise<string | null> {
  const wait = Math.min(Math.floor(mostMs / 1000), mostSeconds);
  const begun = performance.now();
  if (wait > 0) {
    const last = await listBehind(api, sessionId, { after, limit: 1, wait, signal });
    if (last === 'gone') return null;
    if (last !== null && last !== after) return last;
    // an empty response ahead of time comes from a daemon that cannot wait, or that is stopping
    if (last !== null && performance.now() - begun > wait * 900) return after;
  }
  await pause(Math.min(intervalMs, mostMs), undefined, { signal });
  return null;
}

/** Follows one session. Its events are read before its state, so no change in between is missed. */
export class News {
  readonly #api: ApiClient;
  readonly #sessionId: string;
  #last = '0';
  #isBegun = false;

  constructor(api: ApiClient, sessionId: string) {
    this.#api = api;
    this.#sessionId = sessionId;
  }

  /** Waits, and returns whether something may have happened since the last call. The first call returns at once. */
  async next(patience: Patience): Promise<boolean> {
    if (!this.#isBegun) {
      this.#isBegun = true;
      await this.#catchUp();
      return true;
    }
    const last = await nextEvent(this.#api, this.#sessionId, this.#last, patience);
    const isNews = last !== this.#last;
    this.#last = last ?? this.#last;
    return isNews;
  }

  /** Sets the last known event to the session's last one; it stays 0 if the daemon does not report it. */
  async #catchUp(): Promise<void> {
    try {
      this.#last = (await this.#api.getSession(this.#sessionId)).value.lastEvent;
    } catch (error) {
      if (!(error instanceof StageError)) throw error;
    }
  }
}

type Listed = Parameters<ApiClient['listEvents']>[1] & { readonly after: string };

/** Returns the number of a page's last event; `gone` if the session does not exist; null if the daemon cannot report events. */
async function listBehind(api: ApiClient, id: string, page: Listed): Promise<string | null> {
  try {
    return (await api.listEvents(id, page)).value.at(-1)?.number ?? page.after;
  } catch (error) {
    if (!(error instanceof StageError) || page.signal?.aborted) throw error;
    return error.code === 'session_not_found' ? 'gone' : null;
  }
}
