/**
 * Monitors statements that wait for a response. A broken network path is as silent as a busy server. So another connection asks the
 * server whether it still works on the statement; if not, the waiting connection is cut.
 */
import type { Socket } from 'node:net';
import pg from 'pg';
import type { Backend } from './backend.ts';
import { endBackends, keyOf, onConnection, queryActivity } from './backend.ts';
import { longestStatementMs } from './connection-settings.ts';
import type { Queryable } from './queryable.ts';

interface Waiting {
  readonly backend: Backend;
  readonly socket: Socket;
  readonly since: number;
  /** Bytes read from the socket at the last check. */
  read: number;
  /** Number of consecutive checks in which the backend was not working and no bytes arrived. */
  idle: number;
}

/** Statements that take less time are not checked. */
const patienceMs = 2_000;
const checkIntervalMs = 1_000;
const checkTimeoutMs = 4_000;
/** The response may still be in transit when the backend is no longer working. */
const idleChecks = 2;
/** After this time without a connection to the server, the waiting connections are cut as well. */
const unreachableMs = 10_000;

export class ResponseMonitor {
  readonly #config: pg.ClientConfig;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #unreachableSince: number | null = null;
  #lastCut = Number.NEGATIVE_INFINITY;

  /** @param config configuration of the connections that are opened for the checks */
  constructor(config: pg.ClientConfig) {
    this.#config = config;
  }

  /** When a connection was last cut. Connections that were open at that time are not used again. */
  get lastCut(): number {
    return this.#lastCut;
  }

  /** Waits for the response to a statement, and cuts the connection if no response will come. */
  async over<T>(backend: Backend, socket: Socket, response: Promise<T>): Promise<T> {
    const entry = { backend, socket, since: performance.now(), read: socket.bytesRead, idle: 0 };
    this.#waiting.add(entry);
    this.#schedule();
    try {
      return await response;
    } finally {
      this.#waiting.delete(entry);
    }
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      void this.#checkLate().finally(() => {
        this.#timer = undefined;
        if (this.#waiting.size > 0) this.#schedule();
      });
    }, checkIntervalMs).unref();
  }

  async #checkLate(): Promise<void> {
    const late = this.#waitingFor(patienceMs);
    if (late.length === 0) {
      this.#unreachableSince = null;
      return;
    }
    const began = performance.now();
    try {
      await onConnection(this.#config, checkTimeoutMs, (db) => this.#cutIdle(db, late));
      this.#unreachableSince = null;
    } catch (error) {
      // a server that refuses the connection is reachable
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

  /** Cuts the connections whose backends were not working for several checks, and terminates these backends. */
  async #cutIdle(db: Queryable, late: readonly Waiting[]): Promise<void> {
    const backends = late.map(({ backend }) => backend);
    const activities = await queryActivity(db, backends);
    for (const entry of late) {
      const activity = activities.get(keyOf(entry.backend));
      // a terminated backend sends nothing more
      if (activity === 'working' || !isSilent(entry)) entry.idle = 0;
      else entry.idle += activity === 'gone' ? idleChecks : 1;
      entry.read = entry.socket.bytesRead;
    }
    const lost = late.filter((entry) => entry.idle >= idleChecks && this.#waiting.has(entry));
    this.#cut(lost);
    await endBackends(
      db,
      lost.map(({ backend }) => backend),
    );
  }
}

const isSilent = ({ socket, read }: Waiting) => socket.bytesRead === read;
