/** Random statements over a small schema with every kind of key and constraint, for differential tests. */
import type { Random } from './random.ts';

export interface RandomStatement {
  readonly text: string;
  /** Bound parameters; null for a statement sent by the simple protocol. */
  readonly values: readonly (string | number | null)[] | null;
}

export const randomSchema = `
CREATE TABLE region (code text PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE customer (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email text UNIQUE,
  region text REFERENCES region ON UPDATE CASCADE ON DELETE SET NULL,
  credit numeric(10,2) NOT NULL DEFAULT 10.50 CHECK (credit >= 0),
  tags text[] DEFAULT '{}',
  doubled numeric GENERATED ALWAYS AS (credit * 2) STORED
);
CREATE TABLE "Order" (
  id bigserial PRIMARY KEY,
  customer int NOT NULL REFERENCES customer ON DELETE CASCADE,
  state text NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'paid', 'sent')),
  note text
);
CREATE TABLE line (
  "order" bigint REFERENCES "Order" ON DELETE CASCADE ON UPDATE CASCADE,
  position int,
  product uuid,
  amount int CHECK (amount > 0),
  price double precision,
  PRIMARY KEY ("order", position),
  UNIQUE ("order", product)
);
CREATE TABLE node (id int PRIMARY KEY, parent int REFERENCES node, label text, at timestamptz DEFAULT '2020-01-01 00:00:00.123456+00');
CREATE UNIQUE INDEX node_label ON node (lower(label)) WHERE parent IS NOT NULL;
INSERT INTO region SELECT 'r' || i, 'Region ' || i FROM generate_series(1, 5) i;
INSERT INTO customer (email, region, credit) SELECT 'c' || i || '@x', 'r' || (i % 5 + 1), i FROM generate_series(1, 12) i;
INSERT INTO "Order" (customer, state) SELECT i % 12 + 1, (ARRAY['new','paid','sent'])[i % 3 + 1] FROM generate_series(1, 20) i;
INSERT INTO line SELECT i % 20 + 1, i / 20, ('00000000-0000-0000-0000-' || lpad(i::text, 12, '0'))::uuid, i % 7 + 1, i / 3.0 FROM generate_series(0, 49) i;
INSERT INTO node SELECT i, NULLIF(i / 2, 0), 'n' || i FROM generate_series(1, 15) i;
`;

/** Tables of the schema with a total order of their rows, to compare contents. */
export const randomTables = ['region', 'customer', '"Order"', 'line', 'node'] as const;

const states = ['new', 'paid', 'sent', 'lost'];

const quote = (value: string | number | null) =>
  value === null
    ? 'NULL'
    : typeof value === 'number'
      ? String(value)
      : `'${value.replaceAll("'", "''")}'`;

/** Gives the next statement: a write, a read, or a step of a transaction. */
export function randomStatement(random: Random, inTransaction: boolean): RandomStatement {
  if (random.chance(0.12)) return simple(transactionStep(random, inTransaction));
  const values: (string | number | null)[] = [];
  const bound = random.chance(0.5);
  const value = (given: string | number | null, type: string): string => {
    if (!bound) return quote(given);
    values.push(given);
    return `$${values.length}::${type}`;
  };
  const text = random.pick(writers)(random, value);
  return { text, values: bound ? values : null };
}

const simple = (text: string): RandomStatement => ({ text, values: null });

function transactionStep(random: Random, inTransaction: boolean): string {
  if (!inTransaction)
    return random.pick(['BEGIN', 'BEGIN', 'BEGIN ISOLATION LEVEL REPEATABLE READ']);
  return random.pick([
    'COMMIT',
    'COMMIT',
    'ROLLBACK',
    'SAVEPOINT a',
    'SAVEPOINT b',
    'ROLLBACK TO a',
    'RELEASE b',
    'ROLLBACK TO b',
  ]);
}

type Value = (given: string | number | null, type: string) => string;
type Writer = (random: Random, value: Value) => string;

const customerId = (random: Random) => random.below(16) + 1;
const orderId = (random: Random) => random.below(26) + 1;
const nodeId = (random: Random) => random.below(20) + 1;
const region = (random: Random) => (random.chance(0.1) ? null : `r${random.below(7) + 1}`);
const product = (random: Random) =>
  `00000000-0000-0000-0000-${String(random.below(60)).padStart(12, '0')}`;
const returning = (random: Random, columns: string) =>
  random.chance(0.5) ? ` RETURNING ${random.pick(['*', columns])}` : '';

const writers: readonly Writer[] = [
  (r, v) =>
    `INSERT INTO region VALUES (${v(`r${r.below(9) + 1}`, 'text')}, ${v(`Region ${r.below(12)}`, 'text')})${returning(r, 'name, code')}`,
  (r, v) =>
    `UPDATE region SET name = name || ${v('!', 'text')} WHERE code > ${v(`r${r.below(7)}`, 'text')}`,
  (r, v) =>
    `UPDATE region SET code = ${v(`r${r.below(12)}`, 'text')} WHERE code = ${v(`r${r.below(7)}`, 'text')}${returning(r, 'code')}`,
  (r, v) => `DELETE FROM region WHERE code = ${v(`r${r.below(9)}`, 'text')}${returning(r, 'name')}`,
  (r, v) =>
    `INSERT INTO customer (email, region) VALUES (${v(`c${r.below(30)}@x`, 'text')}, ${v(region(r), 'text')}), (${v(r.chance(0.2) ? null : `d${r.below(40)}@x`, 'text')}, NULL)${returning(r, 'id, email, doubled')}`,
  (r, v) =>
    `INSERT INTO customer (email, credit, tags) SELECT email || ${v('+', 'text')}, credit + ${v(r.below(5), 'numeric')}, tags || 'copy' FROM customer WHERE id = ${v(customerId(r), 'int')}${returning(r, 'id, tags')}`,
  (r, v) =>
    `UPDATE customer SET credit = credit - ${v(r.below(12), 'numeric')} WHERE id IN (${v(customerId(r), 'int')}, ${v(customerId(r), 'int')})${returning(r, 'id, credit, doubled')}`,
  (r, v) =>
    `UPDATE customer c SET region = ${v(region(r), 'text')}, credit = DEFAULT WHERE id % 4 = ${v(r.below(4), 'int')}${returning(r, 'c.id, c.region')}`,
  (r, v) =>
    `UPDATE customer SET email = ${v(`c${r.below(30)}@x`, 'text')} WHERE id = ${v(customerId(r), 'int')}`,
  (r, v) => `DELETE FROM customer WHERE id = ${v(customerId(r), 'int')}${returning(r, 'id')}`,
  (r, v) =>
    `INSERT INTO "Order" (customer, state, note) VALUES (${v(customerId(r), 'int')}, ${v(r.pick(states), 'text')}, ${v(r.chance(0.3) ? null : "it's; -- a note", 'text')})${returning(r, 'id, state')}`,
  (r, v) =>
    `UPDATE "Order" AS o SET state = ${v(r.pick(states), 'text')}, note = c.email FROM customer c WHERE c.id = o.customer AND c.region = ${v(region(r), 'text')}${returning(r, 'o.id, c.id')}`,
  (r, v) =>
    `UPDATE "Order" SET id = ${v(orderId(r) + 100, 'bigint')} WHERE id = ${v(orderId(r), 'bigint')}${returning(r, 'id')}`,
  (r, v) =>
    `UPDATE "Order" SET customer = ${v(customerId(r), 'int')} WHERE id = ${v(orderId(r), 'bigint')}`,
  (r, v) =>
    `DELETE FROM "Order" o USING customer c WHERE c.id = o.customer AND c.id = ${v(customerId(r), 'int')} AND o.state <> ${v(r.pick(states), 'text')}${returning(r, 'o.id')}`,
  (r, v) =>
    `INSERT INTO line VALUES (${v(orderId(r), 'bigint')}, ${v(r.below(5), 'int')}, ${v(product(r), 'uuid')}, ${v(r.below(6), 'int')}, ${v('0.1', 'float8')})${returning(r, 'position, price')}`,
  (r, v) =>
    `UPDATE line SET amount = amount + ${v(r.below(3), 'int')}, price = price * 1.1 WHERE "order" = ${v(orderId(r), 'bigint')}${returning(r, 'position, amount, price')}`,
  (r, v) =>
    `UPDATE line SET position = position + ${v(1, 'int')} WHERE "order" = ${v(orderId(r), 'bigint')} AND position = ${v(r.below(4), 'int')}`,
  (r, v) =>
    `DELETE FROM line WHERE amount > ${v(r.below(9), 'int')} AND "order" % 3 = ${v(r.below(3), 'int')}`,
  (r, v) =>
    `INSERT INTO node VALUES (${v(nodeId(r), 'int')}, ${v(r.chance(0.2) ? null : nodeId(r), 'int')}, ${v(`${r.pick(['N', 'n'])}${r.below(25)}`, 'text')})${returning(r, 'id, at')}`,
  (r, v) => `UPDATE node SET parent = ${v(nodeId(r), 'int')} WHERE id = ${v(nodeId(r), 'int')}`,
  (r, v) =>
    `UPDATE node SET id = id + 100 WHERE id = ${v(nodeId(r), 'int')} AND NOT EXISTS (SELECT FROM node k WHERE k.parent = node.id)`,
  (r, v) =>
    `UPDATE node SET label = ${v(`n${r.below(25)}`, 'text')}, at = at + interval '1 hour' WHERE id = ${v(nodeId(r), 'int')}${returning(r, 'label, at')}`,
  (r, v) =>
    `DELETE FROM node WHERE id > ${v(nodeId(r), 'int')} AND NOT EXISTS (SELECT FROM node k WHERE k.parent = node.id)`,
  (r, v) =>
    `WITH gone AS (DELETE FROM line WHERE "order" = ${v(orderId(r), 'bigint')} RETURNING amount) UPDATE customer SET credit = credit + (SELECT count(*) FROM gone) WHERE id = ${v(customerId(r), 'int')} RETURNING id, credit`,
  (r, v) =>
    `WITH made AS (INSERT INTO "Order" (customer) VALUES (${v(customerId(r), 'int')}) RETURNING id) INSERT INTO line ("order", position, amount) SELECT id, 0, ${v(r.below(4), 'int')} FROM made RETURNING *`,
  (r, v) =>
    `SELECT c.id, c.email, count(o.id) FROM customer c LEFT JOIN "Order" o ON o.customer = c.id WHERE c.id < ${v(customerId(r), 'int')} GROUP BY c.id, c.email ORDER BY c.id`,
  (r, v) => `SELECT * FROM line WHERE "order" = ${v(orderId(r), 'bigint')} ORDER BY position`,
  // upserts: a parameter may stand in VALUES, not in what DO UPDATE evaluates
  (r, v) =>
    `INSERT INTO region VALUES (${v(`r${r.below(9) + 1}`, 'text')}, ${v(`Region ${r.below(12)}`, 'text')}) ON CONFLICT DO NOTHING${returning(r, 'name, code')}`,
  (r, v) =>
    `INSERT INTO region AS g VALUES (${v(`r${r.below(9) + 1}`, 'text')}, ${v(`Region ${r.below(12)}`, 'text')}) ON CONFLICT (code) DO UPDATE SET name = g.name || excluded.name WHERE length(g.name) < 20${returning(r, 'name, code')}`,
  (r, v) =>
    `INSERT INTO customer (email, region) VALUES (${v(`c${r.below(30)}@x`, 'text')}, ${v(region(r), 'text')}), (${v(`c${r.below(30)}@x`, 'text')}, 'r1') ON CONFLICT (email) DO UPDATE SET credit = customer.credit + 1, region = excluded.region, tags = excluded.tags || ARRAY['again']${returning(r, 'id, email, credit, doubled')}`,
  (r, v) =>
    `INSERT INTO line SELECT ${v(orderId(r), 'bigint')}, p, ${v(product(r), 'uuid')}, ${v(r.below(6), 'int')}, 1 FROM generate_series(0, 1) p ON CONFLICT ("order", position) DO UPDATE SET amount = line.amount + excluded.amount, price = (SELECT max(price) FROM line)${returning(r, 'position, amount')}`,
  (r, v) =>
    `INSERT INTO line VALUES (${v(orderId(r), 'bigint')}, ${v(r.below(5), 'int')}, ${v(product(r), 'uuid')}, 2, 1) ON CONFLICT ON CONSTRAINT line_order_product_key DO UPDATE SET position = line.position + 10${returning(r, '*')}`,
  (r, v) =>
    `INSERT INTO node VALUES (${v(nodeId(r), 'int')}, ${v(nodeId(r), 'int')}, ${v(`N${r.below(25)}`, 'text')}) ON CONFLICT (lower(label)) WHERE parent IS NOT NULL DO UPDATE SET (label, at) = (excluded.label || '!', DEFAULT)${returning(r, 'id, label')}`,
  (r, v) =>
    `INSERT INTO customer (id, email) OVERRIDING ${r.pick(['SYSTEM', 'USER'])} VALUE VALUES (${v(customerId(r) + 30, 'int')}, ${v(`o${r.below(30)}@x`, 'text')})${returning(r, 'id')}`,
];
