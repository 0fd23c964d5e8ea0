/** A database behind the proxy, and its twin without a proxy, on which the same changes are made directly. */
import pg from 'pg';
import type { TestDaemon } from './daemon.ts';
import { startTestDaemon } from './daemon.ts';
import type { TestDatabase } from './database.ts';
import { createTestDatabase } from './database.ts';
import type { WireClient } from './wire-script.ts';
import { connectWire } from './wire-script.ts';

export interface Proxied {
  readonly daemon: TestDaemon;
  /** Production. */
  readonly database: TestDatabase;
  readonly twin: TestDatabase;
  /** Creates a session and returns the URL for its clients. */
  session(reads?: 'production' | 'staged'): Promise<string>;
  /** Connects node-postgres. `stop` closes it. */
  connect(url: string): Promise<pg.Client>;
  /** Connects a client that sends raw messages. `stop` closes it. */
  wire(url: string): Promise<WireClient>;
  /** Returns every row of every table of production, as sorted text. */
  contents(): Promise<string[]>;
  /** Returns the same of the twin. */
  twinContents(): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * Starts the proxy on a new database, with its twin.
 * @param schema run on both databases
 * @param encoding of both databases; the server's without one
 */
export async function startProxied(
  schema: string,
  flags = {},
  encoding?: string,
): Promise<Proxied> {
  const encoded = encoding === undefined ? {} : { encoding };
  const database = await createTestDatabase({
    template: encoding === undefined ? 'migrated' : 'empty',
    ...encoded,
  });
  const twin = await createTestDatabase({ template: 'empty', ...encoded });
  await database.query(schema);
  await twin.query(schema);
  const daemon = await startTestDaemon({ database, flags });
  const clients: pg.Client[] = [];
  const wires: WireClient[] = [];
  return {
    daemon,
    database,
    twin,
    session: async (reads = 'production') => daemon.clientUrl(await daemon.newSession({ reads })),
    connect: async (url) => {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => undefined);
      await client.connect();
      clients.push(client);
      return client;
    },
    wire: async (url) => {
      const client = await connectWire(url);
      wires.push(client);
      return client;
    },
    contents: () => contentsOf(database),
    twinContents: () => contentsOf(twin),
    stop: async () => {
      for (const wire of wires) wire.close();
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
      await daemon.stop();
      await twin.drop();
      await database.drop();
    },
  };
}

async function contentsOf(database: TestDatabase): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await database.query<{ row: string }>(`SELECT x::text AS row FROM ${name} x`);
    rows.push(...found.map(({ row }) => `${name} ${row}`).sort());
  }
  return rows;
}
