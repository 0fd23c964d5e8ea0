/** Runs statements of several connections in a given order. Each is done, or waits for another connection, before the next is sent. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { TestDatabase } from './database.ts';
import { until } from './until.ts';

/** A statement and the connection that sends it. */
export type Step = readonly [connection: number, text: string];

/** Opens a transaction on the first two connections. */
export const beginBoth = (level = 'READ COMMITTED'): Step[] => [
  [0, `BEGIN ISOLATION LEVEL ${level}`],
  [1, `BEGIN ISOLATION LEVEL ${level}`],
];

/** A session may wait for a millisecond. The next statement must not be sent in that time. */
const neverWaits = /NOWAIT|SKIP LOCKED/;

/** In ms: more than the server ever needs to detect a deadlock, however busy the machine is. */
const patience = 120_000;

interface Options {
  readonly queryMode?: 'extended' | undefined;
  /** Whether each connection commits after the steps, as soon as it waits for no other one. */
  readonly commits?: boolean;
}

interface Party {
  readonly client: pg.Client;
  readonly pid: number;
  running: Promise<void> | null;
}

/**
 * Runs the steps and returns the outcome of each: its tag or SQLSTATE, and whether it had to wait for another connection.
 * @param url the URL to connect to; the server behind it is that of the database
 * @throws Error if a statement gets no response and waits for none of the other connections
 */
export async function interleave(
  database: TestDatabase,
  url: string,
  steps: readonly Step[],
  { queryMode, commits = false }: Options = {},
): Promise<string[]> {
  const count = 1 + Math.max(...steps.map(([connection]) => connection));
  const parties = await Promise.all(Array.from({ length: count }, () => connect(url)));
  const outcomes: string[] = [];
  const send = async (party: Party, text: string, index: number) => {
    outcomes[index] = 'waits for ever';
    party.running = outcomeOf(party.client, text, queryMode).then((outcome) => {
      outcomes[index] = outcome;
      party.running = null;
    });
    if (neverWaits.test(text)) await party.running;
    else if (await isStuck(database, party, parties)) {
      const waiting = party.running;
      void waiting.then(() => {
        outcomes[index] = `waits, ${outcomes[index]}`;
      });
    }
    for (const other of parties) await isStuck(database, other, parties);
  };
  for (const [index, [connection, text]] of steps.entries()) {
    const party = parties[connection] as Party;
    if (await isStuck(database, party, parties))
      outcomes[index] = 'left out, for the one before still waits';
    else await send(party, text, index);
  }
  const open = new Set(commits ? parties : []);
  while (open.size > 0) {
    for (const party of open) {
      if (await isStuck(database, party, parties)) continue;
      open.delete(party);
      await send(party, 'COMMIT', steps.length + parties.indexOf(party));
    }
  }
  await Promise.all(parties.map(end));
  const ends = parties.map((_, connection): Step => [connection, 'COMMIT']);
  const all = [...steps, ...ends];
  return outcomes.map((outcome, index) => `${all[index]?.[0]} ${all[index]?.[1]}: ${outcome}`);
}

async function connect(connectionString: string): Promise<Party> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  return { client, pid: Number(rows[0].pid), running: null };
}

/** Ends a connection after its running statement, so that others that wait for it continue. */
async function end({ client, running }: Party): Promise<void> {
  await running;
  await client.end();
}

/** The backends for which a backend waits, directly or through others. */
const chain = `WITH RECURSIVE chain(pid) AS (SELECT $1::int UNION SELECT unnest(pg_blocking_pids(pid) || pg_safe_snapshot_blocking_pids(pid)) FROM chain)`;

/**
 * Waits until a connection is idle, or waits for an idle one; returns whether it is the latter. A connection that waits for something that
 * resolves without it, such as a deadlock not yet detected, is not stuck.
 */
async function isStuck(
  database: TestDatabase,
  party: Party,
  parties: readonly Party[],
): Promise<boolean> {
  const last = Date.now() + patience;
  await until(async () => {
    await Promise.race([party.running, delay(20)]);
    if (party.running === null) return true;
    const idle = parties.filter(({ running }) => running === null).map(({ pid }) => pid);
    const [row] = await database.query<{ waits: boolean }>(
      `${chain} SELECT EXISTS (SELECT FROM chain WHERE pid = ANY ($2)) AS waits`,
      [party.pid, idle],
    );
    if (row?.waits !== true && Date.now() > last) throw new Error(await activity(database, party));
    return row?.waits === true;
  });
  return party.running !== null;
}

/** Returns what a statement without a response may be waiting for. */
async function activity(database: TestDatabase, { pid }: Party): Promise<string> {
  const rows = await database.query(
    `SELECT pid, state, wait_event, pg_blocking_pids(pid) AS blockers, query FROM pg_stat_activity WHERE datname = current_database()`,
  );
  return `the statement of backend ${pid} is not answered: ${JSON.stringify(rows)}`;
}

/** Resolves when the server is ready for the next statement: it sends an error before it releases the locks of the failed transaction. */
async function outcomeOf(client: pg.Client, text: string, queryMode?: 'extended'): Promise<string> {
  const ready = new Promise<void>((resolve) => {
    const done = () => {
      client.off('drain', done).off('end', done);
      resolve();
    };
    client.on('drain', done).on('end', done);
  });
  const outcome = await responseTo(client, text, queryMode);
  await ready;
  return outcome;
}

async function responseTo(client: pg.Client, text: string, queryMode?: 'extended') {
  try {
    const answer = await client.query({ text, rowMode: 'array', ...(queryMode && { queryMode }) });
    // a text of several statements has a result for each
    const results: (typeof answer)[] = Array.isArray(answer) ? answer : [answer];
    return results.map(reported).join('; ');
  } catch (error) {
    return String((error as pg.DatabaseError).code);
  }
}

function reported({ command, rowCount, rows }: pg.QueryArrayResult): string {
  return `${command} ${rowCount}${rows.length === 0 ? '' : ` ${JSON.stringify(rows)}`}`;
}
