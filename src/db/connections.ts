/** The connection pool of the service account: connections with verified settings, which are cut if no response will come. */
import pg from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { StageError } from '../errors.ts';
import type { PoolCounts } from '../metrics-pools.ts';
import type { Backend } from './backend.ts';
import { meetBackend, socketOf } from './backend.ts';
import { connectionOptions, keepAlive } from './connection-settings.ts';
import type { Queryable, Row } from './queryable.ts';
import { ResponseMonitor } from './response-monitor.ts';
import { explainConnecting, isTrouble } from './upstream-error.ts';

export interface PoolOptions {
  /** Connection URL of the service account, including sslmode. A function is called for each connection, because the URL may change. */
  readonly url: string | (() => string);
  readonly maxConnections?: number;
  /** Number of connections that stay open after `open` was called, even if idle. */
  readonly keepOpen?: number;
  /** Connections older than this are replaced, so that problems which affect only new connections are noticed. */
  readonly maxLifetimeSeconds?: number;
  /** Whether to accept connections that lose their settings, in order to diagnose them. */
  readonly anySettings?: boolean;
  /** Called for errors of idle connections, which the pool replaces. */
  readonly onError?: (error: Error) => void;
}

export interface Connection extends Queryable {
  /** Commits. @returns `isLocal`: the wait for a synchronous standby was cut short, so only this host may have the change */
  commit(): Promise<{ readonly isLocal: boolean }>;
  /** Null if unknown, because settings are not verified. */
  readonly backend: Backend | null;
  /** Closes the connection when it is returned to the pool. */
  discard(error: Error): void;
}

export interface Connections {
  /** Runs work on a connection from the pool. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  counts(): Omit<PoolCounts, 'oldestSnapshotMs'>;
  /** Changes the maximum number of connections. */
  resize(maxConnections: number): void;
  /** Opens connections until `keepOpen` of them are open. */
  open(): Promise<void>;
  /** Closes every connection as soon as it is idle. */
  close(): Promise<void>;
}

/** The SQLSTATE of a message of `stage.restore_settings`. */
const keepsSettings = 'ST007';

const connectionTimeoutMillis = 10_000;
const unknown = { backend: null, at: Number.POSITIVE_INFINITY };
const textOnly = { getTypeParser: () => (value: string) => value };

/** Creates the pool. It opens connections on first use. */
export function openConnections(options: PoolOptions): Connections {
  const config: pg.ClientConfig = {
    ...readUrl(urlOf(options)),
    ...keepAlive,
    application_name: 'stage',
    options: connectionOptions,
    types: textOnly as unknown as pg.CustomTypesConfig,
  };
  const opened = new WeakMap<object, { readonly backend: Backend; readonly at: number }>();
  const monitor = new ResponseMonitor(config);
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
  listen(pool, options);
  const follow = followUrl(options, [config, pool.options]);
  const use = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    for (;;) {
      if (pool.ending) throw shuttingDown();
      const movedAt = follow();
      const client = await take(pool);
      const { backend, at } = opened.get(client) ?? unknown;
      if (at > Math.max(monitor.lastCut, movedAt)) return lend(client, monitor, backend, work);
      // a graceful close would delay the requests that wait for a connection
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

/** Without a listener, the error of a connection that is taken but not yet used would end the process. */
function listen(pool: pg.Pool, { onError }: PoolOptions): void {
  pool.on('error', (error) => onError?.(error));
  // guard: a connection that ends while others are opened does not end the process
  pool.on('connect', (client) => client.on('error', () => undefined));
}

function take(pool: pg.Pool): Promise<pg.PoolClient> {
  return pool.connect().catch((error: unknown) => {
    throw explainConnecting(error);
  });
}

const urlOf = ({ url }: PoolOptions) => (typeof url === 'string' ? url : url());

/** Lets new connections use the current URL. @returns a function that returns when the URL last changed; older connections are outdated */
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

/** Opens connections until `count` of them are open, including those in use. */
async function fill(pool: pg.Pool, count: number): Promise<void> {
  if (pool.ending) throw shuttingDown();
  const missing = Math.max(0, count - pool.totalCount);
  const opened = await Promise.allSettled(Array.from({ length: missing }, () => pool.connect()));
  for (const each of opened) if (each.status === 'fulfilled') each.value.release();
  for (const each of opened) if (each.status === 'rejected') throw each.reason;
}

/** Requests may still arrive when the service stops. */
function shuttingDown(): StageError {
  return new StageError('upstream_unavailable', 'the service is shutting down', {
    hint: 'Try again when it has started anew.',
  });
}

async function lend<T>(
  client: pg.PoolClient,
  monitor: ResponseMonitor,
  backend: Backend | null,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  let broken: Error | undefined;
  // the error of a connection that ends between two queries; without a listener it would end the process
  const discard = (error: Error) => {
    broken = error;
  };
  client.on('error', discard);
  const hear = ({ code }: { readonly code?: string | undefined }) => {
    // guard: settings of a session do not stay on a connection
    if (code === keepsSettings) discard(new Error('the connection keeps settings of a session'));
  };
  client.on('notice', hear);
  const query: Queryable['query'] = async (text, values) => {
    const response = client.query<Row>(text, values && [...values]);
    const monitored =
      backend === null ? response : monitor.over(backend, socketOf(client), response);
    try {
      return (await monitored).rows;
    } catch (error) {
      if (isTrouble(error)) discard(error as Error);
      throw error;
    }
  };
  const commit = async () => {
    let isLocal = false;
    // the text of the warning depends on lc_messages
    const hearWarning = ({ routine }: { readonly routine?: string | undefined }) => {
      isLocal ||= routine === 'SyncRepWaitForLSN';
    };
    client.on('notice', hearWarning);
    await query('COMMIT').finally(() => client.off('notice', hearWarning));
    return { isLocal };
  };
  try {
    return await work({ backend, query, commit, discard });
  } finally {
    client.off('error', discard);
    client.off('notice', hear);
    client.release(broken);
  }
}

/** Parses a connection URL with libpq's meaning of sslmode; by default pg treats `require` like `verify-full`. */
export function readUrl(url: string): pg.ClientConfig {
  const parsed = parse(url, { useLibpqCompat: true });
  // pg cannot fall back between TLS and plain connections, so modes that allow both use no TLS
  const either = ['allow', 'prefer'].includes(String(parsed['sslmode']));
  return { ...toClientConfig(parsed), ...(either ? { ssl: false } : {}) };
}
