/**
 * Watches over statements that have no answer yet. A path on which nothing comes any more is silent in the same way as a server
 * that works: so the server is asked, on another connection, whether it still does, and a connection that waits in vain is cut.
 */
import type { Socket } from 'node:net';
import pg from 'pg';
import type { Backend } from './backend.ts';
import { askWhatTheyDo, endBackends, keyOf, onConnection } from './backend.ts';
import { longestStatementMs } from './connection-settings.ts';
import type { Queryable } from './queryable.ts';

interface Waiting {
  readonly backend: Backend;
  readonly socket: Socket;
  readonly since: number;
  /** What had come on the socket at the last look. */
  read: number;
  /** In how many looks on end the backend had nothing to do, and nothing came. */
  idle: number;
}

/** Answers that take less are not looked at. */
const patienceMs = 2_000;
const betweenLooksMs = 1_000;
const lookMs = 4_000;
/** The answer may be under way while the backend has nothing to do any more. */
const idleLooks = 2;
/** For how long nobody may be reached before that is taken for an answer, too. */
const unreachableMs = 10_000;

export class AnswerWatch {
  readonly #config: pg.ClientConfig;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #unreachableSince: number | null = null;
  #lastCut = Number.NEGATIVE_INFINITY;

  /** @param config of the connections by which it looks */
  constructor(config: pg.ClientConfig) {
    this.#config = config;
  }

  /** When a connection was last cut: those that were open by then went the same way. */
  get lastCut(): number {
    return this.#lastCut;
  }

  /** Waits for the answer to a statement; its connection is cut when none will come. */
  async over<T>(backend: Backend, socket: Socket, answer: Promise<T>): Promise<T> {
    const entry = { backend, socket, since: performance.now(), read: socket.bytesRead, idle: 0 };
    this.#waiting.add(entry);
    this.#schedule();
    try {
      return await answer;
    } finally {
      this.#waiting.delete(entry);
    }
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      void this.#lookAtLate().finally(() => {
        this.#timer = undefined;
        if (this.#waiting.size > 0) this.#schedule();
      });
    }, betweenLooksMs).unref();
  }

  async #lookAtLate(): Promise<void> {
    const late = this.#waitingFor(patienceMs);
    if (late.length === 0) {
      this.#unreachableSince = null;
      return;
    }
    const began = performance.now();
    try {
      await onConnection(this.#config, lookMs, (db) => this.#judge(db, late));
      this.#unreachableSince = null;
    } catch (error) {
      // a server that refuses us is there
      const refused = error instanceof pg.DatabaseError;
      this.#unreachableSince = refused ? null : (this.#unreachableSince ?? began);
    }
    this.#cut(this.#waitingFor(longestStatementMs));
    if (performance.now() - (this.#unreachableSince ?? Number.POSITIVE_INFINITY) > unreachableMs)
      this.#cut(this.#waitingFor(patienceMs).filter(isSilent));
  }

  #waitingFor(ms: number): Waiting[] {
    return [...this.#waiting].filter(({ since }) => performance.now() - since > ms);
  }

  #cut(entries: readonly Waiting[]): void {
    if (entries.length > 0) this.#lastCut = performance.now();
    for (const { socket } of entries)
      socket.destroy(new Error('the connection was lost: no answer came any more'));
  }

  /** Cuts those whose backends have had nothing to do for some looks, and ends these. */
  async #judge(db: Queryable, late: readonly Waiting[]): Promise<void> {
    const backends = late.map(({ backend }) => backend);
    const doing = await askWhatTheyDo(db, backends);
    for (const entry of late) {
      const does = doing.get(keyOf(entry.backend));
      // of one that is gone nothing comes any more
      if (does === 'working' || !isSilent(entry)) entry.idle = 0;
      else entry.idle += does === 'gone' ? idleLooks : 1;
      entry.read = entry.socket.bytesRead;
    }
    const lost = late.filter((entry) => entry.idle >= idleLooks && this.#waiting.has(entry));
    this.#cut(lost);
    await endBackends(
      db,
      lost.map(({ backend }) => backend),
    );
  }
}

const isSilent = ({ socket, read }: Waiting) => socket.bytesRead === read;
