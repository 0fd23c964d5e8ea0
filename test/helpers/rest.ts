/** The REST interface over real HTTP on a fresh database, without the proxy. */
import { createHash } from 'node:crypto';
import pg from 'pg';
import { startRestServer } from '../../src/daemon/rest-server.ts';
import type { Pool } from '../../src/db/database.ts';
import { createDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createLog } from '../../src/log.ts';
import type { Metrics } from '../../src/metrics.ts';
import { createMetrics } from '../../src/metrics.ts';
import type { RehearsalAccess, Token } from '../../src/model/access.ts';
import { ensureBound } from '../../src/overlay/install/binding.ts';
import type { OverlayManager } from '../../src/overlay/install/manager.ts';
import { createOverlayManager } from '../../src/overlay/install/manager.ts';
import { createRestApp } from '../../src/rest/app.ts';
import type { RestServices, UpstreamState } from '../../src/rest/services.ts';
import { createEventWaiters } from '../../src/staging/event-waiters.ts';
import { countActiveSessions, countStaged } from '../../src/staging/session-store.ts';
import type { TestDatabase } from './database.ts';
import { createTestDatabase } from './database.ts';
import type { Answer, Sent } from './http.ts';
import { callHttp } from './http.ts';

export interface TestRest {
  readonly url: string;
  readonly database: TestDatabase;
  readonly db: Pool;
  readonly metrics: Metrics;
  /** The logged lines. */
  readonly logged: string[];
  call(method: string, path: string, sent?: Sent): Promise<Answer>;
  /** Creates a session and returns its id. */
  newSession(body?: object): Promise<string>;
  /** Stages a statement on tables of schema public, as the proxy would; as the superuser, or as a role whose password is its name. */
  write(
    sessionId: string,
    statement: string,
    params?: readonly unknown[],
    role?: string,
  ): Promise<void>;
  stop(): Promise<void>;
}

export interface TestRestOptions {
  /** A database that the caller owns and drops. By default one is created, and dropped with the rest. */
  readonly database?: TestDatabase;
  /** The database's name in what the daemon reports; its own by default. */
  readonly databaseName?: string;
  readonly tokens?: readonly Token[];
  readonly fourEyes?: boolean;
  readonly ignoredColumns?: readonly string[];
  readonly sensitiveColumns?: readonly string[];
  readonly approveLockTimeoutMs?: number;
  readonly rehearsal?: RehearsalAccess;
  readonly rehearsalTimeoutMs?: number;
  readonly hosts?: readonly string[] | null;
  readonly upstream?: UpstreamState;
  readonly maxBodyBytes?: number;
  readonly web?: RestServices['web'];
}

/** Returns a token as the daemon stores it. The secret is its name by default. */
export function testToken(token: Partial<Omit<Token, 'hash'>> & { secret?: string } = {}): Token {
  const { name = 'operator', role = 'operator', projects = null, secret = name } = token;
  const { databaseRoles = [], expiresAt = null } = token;
  return {
    name,
    role,
    projects,
    databaseRoles,
    expiresAt,
    hash: createHash('sha256').update(secret).digest(),
  };
}

/** Starts everything; the caller stops it. */
export async function startTestRest(options: TestRestOptions = {}): Promise<TestRest> {
  const database = options.database ?? (await createTestDatabase({ template: 'migrated-sample' }));
  const db = createDatabase({ url: database.url, maxConnections: 4 });
  await migrate(db);
  await ensureBound(db);
  const state = options.upstream ?? { ready: true };
  const logged: string[] = [];
  const metrics = createMetrics({
    version: '0.0.0-test',
    countActiveSessions: () => countActiveSessions(db),
    logLinesLost: () => 0,
    countStaged: () => countStaged(db),
    pools: () => ({ reading: db.counts() }),
    upstreamReady: () => state.ready,
  });
  const events = createEventWaiters(db);
  const services: RestServices = {
    reading: db,
    deciding: db,
    events,
    clients: { of: () => [], end: () => 0 },
    metrics,
    approvalsRetried: () => 0,
    upstream: { state, check: async () => state },
    log: createLog('debug', { write: (line) => logged.push(line) }),
    access: {
      tokens: () => options.tokens ?? [],
      areStale: () => false,
      hosts: options.hosts ?? null,
    },
    info: {
      version: '0.0.0-test',
      proxy: { host: '127.0.0.1', port: 5433 },
      database: options.databaseName ?? database.name,
      embedded: null,
    },
    conflictScope: 'row',
    ignoredColumns: options.ignoredColumns ?? [],
    sensitiveColumns: options.sensitiveColumns ?? [],
    fourEyes: options.fourEyes ?? false,
    triggerDifferences: 'allow',
    approveLockTimeoutMs: options.approveLockTimeoutMs ?? 2_000,
    rehearsal: {
      access: options.rehearsal ?? 'reviewers',
      timeoutMs: options.rehearsalTimeoutMs ?? 30_000,
      scanRows: 1_000_000,
    },
    web: options.web ?? null,
    maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
    stallTimeoutMs: 30_000,
  };
  const server = await startRestServer(createRestApp(services).callback(), {
    host: '127.0.0.1',
    port: 0,
  });
  const url = `http://127.0.0.1:${server.port}`;
  const call = (method: string, path: string, sent?: Sent) => callHttp(url, method, path, sent);
  const writers = new Map<string, pg.Client>();
  const overlays = createOverlayManager(db);
  return {
    url,
    database,
    db,
    metrics,
    logged,
    call,
    newSession: async (body = {}) =>
      (await call('POST', '/sessions', { json: body })).body.session_id,
    write: (sessionId, statement, params = [], role = undefined) => {
      const url = role === undefined ? database.url : database.urlFor(role, role);
      return write({ database, overlays, url, writers }, sessionId, statement, params);
    },
    stop: async () => {
      for (const client of writers.values()) await client.end();
      events.close();
      await server.stop(0);
      await db.close();
      if (!options.database) await database.drop();
    },
  };
}

interface Writing {
  readonly database: TestDatabase;
  readonly overlays: OverlayManager;
  readonly url: string;
  /** Idle connections by their URLs. One that has cached the overlays costs less than a new one. */
  readonly writers: Map<string, pg.Client>;
}

async function write(
  { database, overlays, url, writers }: Writing,
  sessionId: string,
  statement: string,
  params: readonly unknown[],
): Promise<void> {
  // as the proxy does: overlays are made for tables that lack a current one
  const tables = await database.query<{ oid: number; namespace: number; lacking: boolean }>(
    `SELECT oid::int, relnamespace::int AS namespace,
       (stage.stand_in(oid, CASE relkind WHEN 'p' THEN 'partitioned' ELSE 'table' END, false, 'UPDATE') -> 'isLacking')::boolean AS lacking
     FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const lacking = tables.filter((table) => table.lacking).map(({ oid }) => oid);
  if (lacking.length > 0) await overlays.ensure(lacking);
  const client = writers.get(url) ?? (await connectWriter(url));
  // one that fails is not used again
  writers.delete(url);
  try {
    await client.query(
      `SET search_path = stage_overlay_${tables[0]?.namespace}, public; SET stage.session = '${sessionId.slice('sess_'.length)}'`,
    );
    await client.query('BEGIN');
    await client.query(
      `SELECT stage.begin_statement($1, $2, '[]', '{}', current_setting('search_path'))`,
      [statement, JSON.stringify(params)],
    );
    await client.query(statement, [...params]);
    await client.query('COMMIT');
  } catch (error) {
    await client.end();
    throw error;
  }
  await writers.get(url)?.end();
  writers.set(url, client);
}

async function connectWriter(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // dropping the database ends the connection
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
