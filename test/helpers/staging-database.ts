/** A database with overlays, in which statements are staged without the proxy, for tests of reviews. */
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { createDatabase } from '../../src/db/database.ts';
import type { Change } from '../../src/model/change.ts';
import { JsonText } from '../../src/model/json.ts';
import type { ConflictScope } from '../../src/model/session.ts';
import { createOverlayManager } from '../../src/overlay/install/manager.ts';
import { readDiff } from '../../src/review/diff/diff.ts';
import { createSession } from '../../src/staging/session-store.ts';
import type { TestDatabase } from './database.ts';
import { createTestDatabase } from './database.ts';

export type Contents = Readonly<Record<string, readonly string[]>>;

export interface StagingDatabase {
  readonly database: TestDatabase;
  readonly service: Database;
  /** Opens the connections of another daemon. They end with the staging database. */
  another(): Database;
  /** Creates a session and returns its id. */
  open(scope?: ConflictScope): Promise<string>;
  /** Opens a connection that writes to a session's overlays. The caller ends it. */
  connect(session: string): Promise<pg.Client>;
  /** Stages statements, separated by `;`, each in its own transaction; BEGIN and COMMIT among them apply. */
  stage(session: string, statements: string): Promise<void>;
  /** Returns every row of every table as sorted text: of production, or as a session sees it. */
  contents(session?: string): Promise<Contents>;
  /** Returns the number of rows that the given sessions have staged. */
  stagedRows(...sessions: string[]): Promise<number>;
  /** Empties the tables and inserts the data again. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates the database.
 * @param data INSERT statements, which reset() runs again
 */
export async function createStagingDatabase(schema: string, data = ''): Promise<StagingDatabase> {
  const database = await createTestDatabase({ template: 'migrated' });
  await database.query(schema);
  await database.query(data);
  const services: Database[] = [];
  const another = () => {
    const service = createDatabase({ url: database.url });
    services.push(service);
    return service;
  };
  const service = another();
  const tables = await database.query<{ oid: number; name: string }>(
    `SELECT oid::int, oid::regclass::text AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`,
  );
  await createOverlayManager(service).ensure(tables.map(({ oid }) => oid));
  const names = tables.map(({ name }) => name);
  const path = await overlayPath(database);
  const enter = (session: string) =>
    `SET search_path = ${path}; SET stage.session = '${session.slice(5)}'`;
  const connect = async (session: string) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(enter(session));
    return client;
  };
  // A used connection has cached the overlays. A new one costs more than most statements.
  const idle: pg.Client[] = [];
  const borrow = async <T>(session: string, work: (client: pg.Client) => Promise<T>) => {
    const kept = idle.pop();
    const client = kept ?? (await connect(session));
    try {
      if (kept !== undefined) await kept.query(enter(session));
      const result = await work(client);
      idle.push(client);
      return result;
    } catch (error) {
      await client.query('ROLLBACK').then(
        () => idle.push(client),
        () => client.end(),
      );
      throw error;
    }
  };
  return {
    database,
    service,
    another,
    open: async (conflictScope) => {
      const metadata = new JsonText('{}');
      return (
        await createSession(service, {
          projectId: 'test',
          metadata,
          reads: 'staged',
          conflictScope,
        })
      ).id;
    },
    connect,
    stage: (session, statements) => borrow(session, (client) => runAll(client, statements)),
    contents: async (session) => {
      if (session === undefined) return readContents(database, names);
      return borrow(session, (client) =>
        readContents({ query: async (text: string) => (await client.query(text)).rows }, names),
      );
    },
    stagedRows: async (...sessions) => {
      const ids = sessions.map((session) => session.slice(5));
      const counts = tables.map(
        ({ oid }) =>
          `SELECT count(*) AS n FROM stage_data.shadow_${oid} WHERE _stage_session = ANY ($1::uuid[])`,
      );
      const [row] = await database.query<{ n: string }>(
        `SELECT sum(n) AS n FROM (${counts.join(' UNION ALL ')}) x`,
        [ids],
      );
      return Number(row?.n);
    },
    reset: async () => {
      // TRUNCATE would count as a change of the tables' definitions.
      const deletions = names.map((name) => `DELETE FROM ${name};`).join('');
      await database.query(
        `BEGIN; SET LOCAL session_replication_role = replica; ${deletions} COMMIT`,
      );
      await database.query(data);
    },
    close: async () => {
      await Promise.all(idle.map((client) => client.end()));
      await Promise.all(services.map((each) => each.close()));
      await database.drop();
    },
  };
}

/** Returns a diff's changes with their JSON parsed. */
export async function diffOf(service: Database, session: string) {
  const diff = await readDiff(service, session);
  try {
    const changes: Change[] = [];
    for await (const piece of diff.changes) changes.push(...piece);
    const counts = diff.counts.map(({ columns: _, triggers: __, ...counted }) => counted);
    return { counts, digest: await diff.digest(), changes: changes.map(plainChange) };
  } finally {
    await diff.close();
  }
}

const parse = (json: JsonText | null): unknown => (json === null ? null : JSON.parse(json.text));

function plainChange({ table, type, rowId, before, after }: Change) {
  return { table, type, rowId: parse(rowId), before: parse(before), after: parse(after) };
}

async function overlayPath(database: TestDatabase): Promise<string> {
  const [row] = await database.query<{ oid: number }>(`SELECT 'public'::regnamespace::oid AS oid`);
  return `stage_overlay_${row?.oid}, public`;
}

async function runAll(client: pg.Client, statements: string): Promise<void> {
  let inTransaction = false;
  for (const text of statements.split(';').map((part) => part.trim())) {
    if (text === '') continue;
    const control = /^(BEGIN|COMMIT|ROLLBACK)\b/i.exec(text)?.[1]?.toUpperCase();
    if (control !== undefined) {
      inTransaction = control === 'BEGIN';
      await client.query(text);
      continue;
    }
    if (!inTransaction) await client.query('BEGIN');
    await client.query(
      `SELECT stage.begin_statement($1, $2, $3, $4, current_setting('search_path'))`,
      [text, '[]', '[]', '{}'],
    );
    await client.query(text);
    if (!inTransaction) await client.query('COMMIT');
  }
}

interface Asker {
  query(text: string): Promise<Record<string, unknown>[]>;
}

async function readContents(asker: Asker, names: readonly string[]): Promise<Contents> {
  const contents: Record<string, string[]> = {};
  for (const name of names) {
    const rows = await asker.query(`SELECT x::text AS row FROM ${name} x`);
    contents[name] = rows.map((row) => String(row['row'])).sort();
  }
  return contents;
}
