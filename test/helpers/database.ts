/** Databases for tests: each is a clone of a template on the server that the runner started. */
import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { printMigrations } from '../../src/db/migrate.ts';
import { loadSql } from '../../src/db/sql-file.ts';

export interface TestDatabase {
  /** URL of the superuser, who owns the database. */
  readonly url: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Returns the URL for another role, e.g. `urlFor('app', 'app')`. */
  urlFor(user: string, password: string): string;
  /** Runs SQL directly on the database, past any proxy, and returns the rows with pg's usual types. */
  query<T = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Closes the pool and drops the database, which ends all other connections to it. */
  drop(): Promise<void>;
}

interface TestDatabaseOptions {
  /** The initial content: a template, or a database without connections, which is cloned. The sample by default. */
  readonly template?: 'empty' | keyof typeof templates | TestDatabase;
  /** The encoding of an empty database; the server's by default. */
  readonly encoding?: string;
}

/** The content of each template: the shop of templates/sql/sample.sql, the schema `stage` of this release, or both. */
const templates = {
  sample: () => loadSql('sample.sql'),
  migrated: printMigrations,
  'migrated-sample': () => `${loadSql('sample.sql')};${printMigrations()}`,
};

/** The contents that this process has read. They consist of several hundred files. */
const contentsRead = new Map<keyof typeof templates, string>();

function contentsOf(template: keyof typeof templates): string {
  const contents = contentsRead.get(template) ?? templates[template]();
  contentsRead.set(template, contents);
  return contents;
}

/** Returns the URL of the test server's superuser. */
function testUpstream(): string {
  const url = process.env['STAGE_TEST_UPSTREAM'];
  if (url) return url;
  throw new Error(
    'no test server: run `npm test -- <part of the path>`, or set STAGE_TEST_UPSTREAM',
  );
}

/** Returns the major version of the test server. */
export async function serverMajor(): Promise<number> {
  return onServer(testUpstream(), async (query) => {
    const [row] = await query(`SELECT current_setting('server_version_num')::int / 10000 AS major`);
    return Number(row?.['major']);
  });
}

/** Creates a database for one test file or test. The caller drops it; the runner reports leftovers. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const server = new URL(testUpstream());
  const name = `${databasePrefix(process.env['STAGE_TEST_FILE'] ?? 'alone')}${randomBytes(6).toString('hex')}`;
  await onServer(server.href, async (query) => {
    const { template: wanted = 'sample', encoding } = options;
    const template = await nameOf(wanted, server, query);
    const kept = encoding === undefined ? '' : ` ENCODING '${encoding}' LOCALE 'C'`;
    // Copying the files takes half of the processor time of writing every block to the WAL.
    await query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy${kept}`);
  });
  const url = withParts(server, { database: name });
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  // drop() ends connections that a test left open. The pool must ignore that.
  pool.on('error', () => undefined);
  return {
    url,
    name,
    host: server.hostname,
    port: Number(server.port),
    user: decodeURIComponent(server.username),
    password: decodeURIComponent(server.password),
    urlFor: (user, password) => withParts(server, { database: name, user, password }),
    query: async <T>(text: string, values: readonly unknown[] = []) =>
      (await pool.query(text, [...values])).rows as T[],
    drop: async () => {
      await pool.end();
      await onServer(server.href, (query) => query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

/** Drops the databases that a test file left behind and returns their number. */
export async function dropLeftovers(url: string, file: string): Promise<number> {
  return onServer(url, async (query) => {
    const left = await query(
      `SELECT datname FROM pg_database WHERE starts_with(datname, '${databasePrefix(file)}')`,
    );
    for (const { datname } of left)
      await query(`DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`);
    return left.length;
  });
}

const databasePrefix = (file: string) => `stage_test_${file}_`;

type Query = (text: string) => Promise<Record<string, unknown>[]>;

async function nameOf(
  template: NonNullable<TestDatabaseOptions['template']>,
  server: URL,
  query: Query,
): Promise<string> {
  if (typeof template !== 'string') return template.name;
  if (template === 'empty') return 'template0';
  return ensureTemplate(contentsOf(template), server, query);
}

/** Creates a template once per server. Its name contains a hash of its contents, so changed contents make a new template. */
async function ensureTemplate(contents: string, server: URL, query: Query): Promise<string> {
  const name = `stage_template_${createHash('sha256').update(contents).digest('hex').slice(0, 8)}`;
  const exists = async () =>
    (await query(`SELECT FROM pg_database WHERE datname = '${name}'`)).length > 0;
  if (await exists()) return name;
  // Test files run in parallel. One creates the template; the others wait.
  await query(`SELECT pg_advisory_lock(hashtext('${name}'))`);
  if (await exists()) return name;
  await query(`DROP DATABASE IF EXISTS ${name}_new`);
  await query(`CREATE DATABASE ${name}_new TEMPLATE template0`);
  await onServer(withParts(server, { database: `${name}_new` }), (inside) => inside(contents));
  await query(`ALTER DATABASE ${name}_new RENAME TO ${name}`);
  return name;
}

/** Runs work on a new connection. */
async function onServer<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(async (text) => (await client.query<Record<string, unknown>>(text)).rows);
  } finally {
    await client.end();
  }
}

function withParts(
  server: URL,
  parts: { database: string; user?: string; password?: string },
): string {
  const url = new URL(server);
  url.pathname = `/${parts.database}`;
  if (parts.user !== undefined) url.username = parts.user;
  if (parts.password !== undefined) url.password = parts.password;
  return url.href;
}

/** Returns a database's URL through a port of this machine, without TLS. */
export function urlThrough(port: number, { url: direct }: Pick<TestDatabase, 'url'>): string {
  const url = new URL(direct);
  url.host = `127.0.0.1:${port}`;
  url.searchParams.set('sslmode', 'disable');
  return url.href;
}
