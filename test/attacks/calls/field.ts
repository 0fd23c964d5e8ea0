/** The environment of random calls: a database with every extension of its server, behind a daemon, observed from outside. */
import type { ReadsMode } from '../../../src/model/session.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { startTestDaemon } from '../../helpers/daemon.ts';
import type { TestDatabase } from '../../helpers/database.ts';
import { createTestDatabase } from '../../helpers/database.ts';
import { createRole } from '../../helpers/roles.ts';
import type { TestServer } from '../../runner/server.ts';
import { defaultMajor, startTestServer } from '../../runner/server.ts';
import type { Catalog } from './catalog.ts';
import { readCatalog } from './catalog.ts';
import type { Observers } from './observers.ts';
import { startObservers } from './observers.ts';
import type { Role } from './random-call.ts';

export interface Field {
  readonly database: TestDatabase;
  readonly daemon: TestDaemon;
  readonly catalog: Catalog;
  readonly watchers: Observers;
  /** Creates a session, and returns the URL of connections to it. */
  session(role: Role, reads: ReadsMode): Promise<string>;
  /** Returns the URL of connections past the proxy. */
  direct(role: Role): string;
  /** Replaces `$server`, `$owner` and so on with the values of this environment. */
  filled(text: string): string;
  /** Undoes the effects of calls that would hide those of others. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** Settings without background activity, which would look like the effect of a call. */
const settings = {
  autovacuum: 'off',
  checkpoint_timeout: '1d',
  max_wal_size: '100GB',
  synchronous_commit: 'on',
  shared_preload_libraries: 'pg_stat_statements',
  jit: 'off',
};

const schema = `
CREATE TABLE item (id int PRIMARY KEY, v text);
CREATE INDEX gin_index ON item USING gin (to_tsvector('simple', v)) WITH (fastupdate = on);
CREATE INDEX brin_index ON item USING brin (id);
CREATE TABLE victim (id int);
CREATE SEQUENCE numbers;
CREATE TYPE mood AS ENUM ('happy', 'sad');
CREATE FUNCTION writes() RETURNS int LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.victim VALUES (1); RETURN 1; END';
CREATE FUNCTION analyzes() RETURNS int LANGUAGE plpgsql AS $$BEGIN EXECUTE 'ANALYZE public.item'; RETURN 1; END$$;
CREATE FUNCTION reindexes() RETURNS int LANGUAGE plpgsql AS $$BEGIN EXECUTE 'REINDEX TABLE public.item'; RETURN 1; END$$;
CREATE FUNCTION clusters() RETURNS int LANGUAGE plpgsql AS $$BEGIN EXECUTE 'CLUSTER public.item USING item_pkey'; RETURN 1; END$$;
`;

const rights = `GRANT USAGE ON SCHEMA public TO $role; GRANT SELECT ON ALL TABLES IN SCHEMA public TO $role;
  GRANT ALL ON SEQUENCE numbers TO $role`;

const serviceRights = `GRANT CREATE ON DATABASE $database TO $role; ALTER ROLE $role BYPASSRLS; GRANT USAGE ON SCHEMA public TO $role;
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO $role; GRANT USAGE ON SEQUENCE numbers TO $role`;

/** A table keeps the page that a write has added when that is rolled back: this one has its first page before. */
const reset = `TRUNCATE item, victim; INSERT INTO item SELECT g, 'item ' || g FROM generate_series(1, 5) g;
  INSERT INTO victim VALUES (0); DELETE FROM victim;
  SELECT setval('numbers', 1); SELECT lo_unlink(oid) FROM pg_largeobject_metadata;
  SELECT lo_from_bytea(8088, 'x'); GRANT ALL ON LARGE OBJECT 8088 TO PUBLIC;
  SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots;
  SELECT pg_replication_origin_drop(roname) FROM pg_replication_origin`;

/** Starts the server of the environments, and makes the tests of this process use it. The caller stops it. */
export async function startServer(): Promise<TestServer> {
  const major = process.env['STAGE_TEST_PG'] || defaultMajor;
  const server = await startTestServer(undefined, major, settings);
  process.env['STAGE_TEST_UPSTREAM'] = server.url;
  return server;
}

/**
 * Starts everything on that server. The caller stops it.
 * @param service the kind of the service account: checks and policies run with its rights
 */
export async function startField(service: 'superuser' | 'ordinary'): Promise<Field> {
  const database = await createTestDatabase({ template: 'empty' });
  await createExtensions(database);
  const owner = await createRole(database, 'GRANT ALL ON SCHEMA public TO $role');
  await database.query(`SET ROLE ${owner.name}; ${schema}; RESET ROLE; ${reset}`);
  const writer = await createRole(
    database,
    `${rights}; GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO $role; GRANT CREATE ON SCHEMA public TO $role`,
  );
  const reader = await createRole(database, rights);
  const account = await createRole(database, serviceRights.replaceAll('$database', database.name));
  const users = { owner, writer, reader };
  const catalog = await readCatalog(database);
  const observers = await startObservers(database);
  const upstream =
    service === 'superuser' ? database.url : database.urlFor(account.name, account.name);
  const daemon = await startTestDaemon({ database, flags: { upstream } });
  const { host, port, name, user, password } = database;
  const known: Readonly<Record<string, () => string>> = {
    $server: () =>
      `host=${host} port=${port} dbname=${name} user=${user} password=${password} application_name=reached`,
    $listener: () => observers.listener,
    $bystander: () => String(observers.bystander()),
    $owner: () => owner.name,
    $writer: () => writer.name,
    $reader: () => reader.name,
    $service: () => account.name,
  };
  const nameOf = (role: Role) => (role === 'superuser' ? null : users[role].name);
  return {
    ...{ database, daemon, catalog, watchers: observers },
    session: async (role, reads) => {
      const session = await daemon.newSession({ reads });
      const login = nameOf(role);
      return login === null ? daemon.clientUrl(session) : daemon.clientUrl(session, login, login);
    },
    direct: (role) => {
      const login = nameOf(role);
      return login === null ? database.url : database.urlFor(login, login);
    },
    filled: (text) => text.replace(/\$[a-z]+\b/g, (word) => known[word]?.() ?? word),
    reset: async () => {
      await database.query(reset);
    },
    stop: async () => {
      await daemon.stop();
      await observers.stop();
      await database.drop();
    },
  };
}

/** Creates the extensions. Some need others, or programs that this machine does not have. */
async function createExtensions(database: TestDatabase): Promise<void> {
  const found = await database.query<{ name: string }>(
    'SELECT name FROM pg_available_extensions WHERE installed_version IS NULL ORDER BY name',
  );
  for (const { name } of found)
    await database.query(`CREATE EXTENSION IF NOT EXISTS "${name}" CASCADE`).catch(() => undefined);
  await database.query('CREATE EXTENSION IF NOT EXISTS pg_walinspect');
}
