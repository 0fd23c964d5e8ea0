/** Staged writes of one row by a read-only role, prepared, compared with the same statements directly, in alternating short blocks. */
import pg from 'pg';
import type { Meter, Watched } from './turns.ts';
import { takeTurns, turnsHead } from './turns.ts';

export interface Writes {
  /** The owner of the tables, who writes directly. */
  readonly direct: string;
  /** Returns the URL of a new session for a read-only role. */
  readonly newSession: () => Promise<string>;
  readonly watched: Watched;
  readonly rounds: number;
}

/** The number of statements in a block. */
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

/** Prints a line for each form of statement. Each side works on its own rows. */
export async function compareWrites(writes: Writes, print: (line: string) => void): Promise<void> {
  const { direct, newSession, watched, rounds } = writes;
  print(turnsHead('1 row, 1 client, prepared', 'us'));
  const clients = [await connect(direct), await connect(await newSession())] as const;
  for (const [label, form] of Object.entries(forms)) {
    const [mine, staged] = [blocksOf(clients[0], form, 0), blocksOf(clients[1], form, rows / 4)];
    print(await takeTurns({ label, watched, rounds, pieces: block }, mine, staged));
  }
  await Promise.all(clients.map((client) => client.end()));
}

/** Returns blocks that each work on the next keys. */
function blocksOf(client: pg.Client, { text, values }: Form, offset: number) {
  let key = offset;
  const name = `by_key_${text.length}`;
  return (use: Meter) =>
    use(async () => {
      for (let done = 0; done < block; done += 1) {
        key += 1;
        const { rowCount } = await client.query({ name, text, values: [...values(key)] });
        if (rowCount !== 1) throw new Error(`${text} met ${rowCount} rows`);
      }
    });
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
