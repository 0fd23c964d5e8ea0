/** Single statements of many rows, and reads beside many staged rows: directly and staged, in milliseconds. */
import pg from 'pg';
import { median } from './pgbench.ts';

interface Bulk {
  readonly direct: string;
  /** Gives the URL of a new session, whose reads see what is staged. */
  readonly newSession: () => Promise<string>;
  readonly rounds: number;
}

const rows = 100_000;
const reads = 1000;

export const bulkSchema = `
CREATE TABLE bulk (id int PRIMARY KEY, code text NOT NULL, amount numeric(12,2) NOT NULL, note text);
CREATE INDEX bulk_code ON bulk (code);
INSERT INTO bulk SELECT g, 'c' || g % 1000, g, repeat('x', 40) FROM generate_series(1, ${2 * rows}) g;
CREATE TABLE loaded (id int PRIMARY KEY, code text, amount numeric(12,2));
ANALYZE;
`;

const copied = Array.from({ length: rows }, (_, index) => `${index}\tc${index % 1000}\t1.5\n`).join(
  '',
);

/** Prints a line for each load. Staged reads see what their session has staged before. */
export async function compareBulk(bulk: Bulk, print: (line: string) => void): Promise<void> {
  print(`| ${rows} rows in one statement | direct ms | stage ms | times as long |`);
  print('|---|---|---|---|');
  const update = (client: pg.Client) =>
    client.query(`UPDATE bulk SET amount = amount + 1 WHERE id <= ${rows}`);
  print(await compare('UPDATE', bulk, update));
  print(await compare('COPY FROM STDIN', bulk, (client) => copyIn(client)));
  print(`| overlay reads, staged rows | direct ms | stage ms | times as long |`);
  print('|---|---|---|---|');
  for (const staged of [0, 1000, rows]) {
    const prepare = `UPDATE bulk SET note = 'staged' WHERE id <= ${staged}`;
    const byKey = (client: pg.Client) => many(client, 'SELECT * FROM bulk WHERE id = $1', (n) => n);
    const byIndex = (client: pg.Client) =>
      many(client, 'SELECT count(amount) FROM bulk WHERE code = $1', (n) => `c${n % 1000}`);
    print(await compare(`${reads} reads by key, ${staged}`, bulk, byKey, prepare));
    print(await compare(`${reads} reads by index, ${staged}`, bulk, byIndex, prepare));
  }
}

/** Runs the work in a transaction that is rolled back, in turns on each side. */
async function compare(
  label: string,
  { direct, newSession, rounds }: Bulk,
  work: (client: pg.Client) => Promise<unknown>,
  prepare?: string,
): Promise<string> {
  const staged = await newSession();
  const times: [number[], number[]] = [[], []];
  const clients = await Promise.all([direct, staged].map(connect));
  try {
    if (prepare) await clients[1]?.query(prepare);
    // what is done once for a table or a connection does not count
    for (const client of clients) await timed(client, work);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, client] of clients.entries())
        times[index]?.push(await timed(client, work));
    }
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
  const [mine, theirs] = times.map(median) as [number, number];
  return `| ${[label, mine.toFixed(0), theirs.toFixed(0), (theirs / mine).toFixed(1)].join(' | ')} |`;
}

async function timed(
  client: pg.Client,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<number> {
  await client.query('BEGIN');
  const start = performance.now();
  await work(client);
  const time = performance.now() - start;
  await client.query('ROLLBACK');
  return time;
}

async function many(
  client: pg.Client,
  text: string,
  value: (round: number) => unknown,
): Promise<void> {
  for (let round = 1; round <= reads; round += 1)
    await client.query({ name: text, text, values: [value((round * 7919) % rows)] });
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

interface Connection extends NodeJS.EventEmitter {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** pg leaves COPY to an object that speaks the protocol. */
function copyIn(client: pg.Client): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query({
      submit: (connection: Connection) => connection.query('COPY loaded FROM STDIN'),
      handleCopyInResponse: (connection: Connection) => {
        connection.sendCopyFromChunk(Buffer.from(copied));
        connection.endCopyFrom();
      },
      handleCommandComplete: () => undefined,
      handleError: reject,
      handleReadyForQuery: () => resolve(),
    } as unknown as pg.Submittable);
  });
}
