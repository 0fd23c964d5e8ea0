/** Single statements of many rows, and reads beside many staged rows: directly and staged. */
import pg from 'pg';
import type { Meter, Watched } from './turns.ts';
import { takeTurns, turnsHead } from './turns.ts';

interface Bulk {
  readonly direct: string;
  /** Returns the URL of a new session, whose reads show staged rows. */
  readonly newSession: () => Promise<string>;
  readonly watched: Watched;
  readonly rounds: number;
}

const rows = 100_000;
const reads = 2000;

export const bulkSchema = `
CREATE TABLE bulk (id int PRIMARY KEY, code text NOT NULL, amount numeric(12,2) NOT NULL, note text);
CREATE INDEX bulk_code ON bulk (code);
INSERT INTO bulk SELECT g, 'c' || g % 1000, g, repeat('x', 40) FROM generate_series(1, ${2 * rows}) g;
CREATE TABLE loaded (id int PRIMARY KEY, code text, amount numeric(12,2));
CREATE TABLE untouched (id int PRIMARY KEY, code text);
INSERT INTO untouched SELECT g, 'c' || g FROM generate_series(1, ${rows}) g;
ANALYZE;
`;

const copied = Array.from({ length: rows }, (_, index) => `${index}\tc${index % 1000}\t1.5\n`).join(
  '',
);

const statements: Readonly<Record<string, string>> = {
  UPDATE: `UPDATE bulk SET amount = amount + 1 WHERE id <= ${rows}`,
  'INSERT ... SELECT': `INSERT INTO loaded SELECT g, 'c' || g % 1000, 1.5 FROM generate_series(1, ${rows}) g`,
  DELETE: `DELETE FROM bulk WHERE id <= ${rows}`,
};

type Work = (client: pg.Client) => Promise<unknown>;

/** Prints a line for each load. Staged reads show what their session has staged before. */
export async function compareBulk(bulk: Bulk, print: (line: string) => void): Promise<void> {
  print(turnsHead(`${rows} rows in one statement`, 'ms'));
  for (const [label, text] of Object.entries(statements))
    print(
      await compare(
        { label },
        bulk,
        inTransaction((client) => client.query(text)),
      ),
    );
  print(await compare({ label: 'COPY FROM STDIN' }, bulk, inTransaction(copyIn)));
  print(turnsHead('a read of a session that sees what is staged', 'us'));
  const [byKey, ofUntouched] = [readsOf('bulk'), readsOf('untouched')];
  for (const staged of [0, 1000, rows]) {
    const given = { pieces: reads, staged };
    const beside = `${staged} rows staged`;
    print(
      await compare(
        { ...given, label: `by key in a transaction, ${beside}` },
        bulk,
        inTransaction(byKey),
      ),
    );
    print(await compare({ ...given, label: `by key alone, ${beside}` }, bulk, measured(byKey)));
    print(
      await compare(
        { ...given, label: `by another index, ${beside}` },
        bulk,
        inTransaction(byIndex),
      ),
    );
  }
  const untouched = { pieces: reads, staged: 1000, label: 'by key of a table without staged rows' };
  print(await compare(untouched, bulk, measured(ofUntouched)));
}

/** Measures the work in a transaction that is rolled back. */
const inTransaction = (work: Work) => async (client: pg.Client, use: Meter) => {
  await client.query('BEGIN');
  const used = await use(() => work(client));
  await client.query('ROLLBACK');
  return used;
};

const measured = (work: Work) => (client: pg.Client, use: Meter) => use(() => work(client));

interface Compared {
  readonly label: string;
  readonly pieces?: number;
  /** The number of rows that the session has staged before. */
  readonly staged?: number;
}

async function compare(
  { label, pieces, staged = 0 }: Compared,
  { direct, newSession, watched, rounds }: Bulk,
  work: (client: pg.Client, use: Meter) => ReturnType<Meter>,
): Promise<string> {
  const [mine, theirs] = [await connect(direct), await connect(await newSession())];
  try {
    await theirs.query(`UPDATE bulk SET note = 'staged' WHERE id <= ${staged}`);
    return await takeTurns(
      { label, watched, rounds, ...(pieces && { pieces }) },
      (use) => work(mine, use),
      (use) => work(theirs, use),
    );
  } finally {
    await Promise.all([mine, theirs].map((client) => client.end()));
  }
}

const readsOf = (table: string) => (client: pg.Client) =>
  many(client, `SELECT * FROM ${table} WHERE id = $1`, (n) => n);
const byIndex = (client: pg.Client) =>
  many(client, 'SELECT count(amount) FROM bulk WHERE code = $1', (n) => `c${n % 1000}`);

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

/** Runs a COPY by an object that speaks the protocol, as pg requires. */
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
