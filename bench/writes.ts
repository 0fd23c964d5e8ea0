/**
 * Staged writes of one row by a role that may only read, prepared, against the same statements directly. Both sides take turns in
 * short blocks, so that a ratio holds on a busy machine; the processor time of the backends, which holds better, is read from Linux.
 */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { median } from './pgbench.ts';

interface Side {
  readonly client: pg.Client;
  readonly pid: number;
  /** Both sides work on rows of their own. */
  readonly offset: number;
}

export interface Writes {
  /** The owner of the tables, who writes. */
  readonly direct: string;
  /** Gives the URL of a new session for a role that may only read. */
  readonly newSession: () => Promise<string>;
  /** The daemon's. */
  readonly pid: number;
  readonly rounds: number;
}

/** Statements of a block. */
const block = 100;
const rows = 40_000;

export const writesSchema = `
CREATE TABLE plain (id int PRIMARY KEY, value text, amount int);
INSERT INTO plain SELECT g, 'value ' || g, g FROM generate_series(1, ${rows}) g;
CREATE TABLE customer (id int PRIMARY KEY, name text);
CREATE TABLE product (id int PRIMARY KEY, name text);
INSERT INTO customer SELECT g, 'customer ' || g FROM generate_series(1, 1000) g;
INSERT INTO product SELECT g, 'product ' || g FROM generate_series(1, 1000) g;
CREATE TABLE rich (
  id int PRIMARY KEY, customer int NOT NULL REFERENCES customer, product int NOT NULL REFERENCES product,
  code text NOT NULL UNIQUE, quantity int NOT NULL CHECK (quantity > 0), price numeric NOT NULL CHECK (price >= 0));
INSERT INTO rich SELECT g, 1 + g % 1000, 1 + g % 999, 'code ' || g, 1 + g % 9, g FROM generate_series(1, ${rows}) g;
`;

interface Form {
  readonly text: string;
  values(key: number): readonly unknown[];
}

const newKey = (key: number) => key + 10 * rows;

const forms: Readonly<Record<string, Form>> = {
  INSERT: {
    text: 'INSERT INTO plain (id, value, amount) VALUES ($1, $2, 1)',
    values: (key) => [newKey(key), `value ${key}`],
  },
  'UPDATE by key': {
    text: 'UPDATE plain SET amount = amount + 1, value = $2 WHERE id = $1',
    values: (key) => [key, `new ${key}`],
  },
  'UPDATE of a staged row': {
    text: 'UPDATE plain SET amount = amount + 2 WHERE id = $1',
    values: (key) => [key],
  },
  'DELETE by key': {
    text: 'DELETE FROM plain WHERE id = $1',
    values: (key) => [key + rows / 2],
  },
  'INSERT, 2 FKs, unique, 2 checks': {
    text: 'INSERT INTO rich (id, customer, product, code, quantity, price) VALUES ($1, $2, $3, $4, 1, 2.5)',
    values: (key) => [newKey(key), 1 + (key % 1000), 1 + (key % 997), `new ${key}`],
  },
  'UPDATE by key, the same': {
    text: 'UPDATE rich SET quantity = quantity + 1, customer = $2 WHERE id = $1',
    values: (key) => [key, 1 + (key % 997)],
  },
  'DELETE by key, the same': {
    text: 'DELETE FROM rich WHERE id = $1',
    values: (key) => [key + rows / 2],
  },
};

/** Prints a line for each form of statement. */
export async function compareWrites(writes: Writes, print: (line: string) => void): Promise<void> {
  const { direct, newSession, pid, rounds } = writes;
  print(
    '| 1 row, 1 client, prepared | direct us | stage us | ratio (lowest, highest) | backend us | ratio of backends | daemon us |',
  );
  print(`|${'---|'.repeat(7)}`);
  const sides = [await connect(direct, 0), await connect(await newSession(), rows / 4)] as const;
  for (const [label, form] of Object.entries(forms)) {
    const found = [];
    // what is done once for a table or a connection does not count
    for (let round = -2; round < rounds; round += 1) {
      const times = [];
      for (const side of sides) times.push(await run(side, form, (round + 2) * block + 1, pid));
      if (round >= 0) found.push(times as [Used, Used]);
    }
    print(`| ${[label, ...cells(found)].join(' | ')} |`);
  }
  await Promise.all(sides.map(({ client }) => client.end()));
}

interface Used {
  readonly wall: number;
  readonly backend: number;
  readonly daemon: number;
}

async function run(side: Side, form: Form, from: number, daemon: number): Promise<Used> {
  const { client, pid, offset } = side;
  const used = async () => Promise.all([pid, daemon].map(processorTime));
  const [backend = 0, node = 0] = await used();
  const start = performance.now();
  for (let key = from; key < from + block; key += 1) {
    const { rowCount } = await client.query({
      name: `by_key_${form.text.length}`,
      text: form.text,
      values: [...form.values(key + offset)],
    });
    if (rowCount !== 1) throw new Error(`${form.text} met ${rowCount} rows`);
  }
  const wall = ((performance.now() - start) * 1000) / block;
  const [backendAfter = 0, nodeAfter = 0] = await used();
  return { wall, backend: (backendAfter - backend) / block, daemon: (nodeAfter - node) / block };
}

function cells(found: readonly (readonly [Used, Used])[]): string[] {
  const of = (side: 0 | 1, what: keyof Used) => median(found.map((each) => each[side][what]));
  const ratios = found.map(([direct, staged]) => staged.wall / direct.wall);
  const backend = of(1, 'backend');
  return [
    of(0, 'wall').toFixed(0),
    of(1, 'wall').toFixed(0),
    `${median(ratios).toFixed(1)} (${Math.min(...ratios).toFixed(1)}, ${Math.max(...ratios).toFixed(1)})`,
    backend.toFixed(0),
    (backend / of(0, 'backend')).toFixed(1),
    of(1, 'daemon').toFixed(0),
  ];
}

/** Of the process's first thread, in microseconds. */
async function processorTime(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ')[0]) / 1000;
}

async function connect(url: string, offset: number): Promise<Side> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: found } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return { client, pid: found[0]?.pid ?? 0, offset };
}
