/** Statements of several connections in a given order, each of which is done or waits for another one before the next is sent. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { TestDatabase } from './database.ts';
import { until } from './until.ts';

/** Which connection sends what. */
export type Step = readonly [connection: number, text: string];

/** Opens a transaction on the first two connections. */
export const beginBoth = (level = 'READ COMMITTED'): Step[] => [
  [0, `BEGIN ISOLATION LEVEL ${level}`],
  [1, `BEGIN ISOLATION LEVEL ${level}`],
];

/** A session may wait for a millisecond, in which the next statement must not be sent. */
const neverWaits = /NOWAIT|SKIP LOCKED/;

interface Party {
  readonly client: pg.Client;
  readonly pid: number;
  running: Promise<void> | null;
}

/**
 * Runs the steps and gives the outcome of each: its tag or SQLSTATE, and whether it had to wait for another connection.
 * @param url where to connect; the server behind it is the database's
 */
export async function interleave(
  database: TestDatabase,
  url: string,
  steps: readonly Step[],
  queryMode?: 'extended',
): Promise<string[]> {
  const count = 1 + Math.max(...steps.map(([connection]) => connection));
  const parties = await Promise.all(Array.from({ length: count }, () => connect(url)));
  const outcomes: string[] = [];
  for (const [index, [connection, text]] of steps.entries()) {
    const party = parties[connection] as Party;
    if (await isStuck(database, party)) {
      outcomes[index] = 'left out, for the one before still waits';
      continue;
    }
    outcomes[index] = 'waits for ever';
    party.running = outcomeOf(party.client, text, queryMode).then((outcome) => {
      outcomes[index] = outcome;
      party.running = null;
    });
    if (neverWaits.test(text)) await party.running;
    else if (await isStuck(database, party)) {
      const waiting = party.running;
      void waiting.then(() => {
        outcomes[index] = `waits, ${outcomes[index]}`;
      });
    }
    for (const other of parties) await isStuck(database, other);
  }
  await Promise.all(parties.map(({ running }) => running));
  await Promise.all(parties.map(({ client }) => client.end()));
  return outcomes.map((outcome, index) => `${steps[index]?.[0]} ${steps[index]?.[1]}: ${outcome}`);
}

async function connect(connectionString: string): Promise<Party> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  return { client, pid: Number(rows[0].pid), running: null };
}

/** Waits until a connection has nothing to do, or waits for a lock; says whether it is the latter. */
async function isStuck(database: TestDatabase, party: Party): Promise<boolean> {
  await until(async () => {
    await Promise.race([party.running, delay(20)]);
    if (party.running === null) return true;
    const [row] = await database.query<{ waits: boolean }>(
      `SELECT cardinality(pg_blocking_pids($1)) > 0 AS waits`,
      [party.pid],
    );
    return row?.waits === true;
  });
  return party.running !== null;
}

async function outcomeOf(client: pg.Client, text: string, queryMode?: 'extended'): Promise<string> {
  try {
    const result = await client.query({ text, rowMode: 'array', ...(queryMode && { queryMode }) });
    const rows = result.rows.length === 0 ? '' : ` ${JSON.stringify(result.rows)}`;
    return `${result.command} ${result.rowCount}${rows}`;
  } catch (error) {
    return String((error as pg.DatabaseError).code);
  }
}
