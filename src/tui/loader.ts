/** Connects the state with the daemon: fetches what the screen lacks, and polls for changes. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../client/api-client.ts';
import { isLeftOut } from '../client/brief.ts';
import { causeInWords } from '../client/cause-words.ts';
import type { ChangeFilter } from '../client/filters.ts';
import { markKey } from '../client/marks.ts';
import { News } from '../client/news.ts';
import { checkSession } from '../client/policy.ts';
import { StageError } from '../errors.ts';
import type { Dispatch } from './app.tsx';
import { Polling } from './polling.ts';
import { RequestRunner, sentenceOf } from './request-runner.ts';
import type { DataNeed, PageNeed } from './state/data-needs.ts';
import { dataNeedsOf } from './state/data-needs.ts';
import type { Sort, State } from './state/state.ts';
import { operationOf } from './state/state.ts';
import type { StatementFactsReader } from './statement-facts-reader.ts';

/** The shortest intervals between reads of the session and of the conflicts. Expensive reads are rarer, to spare the database. */
const sessionEveryMs = 2000;
const conflictsEveryMs = 5000;
/** The longest wait for an event while nothing else can happen: a proposed or decided session takes no statements. */
const quietMs = 60_000;
/** The maximum number of comments that are shown. */
const mostComments = 500;
/** The wait after a read, as a multiple of its duration. */
const rest = { session: 2, conflicts: 20 };

export interface LoaderOptions {
  readonly api: ApiClient;
  readonly id: string;
  /** The approver, for the audit. */
  readonly approver: string | undefined;
  readonly facts: StatementFactsReader;
  readonly dispatch: Dispatch;
  /** Ends all running requests. */
  readonly signal: AbortSignal;
}

function deferred() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function orderOf(sort: Sort | null): Pick<ChangeFilter, 'sort' | 'descending'> {
  if (sort === null) return {};
  return { sort: sort.column, ...(sort.descending ? { descending: 'true' } : {}) };
}

export class Loader {
  readonly #options: LoaderOptions;
  /** Needs that are being fetched or that the daemon refused. They are not requested again. */
  readonly #known = new Set<string>();
  readonly #runner: RequestRunner;
  #commentCount = 0;
  #seen = '';
  #isOffline = false;
  /** Whether every change of the session produces an event. */
  #isQuiet = false;
  readonly #polling: Polling;
  /** Resolved when the screen has something to show. */
  readonly #seenRows = deferred();

  constructor(options: LoaderOptions) {
    this.#options = options;
    const { signal } = options;
    this.#polling = new Polling({ signal, failed: (error) => this.#reportError(error) });
    this.#runner = new RequestRunner({ ...options, done: () => this.hurry() });
  }

  /** Polls for changes until the signal ends it. The comparison with production waits until the screen has something to show. */
  start(): void {
    const { api, id } = this.#options;
    const news = new News(api, id);
    void this.#polling.run(
      sessionEveryMs,
      (signal) => this.#readSession(signal),
      async (readMs, signal) => {
        const intervalMs = Math.max(sessionEveryMs, readMs * rest.session);
        await news.next({ mostMs: this.#isQuiet ? quietMs : intervalMs, intervalMs, signal });
      },
    );
    void this.#seenRows.promise.then(() =>
      this.#polling.run(
        conflictsEveryMs,
        (signal) => this.#readConflicts(signal),
        (readMs, signal) =>
          delay(Math.max(conflictsEveryMs, readMs * rest.conflicts), undefined, { signal }),
      ),
    );
  }

  /** Polls at once, and drops what is being read. */
  hurry(): void {
    this.#seen = '';
    this.#known.clear();
    this.#polling.hurry();
  }

  /** Fetches what a state lacks, and has its requests carried out. */
  follow(state: State): void {
    for (const need of dataNeedsOf(state)) void this.#meet(need);
    const mutation = state.pane === 'log' ? state.mutations.get(state.mutation) : undefined;
    const query = mutation?.query ?? null;
    if (mutation && query !== null && !state.facts.has(mutation.id)) {
      void this.#once(`facts ${mutation.id}`, async () => {
        const facts = await this.#options.facts.read(query);
        this.#options.dispatch({ type: 'facts', id: mutation.id, facts });
        return true;
      });
    }
    this.#runner.follow(state);
  }

  /** Reports an error: an unreachable service until it responds again, any other error until the next key. */
  #reportError(error: unknown): void {
    const { signal, dispatch } = this.#options;
    if (signal.aborted) return;
    const isGone = error instanceof StageError && error.exit === 7;
    if (!isGone) {
      dispatch({ type: 'notice', text: sentenceOf(error), alarm: true });
      return;
    }
    this.#isOffline = true;
    // everything that was missed is read once it is back
    this.#seen = '';
    dispatch({ type: 'offline', text: error.message });
  }

  /** Reads the session. Reads its outline only if the session has changed. */
  async #readSession(signal: AbortSignal): Promise<void> {
    const { api, id, dispatch } = this.#options;
    const first = this.#seen === '';
    const [{ value: session }, info, caller] = await Promise.all([
      api.getSession(id),
      first ? api.info() : null,
      first ? api.whoami() : null,
    ]);
    // guard: a read from before a decision does not undo what the review shows
    signal.throwIfAborted();
    if (this.#isOffline) {
      this.#isOffline = false;
      dispatch({ type: 'offline', text: null });
    }
    this.#isQuiet = session.status !== 'active';
    if (caller !== null) dispatch({ type: 'caller', caller: caller.value });
    dispatch({ type: 'session', session, database: info?.value.database });
    await this.#readComments();
    const revision = `${session.status} ${session.mutationCount} ${session.edits}`;
    if (revision !== this.#seen) await this.#readOutline(revision, signal);
    void this.#once(`policy ${revision} ${session.lastEvent}`, () => this.#readPolicy());
  }

  async #readOutline(revision: string, signal: AbortSignal): Promise<void> {
    const { api, id, dispatch } = this.#options;
    const { value: outline } = await api.readOutline(id);
    signal.throwIfAborted();
    this.#seen = revision;
    this.#known.clear();
    dispatch({ type: 'outline', outline });
    // without rows to wait for, conflicts are compared at once
    const [table] = outline.tables;
    if (!table || table.hidden || table.chunks.length === 0) this.#seenRows.resolve();
  }

  /** Reads the rules and the votes. They are read again after each event of the session. */
  async #readPolicy(): Promise<boolean> {
    const { api, id, dispatch } = this.#options;
    try {
      dispatch({ type: 'policy', policy: (await checkSession(api, id)).value });
    } catch (error) {
      if (!(error instanceof StageError) || !isLeftOut(error.code)) throw error;
      dispatch({ type: 'policy', policy: null });
    }
    return false;
  }

  /** Reads the latest comments if their number has changed. */
  async #readComments(): Promise<void> {
    const { api, id, dispatch } = this.#options;
    const { totalCount } = (await api.listComments(id, { limit: 0 })).value;
    if (totalCount === this.#commentCount) return;
    const page = { limit: mostComments, offset: Math.max(0, totalCount - mostComments) };
    const { items: comments } = (await api.listComments(id, page)).value;
    this.#commentCount = totalCount;
    dispatch({ type: 'comments', comments });
  }

  async #readConflicts(signal: AbortSignal): Promise<void> {
    const { api, id, dispatch } = this.#options;
    const { value: conflicts } = await api.findConflicts(id);
    // guard: a comparison from before a resolution does not bring its conflict back
    signal.throwIfAborted();
    dispatch({ type: 'conflicts', conflicts });
  }

  async #meet(need: DataNeed): Promise<void> {
    await this.#once(JSON.stringify(need), () => this.#fetch(need));
  }

  /** Does work unless it is under way, or has returned false or failed since the session last changed or `hurry` was called. */
  async #once(name: string, work: () => Promise<boolean>): Promise<void> {
    if (this.#known.has(name)) return;
    this.#known.add(name);
    try {
      if (await work()) this.#known.delete(name);
    } catch (error) {
      this.#reportError(error);
    }
  }

  /** Fetches a need. Returns whether the daemon had it. */
  async #fetch(need: DataNeed): Promise<boolean> {
    const { api, id, dispatch } = this.#options;
    switch (need.kind) {
      case 'page':
        return this.#fetchPage(need);
      case 'search': {
        const { table, filter, cursor, text } = need;
        const wanted = { table, type: operationOf(filter), cursor, search: text, limit: 200 };
        dispatch({ type: 'found', need, page: (await api.listChanges(id, wanted)).value });
        return true;
      }
      case 'mutations': {
        const { value } = await api.listMutations(id, { offset: need.offset, limit: 100 });
        const { items, totalCount: total } = value;
        dispatch({ type: 'mutations', offset: need.offset, items, total });
        return items.length > 0;
      }
      case 'why': {
        const { table, number } = need;
        const wanted = {
          table,
          cursor: String(BigInt(number) - 1n),
          limit: 1,
          why: 'true',
        } as const;
        const { value: page } = await api.listChanges(id, wanted);
        const change = page.changes.find((found) => found.number === number);
        const known = new Map(page.mutations?.map((mutation) => [mutation.id, mutation]));
        const causes = change?.why ?? [];
        dispatch({
          type: 'why',
          key: markKey({ table, number }),
          causes: causes.map((cause) => causeInWords(cause, known.get(cause.mutationId))),
        });
        return true;
      }
      case 'brief':
        return this.#fetchBrief();
      case 'digest': {
        const text = await api.readDigest(id);
        dispatch({ type: 'digest', digest: { revision: need.revision, text } });
        return true;
      }
    }
  }

  /** Fetches the brief. One that cannot be read is requested again once the session has changed. */
  async #fetchBrief(): Promise<boolean> {
    const { api, id, dispatch } = this.#options;
    try {
      dispatch({ type: 'brief', brief: (await api.readBrief(id)).value });
    } catch (error) {
      if (!(error instanceof StageError) || !isLeftOut(error.code)) throw error;
    }
    return false;
  }

  async #fetchPage(need: PageNeed): Promise<boolean> {
    const { api, id, dispatch } = this.#options;
    const { table, filter, sort, cursor, offset, limit } = need;
    const order = { type: operationOf(filter), ...orderOf(sort) };
    const wanted = { table, ...order, cursor, offset, limit };
    const { value: page } = await api.listChanges(id, wanted);
    dispatch({ type: 'page', need, page });
    this.#seenRows.resolve();
    if (page.revision !== need.revision) this.hurry();
    return page.changes.length > 0 && page.revision === need.revision;
  }
}
