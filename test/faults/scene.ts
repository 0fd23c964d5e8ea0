/** A database that is in use while something breaks, and a daemon that no fault strikes. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';

/** The ports of a daemon on this machine. */
export interface Target {
  readonly restUrl: string;
  readonly proxyPort: number;
}

export interface Scene {
  readonly database: TestDatabase;
  readonly healthy: TestDaemon;
  /** Inserts three rows into `account`, with balance 0. */
  newRows(): Promise<readonly number[]>;
  /** Sends a statement through a daemon's proxy, as a client of a session. */
  write(target: Target, session: string, statement: string): Promise<void>;
  /** Verifies the audit. Returns what is wrong. */
  verify(): Promise<string[]>;
  close(): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  const database = await createTestDatabase({ template: 'migrated' });
  await database.query(
    'CREATE TABLE account (id serial PRIMARY KEY, balance int NOT NULL, note int DEFAULT 0)',
  );
  const healthy = await startTestDaemon({ database, flags: { maxConnections: 40 } });
  // the table's overlay exists from the first round on
  const session = await healthy.newSession();
  const scene: Scene = {
    database,
    healthy,
    newRows: async () => {
      const rows = await patiently(() =>
        database.query<{ id: number }>(
          'INSERT INTO account (balance) VALUES (0), (0), (0) RETURNING id',
        ),
      );
      return rows.map(({ id }) => id);
    },
    write: (target, id, statement) => write(database, target, id, statement),
    verify: async () => {
      const { body } = await patiently(async () => {
        const answer = await healthy.call('GET', '/audit/verify');
        if (answer.status !== 200) throw new Error(`audit: ${answer.status} ${answer.text}`);
        return answer;
      }, preparationMs);
      return body.ok === true ? [] : [`the audit is not whole: ${JSON.stringify(body)}`];
    },
    close: async () => {
      await healthy.stop();
      await database.drop();
    },
  };
  await scene.write(targetOf(healthy), session, 'UPDATE account SET balance = 0 WHERE id = 0');
  return scene;
}

export const targetOf = ({ restUrl, proxy }: TestDaemon): Target => ({
  restUrl,
  proxyPort: proxy.port,
});

async function write(
  database: TestDatabase,
  { proxyPort }: Target,
  session: string,
  statement: string,
): Promise<void> {
  const url = new URL(database.url);
  url.host = `127.0.0.1:${proxyPort}`;
  url.searchParams.set('options', `-c service_session=${session}`);
  const client = new pg.Client({ connectionString: url.href });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(statement);
  } finally {
    // a client that the server has cut may never learn of its end
    await Promise.race([client.end().catch(() => undefined), delay(1000)]);
  }
}

/** How long a service may take to recover. */
const patienceMs = 60_000;
/** How long the preparation of a round may take on an overloaded machine. */
export const preparationMs = 600_000;

/** Repeats the work while it fails, for as long as a service may take to recover. */
export async function patiently<T>(work: () => Promise<T>, ms = patienceMs): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > end) throw error;
      await delay(50);
    }
  }
}
