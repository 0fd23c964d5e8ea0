/** Waits until something happens to a session: the daemon tells it where it can, else one has to look again and again. */
import { setTimeout as pause } from 'node:timers/promises';
import { StageError } from '../errors.ts';
import type { ApiClient } from './api-client.ts';

/** The daemon takes 50; what stands in between often cuts connections that are silent for a minute. */
const mostSeconds = 30;

export interface Patience {
  /** How long to wait at most. */
  readonly mostMs: number;
  /** When to look again where the daemon cannot tell. */
  readonly intervalMs: number;
  /** Ends the waiting; the promise rejects then. */
  readonly signal: AbortSignal;
}

/**
 * Waits for an event behind the known one. Gives the number of the last one that it was told of: the known one where nothing has
 * happened; null where the daemon could not tell, and whoever waits has to look. Rejects when the signal is aborted.
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
    const told = await listBehind(api, sessionId, { after, limit: 1, wait, signal });
    if (told === 'gone') return null;
    if (told !== null && told !== after) return told;
    // an empty answer before its time: a daemon that does not know how to wait, or one that stops
    if (told !== null && performance.now() - begun > wait * 900) return after;
  }
  await pause(Math.min(intervalMs, mostMs), undefined, { signal });
  return null;
}

/** Follows one session. Events are read before what they tell of: nothing that happens in between is missed. */
export class News {
  readonly #api: ApiClient;
  readonly #sessionId: string;
  #last = '0';
  #isBegun = false;

  constructor(api: ApiClient, sessionId: string) {
    this.#api = api;
    this.#sessionId = sessionId;
  }

  /** Gives whether something may have happened since the last call; the first one is answered at once. */
  async next(patience: Patience): Promise<boolean> {
    if (!this.#isBegun) {
      this.#isBegun = true;
      await this.#catchUp();
      return true;
    }
    const told = await nextEvent(this.#api, this.#sessionId, this.#last, patience);
    const isNews = told !== this.#last;
    this.#last = told ?? this.#last;
    return isNews;
  }

  /** Begins behind what has happened by now; at the beginning where the daemon does not tell. */
  async #catchUp(): Promise<void> {
    try {
      this.#last = (await this.#api.getSession(this.#sessionId)).value.lastEvent;
    } catch (error) {
      if (!(error instanceof StageError)) throw error;
    }
  }
}

type Listed = Parameters<ApiClient['listEvents']>[1] & { readonly after: string };

/** Gives the last number of a page; `gone` for a session that is not there, null where the daemon cannot tell. */
async function listBehind(api: ApiClient, id: string, page: Listed): Promise<string | null> {
  try {
    return (await api.listEvents(id, page)).value.at(-1)?.number ?? page.after;
  } catch (error) {
    if (!(error instanceof StageError) || page.signal?.aborted) throw error;
    return error.code === 'session_not_found' ? 'gone' : null;
  }
}
