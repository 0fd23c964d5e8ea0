/** The pool under the service account's database: connections that keep their settings, and that are cut when no answer comes. */
import pg from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { StageError } from '../errors.ts';
import type { PoolCounts } from '../metrics-pools.ts';
import { AnswerWatch } from './answer-watch.ts';
import type { Backend } from './backend.ts';
import { meetBackend, socketOf } from './backend.ts';
import { connectionOptions, keepAlive } from './connection-settings.ts';
import type { Queryable, Row } from './queryable.ts';
import { explainConnecting, isTrouble } from './upstream-error.ts';

export interface PoolOptions {
  /** Connection URL of the service account; sslmode is honoured. Asked for each connection where it may change. */
  readonly url: string | (() => string);
  readonly maxConnections?: number;
  /** So many stay open once `open` was called, whether they are needed or not. */
  readonly keepOpen?: number;
  /** A connection older than this is not used again: what a new one would meet is noticed by then. */
  readonly maxLifetimeSeconds?: number;
  /** Also uses connections that do not keep their settings, for those who look why. */
  readonly anySettings?: boolean;
  /** Receives errors of idle connections, which the pool replaces by itself. */
  readonly onError?: (error: Error) => void;
}

export interface Connection extends Queryable {
  /** Ends the transaction. @returns whether the change is kept on this host alone: the wait for a synchronous standby was cut short */
  commit(): Promise<{ readonly isLocal: boolean }>;
  /** Null where it is not known, because any settings will do. */
  readonly backend: Backend | null;
  /** Has the connection closed once it is given back. */
  discard(error: Error): void;
}

export interface Connections {
  /** Lends a connection for some work. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  counts(): Omit<PoolCounts, 'oldestSnapshotMs'>;
  /** Changes how many connections there may be. */
  resize(maxConnections: number): void;
  /** Opens connections until there are as many as are kept open. */
  open(): Promise<void>;
  /** Closes every connection once it is idle. */
  close(): Promise<void>;
}

const connectionTimeoutMillis = 10_000;
const unknown = { backend: null, at: Number.POSITIVE_INFINITY };
const textOnly = { getTypeParser: () => (value: string) => value };

/** Opens the pool. Nothing connects before it is used. */
export function openConnections(options: PoolOptions): Connections {
  const config: pg.ClientConfig = {
    ...readUrl(urlOf(options)),
    ...keepAlive,
    application_name: 'stage',
    options: connectionOptions,
    types: textOnly as unknown as pg.CustomTypesConfig,
  };
  const opened = new WeakMap<object, { readonly backend: Backend; readonly at: number }>();
  const watch = new AnswerWatch(config);
  const meet = async (client: pg.ClientBase) => {
    const at = performance.now();
    opened.set(client, { backend: await meetBackend(client), at });
  };
  const pool = new pg.Pool({
    ...config,
    max: options.maxConnections ?? 10,
    min: options.keepOpen ?? 0,
    maxLifetimeSeconds: options.maxLifetimeSeconds ?? 0,
    connectionTimeoutMillis,
    ...(options.anySettings ? {} : { onConnect: meet }),
  });
  pool.on('error', (error) => options.onError?.(error));
  const follow = followUrl(options, [config, pool.options]);
  const use = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    for (;;) {
      if (pool.ending) throw shuttingDown();
      const movedAt = follow();
      const client = await take(pool);
      const { backend, at } = opened.get(client) ?? unknown;
      if (at > Math.max(watch.lastCut, movedAt)) return lend(client, watch, backend, work);
      // its end would be waited for, and those who wait for a place with it
      socketOf(client).destroy();
      client.release(true);
    }
  };
  return {
    use,
    counts: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      most: pool.options.max,
      waiting: pool.waitingCount,
    }),
    resize: (maxConnections) => {
      pool.options.max = maxConnections;
    },
    open: () => fill(pool, options.keepOpen ?? 0),
    close: () => pool.end(),
  };
}

function take(pool: pg.Pool): Promise<pg.PoolClient> {
  return pool.connect().catch((error: unknown) => {
    throw explainConnecting(error);
  });
}

const urlOf = ({ url }: PoolOptions) => (typeof url === 'string' ? url : url());

/** Has new connections go where the URL leads. @returns tells since when; older connections lead elsewhere */
function followUrl(options: PoolOptions, configs: readonly pg.ClientConfig[]): () => number {
  let url = urlOf(options);
  let movedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (url === urlOf(options)) return movedAt;
    url = urlOf(options);
    movedAt = performance.now();
    for (const config of configs) Object.assign(config, readUrl(url));
    return movedAt;
  };
}

/** Those that are used at the moment are open already. */
async function fill(pool: pg.Pool, count: number): Promise<void> {
  if (pool.ending) throw shuttingDown();
  const missing = Math.max(0, count - pool.totalCount);
  const opened = await Promise.allSettled(Array.from({ length: missing }, () => pool.connect()));
  for (const each of opened) if (each.status === 'fulfilled') each.value.release();
  for (const each of opened) if (each.status === 'rejected') throw each.reason;
}

/** A request may still be on its way when the service stops. */
function shuttingDown(): StageError {
  return new StageError('upstream_unavailable', 'the service is shutting down', {
    hint: 'Try again when it has started anew.',
  });
}

async function lend<T>(
  client: pg.PoolClient,
  watch: AnswerWatch,
  backend: Backend | null,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  let broken: Error | undefined;
  // a connection that ends between two queries says so here; without a listener the process would end with it
  const discard = (error: Error) => {
    broken = error;
  };
  client.on('error', discard);
  const query: Queryable['query'] = async (text, values) => {
    const answer = client.query<Row>(text, values && [...values]);
    const watched = backend === null ? answer : watch.over(backend, socketOf(client), answer);
    try {
      return (await watched).rows;
    } catch (error) {
      if (isTrouble(error)) discard(error as Error);
      throw error;
    }
  };
  const commit = async () => {
    let isLocal = false;
    // the words of the warning depend on lc_messages
    const hear = ({ routine }: { readonly routine?: string | undefined }) => {
      isLocal ||= routine === 'SyncRepWaitForLSN';
    };
    client.on('notice', hear);
    await query('COMMIT').finally(() => client.off('notice', hear));
    return { isLocal };
  };
  try {
    return await work({ backend, query, commit, discard });
  } finally {
    client.off('error', discard);
    client.release(broken);
  }
}

/** Reads the URL with libpq's meaning of sslmode; pg by itself takes `require` for `verify-full`. */
export function readUrl(url: string): pg.ClientConfig {
  const parsed = parse(url, { useLibpqCompat: true });
  // pg cannot fall back from one to the other, so where either will do it stays without TLS
  const either = ['allow', 'prefer'].includes(String(parsed['sslmode']));
  return { ...toClientConfig(parsed), ...(either ? { ssl: false } : {}) };
}
