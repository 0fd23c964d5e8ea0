/** Runs the same statements directly and staged, in two transactions that are rolled back, and returns both results. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { createDatabase } from '../../src/db/database.ts';
import { createOverlayManager } from '../../src/overlay/install/manager.ts';
import type { TestDatabase } from './database.ts';
import { createTestDatabase } from './database.ts';

/** The responses that a client receives for one statement. */
export type Outcome =
  | { readonly tag: string; readonly rows: readonly unknown[] }
  | { readonly error: Readonly<Record<string, string | undefined>> };

export interface Story {
  readonly outcomes: readonly Outcome[];
  /** Every row of every table after the statements, as sorted text. */
  readonly contents: Readonly<Record<string, readonly string[]>>;
}

export interface Differential {
  readonly database: TestDatabase;
  readonly service: Database;
  /** Runs statements, separated by `;`, both ways. */
  compare(statements: string): Promise<{ direct: Story; staged: Story }>;
  close(): Promise<void>;
}

/** Creates a database with the given schema, and overlays over all its tables in schema public. */
export async function createDifferential(schema: string): Promise<Differential> {
  const database = await createTestDatabase({ template: 'migrated' });
  await database.query(schema);
  const service = createDatabase({ url: database.url });
  const tables = await database.query<{ oid: number; name: string }>(
    `SELECT oid::int, relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  await createOverlayManager(service).ensure(tables.map(({ oid }) => oid));
  const names = tables.map(({ name }) => name);
  const session = randomBytes(16).toString('hex');
  await database.query(
    `INSERT INTO stage.session (id, project_id, metadata, reads, conflict_scope) VALUES ($1, 'test', '{}', 'production', 'row')`,
    [session],
  );
  return {
    database,
    service,
    async compare(statements) {
      const list = statements
        .split(';')
        .map((text) => text.trim())
        .filter((text) => text !== '');
      const direct = await runStory(database, names, list, 'SET search_path = public', null);
      const [{ namespace }] = (await database.query(
        `SELECT 'public'::regnamespace::oid AS namespace`,
      )) as [{ namespace: number }];
      const staged = await runStory(
        database,
        names,
        list,
        `SET search_path = stage_overlay_${namespace}, public`,
        session,
      );
      return { direct, staged };
    },
    async close() {
      await service.close();
      await database.drop();
    },
  };
}

async function runStory(
  database: TestDatabase,
  tables: readonly string[],
  statements: readonly string[],
  path: string,
  session: string | null,
): Promise<Story> {
  const client = new pg.Client({
    connectionString: database.url,
    ...(session === null ? {} : { options: `-c stage.session=${session}` }),
  });
  await client.connect();
  try {
    await client.query(path);
    await client.query('BEGIN');
    const outcomes: Outcome[] = [];
    for (const statement of [...statements, 'SET CONSTRAINTS ALL IMMEDIATE']) {
      outcomes.push(await outcome(client, statement, session !== null));
    }
    const contents: Record<string, string[]> = {};
    for (const table of tables) {
      const { rows } = await client.query<{ row: string }>(
        `SELECT t::text AS row FROM ${pg.escapeIdentifier(table)} t`,
      );
      contents[table] = rows.map(({ row }) => row).sort();
    }
    return { outcomes, contents };
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
    await client.end();
  }
}

async function outcome(client: pg.Client, statement: string, staged: boolean): Promise<Outcome> {
  await client.query('SAVEPOINT s');
  try {
    if (staged)
      await client.query(
        `SELECT stage.begin_statement($1, '[]', '[]', '{}', current_setting('search_path'))`,
        [statement],
      );
    const { command, rowCount, rows } = await client.query({ text: statement, rowMode: 'array' });
    return { tag: `${command} ${rowCount}`, rows: rows.map((row) => JSON.stringify(row)).sort() };
  } catch (error) {
    await client.query('ROLLBACK TO s');
    const { code, message, detail, hint, schema, table, column, constraint } =
      error as pg.DatabaseError;
    return { error: { code, message, detail, hint, schema, table, column, constraint } };
  }
}
