/** The two databases of a comparison, and the sessions that are approved whenever production has to catch up. */

import { plainStatement } from '../fuzz/statement.ts';
import { responseTo } from '../fuzz/wire-response.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { WireClient } from '../helpers/wire-script.ts';
import { connectWire } from '../helpers/wire-script.ts';

export interface Databases {
  /** Runs on the twin alone. */
  onTwin(text: string, data?: string | null): Promise<string[]>;
  /** Runs directly on production. */
  onProduction(text: string, data?: string | null): Promise<string[]>;
  /** Runs through the proxy. */
  onStage(text: string, data?: string | null): Promise<string[]>;
  /** Has the proxy's client connect as another role from now on; null for the superuser. */
  become(role: string | null): Promise<void>;
  /** Notes where sequences are before anything is staged, for `discard`. */
  mark(): Promise<void>;
  /** Approves what is staged and begins a new session. Gives what went wrong, or null. */
  approve(): Promise<string | null>;
  /** Drops what is staged since the last approval; production's sequences go back to where they were marked. */
  discard(): Promise<void>;
  /** All rows of both databases where they differ. */
  differences(): Promise<string[]>;
  close(): Promise<void>;
}

/** Makes both databases, empty. */
export async function openDatabases(): Promise<Databases> {
  const [twin, production] = await Promise.all([
    createTestDatabase({ template: 'empty' }),
    createTestDatabase({ template: 'empty' }),
  ]);
  const daemon = await startTestDaemon({ database: production });
  const clients = {
    twin: await connectWire(twin.url),
    production: await connectWire(production.url),
    stage: null as WireClient | null,
    session: '',
    role: null as string | null,
  };
  const settings: string[] = [];
  const marks = { sequences: '' };
  const run = (client: WireClient, text: string, data: string | null = null) =>
    responseTo(client, { ...plainStatement(text), data: data === null ? [] : [Buffer.from(data)] });
  const connect = async () => {
    clients.stage?.close();
    const { session, role } = clients;
    const url = role === null ? daemon.clientUrl(session) : daemon.clientUrl(session, role, role);
    clients.stage = await connectWire(url);
    for (const text of settings) await run(clients.stage, text);
  };
  const begin = async () => {
    clients.session = await daemon.newSession({ project_id: 'regress', reads: 'staged' });
    await connect();
  };
  await begin();
  return {
    onTwin: (text, data) => run(clients.twin, text, data),
    onProduction: (text, data) => run(clients.production, text, data),
    onStage: async (text, data) => {
      // what belongs to a connection is made again on the next one
      if (/^\s*(set|reset|prepare|deallocate)\s/i.test(text)) settings.push(text);
      return clients.stage ? run(clients.stage, text, data) : [];
    },
    become: async (role) => {
      clients.role = role;
      await connect();
    },
    mark: async () => {
      marks.sequences = await sequencesOf(twin);
    },
    approve: async () => {
      const failure = await approveSession(daemon, clients.session);
      if (failure === null) {
        await setSequences(production, await sequencesOf(twin));
        await begin();
      }
      return failure;
    },
    discard: async () => {
      clients.stage?.close();
      clients.stage = null;
      await daemon.call('DELETE', `/sessions/${clients.session}`);
      await setSequences(production, marks.sequences);
      await begin();
    },
    differences: () => compareTables(twin, production),
    close: async () => {
      for (const client of [clients.twin, clients.production, clients.stage]) client?.close();
      await daemon.stop();
      await Promise.all([twin.drop(), production.drop()]);
    },
  };
}

async function approveSession(daemon: TestDaemon, session: string): Promise<string | null> {
  for (const step of ['propose', 'approve']) {
    const { status, text } = await daemon.call('POST', `/sessions/${session}/${step}`);
    if (status !== 200) return `${step}: ${text}`;
  }
  return null;
}

/** Statements that put all sequences where they are now. */
async function sequencesOf(database: TestDatabase): Promise<string> {
  const found = await database.query<{ name: string; query: string }>(
    `SELECT format('SELECT format(''SELECT setval(%%L, %%s, %%L)'', %L, last_value, is_called) AS text FROM %1$s',
       format('%I.%I', schemaname, sequencename)) AS query
     FROM pg_sequences WHERE schemaname NOT LIKE 'stage%'`,
  );
  const [row] = await database.query<{ text: string }>(
    `SELECT string_agg(text, ';') AS text FROM (${found.map(({ query }) => query).join(' UNION ALL ') || 'SELECT NULL AS text'}) s`,
  );
  return row?.text ?? '';
}

async function setSequences(database: TestDatabase, text: string): Promise<void> {
  if (text !== '') await database.query(text).catch(() => undefined);
}

const rowsOfTables = `
  SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname !~ '^(pg_|information_schema|stage)' ORDER BY 1`;

async function compareTables(twin: TestDatabase, production: TestDatabase): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await twin.query<{ name: string }>(rowsOfTables)) {
    const [mine, theirs] = await Promise.all([twin, production].map((each) => rowsOf(each, name)));
    if (JSON.stringify(mine) !== JSON.stringify(theirs)) found.push(name);
  }
  return found;
}

/** The columns without those that each row gets another value for by default. */
async function settled(database: TestDatabase, name: string): Promise<string> {
  const columns = await database.query<{ name: string }>(
    `SELECT format('t.%I', a.attname) AS name FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     WHERE a.attrelid = '${name.replaceAll("'", "''")}'::regclass AND a.attnum > 0 AND NOT a.attisdropped
       AND coalesce(pg_get_expr(d.adbin, d.adrelid), '') !~* 'random|clock|now|current_|uuid' ORDER BY a.attnum`,
  );
  return `ROW(${columns.map((column) => column.name).join(', ')})`;
}

async function rowsOf(database: TestDatabase, name: string): Promise<string[]> {
  const rows = await database
    .query<{ row: string }>(
      `SELECT ${await settled(database, name)}::text AS row FROM ${name} t ORDER BY 1`,
    )
    .catch(() => [{ row: 'cannot be read' }]);
  return rows.map(({ row }) => row);
}
