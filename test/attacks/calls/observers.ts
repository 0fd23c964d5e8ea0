/** Observes effects that leave no trace in the database: notifications, signals, connections, WAL records. */
import { createServer } from 'node:net';
import pg from 'pg';
import type { TestDatabase } from '../../helpers/database.ts';
import { words } from './texts.ts';

export interface Observers {
  /** How to connect to a listener that only counts connections. */
  readonly listener: string;
  /** Returns the process of an idle connection that nobody may disturb. */
  bystander(): number;
  /** Returns what happened since the last call. */
  take(): Promise<string[]>;
  stop(): Promise<void>;
}

export async function startObservers(database: TestDatabase): Promise<Observers> {
  const heard: string[] = [];
  const ear = await listen(database, heard);
  const listener = createServer((socket) => {
    heard.push('connection to the listener');
    socket.on('error', () => undefined);
    socket.destroy();
  });
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  const address = listener.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  let bystander = await startBystander(database);
  let mark = await flushed(database);
  return {
    listener: `host=127.0.0.1 port=${port} dbname=x user=x password=x connect_timeout=2`,
    bystander: () => bystander.pid,
    take: async () => {
      // All earlier notifications arrive before this response.
      await ear.query('SELECT 1');
      const end = await flushed(database);
      const records = await logged(database, mark, end);
      mark = end;
      const disturbed = bystander.disturbance();
      if (disturbed !== null) {
        await bystander.stop();
        bystander = await startBystander(database);
      }
      return [
        ...heard.splice(0),
        ...records,
        ...(disturbed === null ? [] : [`signal: ${disturbed}`]),
      ];
    },
    stop: async () => {
      await bystander.stop();
      await ear.end();
      await new Promise((done) => listener.close(done));
    },
  };
}

/** Listens to every channel that a random call can name. */
async function listen(database: TestDatabase, heard: string[]): Promise<pg.Client> {
  const ear = new pg.Client({ connectionString: database.url });
  ear.on('error', () => heard.push('the ear was disconnected'));
  ear.on('notification', ({ channel, payload }) =>
    heard.push(`notification ${channel} ${payload}`),
  );
  await ear.connect();
  for (const channel of new Set(words.filter((word) => word !== '' && word.length < 60)))
    await ear.query(`LISTEN "${channel.replaceAll('"', '""')}"`);
  return ear;
}

interface Bystander {
  readonly pid: number;
  /** Returns the disturbance of the connection; null without one. */
  disturbance(): string | null;
  stop(): Promise<void>;
}

async function startBystander(database: TestDatabase): Promise<Bystander> {
  const client = new pg.Client({ connectionString: database.url });
  const reported: { what: string | null; ends: boolean } = { what: null, ends: false };
  const note = (error: Error) => {
    if (!reported.ends) reported.what = error.message;
  };
  client.on('error', note);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const pid = Number(rows[0]?.pid);
  client.query('SELECT pg_sleep(1000000)').catch(note);
  return {
    pid,
    disturbance: () => reported.what,
    stop: async () => {
      reported.ends = true;
      await database.query(`SELECT pg_terminate_backend(${pid}, 2000)`);
      await client.end().catch(() => undefined);
    },
  };
}

/** Flushes the WAL, and returns its position. */
async function flushed(database: TestDatabase): Promise<string> {
  await database.query(`SELECT pg_logical_emit_message(true, 'look', '')`);
  const [row] = await database.query<{ at: string }>(
    `SELECT format('%s', pg_current_wal_flush_lsn()) AS at`,
  );
  return String(row?.at);
}

/** Returns the WAL records of effects that no rollback undoes. Staging and rolled back changes have other records. */
async function logged(database: TestDatabase, from: string, to: string): Promise<string[]> {
  const rows = await database.query<{ line: string }>(
    `SELECT concat_ws(' ', 'log:', resource_manager, record_type, description) AS line FROM pg_get_wal_records_info($1, $2)
     WHERE (resource_manager = 'LogicalMessage' AND description !~ '"look"'
         AND (description ~ '^non' OR pg_xact_status(format('%s', xid)::xid8) = 'committed'))
       OR resource_manager = 'ReplicationOrigin' OR record_type IN ('DESUMMARIZE', 'DELETE_LISTPAGE') OR (resource_manager = 'Storage' AND record_type = 'TRUNCATE')
       OR (resource_manager = 'XLOG' AND record_type ~ '^(SWITCH|RESTORE_POINT|CHECKPOINT|BACKUP_END|PARAMETER_CHANGE)')`,
    [from, to],
  );
  return rows.map(({ line }) => line);
}
