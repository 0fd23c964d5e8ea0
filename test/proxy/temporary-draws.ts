/** Random conversations about temporary tables, beside staged writes and reads of the tables that they hide. */
import type { Random } from '../helpers/random.ts';
import { b, c, d, data, done, e, p, q, run, s } from '../helpers/wire-script.ts';

export const temporarySchema = `
CREATE TABLE item (id int PRIMARY KEY, n int);
CREATE TABLE other (id int PRIMARY KEY, n int CHECK (n < 1000));
CREATE VIEW small AS SELECT id, n FROM item WHERE n < 500;
INSERT INTO item SELECT g, g * 10 FROM generate_series(1, 4) g;
INSERT INTO other SELECT g, g FROM generate_series(3, 6) g;
`;

/** `item` is also a table of production. */
const tables = ['item', 'a', 'b', 'other'];
const columns = '(id int PRIMARY KEY, n int DEFAULT 5)';

type Draw = (random: Random, table: string, source: string) => string;

const id = (random: Random) => String(1 + random.below(9));

const definitions: readonly Draw[] = [
  (_, table) => `CREATE TEMP TABLE ${table} ${columns}`,
  (_, table) => `CREATE TEMP TABLE IF NOT EXISTS ${table} ${columns}`,
  (random, table) =>
    `CREATE TEMP TABLE ${table} ${columns} ON COMMIT ${random.pick(['DROP', 'DELETE ROWS'])}`,
  (_, table, source) => `CREATE TEMP TABLE ${table} AS SELECT id, n FROM ${source}`,
  (_, table) => `CREATE TEMP TABLE ${table} AS SELECT id, n + 1 AS n FROM small WITH DATA`,
  (_, table, source) => `SELECT id, n INTO TEMP ${table} FROM ${source} WHERE id < 4`,
  (_, table, source) =>
    `CREATE TEMP TABLE ${table} (LIKE public.${source === 'a' || source === 'b' ? 'item' : source} INCLUDING ALL)`,
  (_, table) => `DROP TABLE pg_temp.${table}`,
  (_, table) => `DROP TABLE IF EXISTS pg_temp.${table}, pg_temp.nowhere`,
  (random, table) => `ALTER TABLE pg_temp.${table} RENAME TO ${random.pick(tables)}`,
  (_, table) => `ALTER TABLE pg_temp.${table} ADD COLUMN IF NOT EXISTS more int DEFAULT 1`,
  (_, table) => `ALTER TABLE pg_temp.${table} ALTER n TYPE bigint`,
  (_, table) => `CREATE INDEX ON pg_temp.${table} (n)`,
  (_, table) => `TRUNCATE pg_temp.${table}`,
  () => 'DISCARD TEMP',
];

const writes: readonly Draw[] = [
  (random, table) => `INSERT INTO ${table} (id, n) VALUES (${id(random)}, 7)`,
  (random, table) => `INSERT INTO ${table} (id) VALUES (${id(random)}) RETURNING id`,
  (_, table, source) =>
    `INSERT INTO ${table} (id, n) SELECT id, max(n) FROM ${source} GROUP BY id ON CONFLICT DO NOTHING`,
  (random, table) =>
    `INSERT INTO ${table} (id, n) VALUES (${id(random)}, 8) ON CONFLICT (id) DO UPDATE SET n = ${table}.n + 1`,
  (random, table) => `UPDATE ${table} SET n = n + 1 WHERE id > ${id(random)}`,
  (_, table, source) =>
    `UPDATE ${table} SET n = (SELECT max(n) FROM ${source}) WHERE id = 3 RETURNING id, n`,
  (random, table) => `DELETE FROM ${table} WHERE id = ${id(random)}`,
  (_, table, source) =>
    `WITH g AS (DELETE FROM ${table} WHERE id = 2 RETURNING *) INSERT INTO ${source} (id, n) SELECT id + 20, n FROM g`,
  (random, table) =>
    `INSERT INTO public.${table === 'a' || table === 'b' ? 'other' : table} VALUES (${id(random)}, 9)`,
];

const reads: readonly Draw[] = [
  (_, table) => `SELECT id, n FROM ${table} ORDER BY 1, 2`,
  (_, table, source) =>
    `SELECT x.id, y.n FROM ${table} x JOIN ${source} y USING (id) ORDER BY 1, 2`,
  () => 'SELECT count(*), sum(n) FROM public.item',
  (_, table) => `SELECT count(*) FROM ${table} WHERE n > 1/(id - 99)`,
  () => 'SELECT 1/0',
];

const controls = [
  'BEGIN',
  'BEGIN',
  'COMMIT',
  'ROLLBACK',
  'SAVEPOINT s',
  'ROLLBACK TO s',
  'RELEASE s',
];

/** Returns the messages of a conversation with the given number of statements. */
export function temporaryConversation(random: Random, length: number): Buffer[] {
  const statements = Array.from({ length }, () => messages(random));
  return [
    ...statements,
    ...tables.map((table) => [s, q(`SELECT id, n FROM ${table} ORDER BY 1, 2`)]),
  ].flat();
}

function messages(random: Random): Buffer[] {
  const drawn = () => {
    const kind = random.pick([definitions, writes, writes, reads]);
    return random.pick(kind)(random, random.pick(tables), random.pick(tables));
  };
  switch (random.below(9)) {
    case 0:
    case 1:
      return [s, q(random.pick(controls))];
    case 2:
      return [run(drawn()), ...(random.chance(0.7) ? [s] : [])];
    case 3: {
      const name = random.pick(['one', 'two']);
      return [s, c('statement', name), p(drawn(), name), s, b([], name), d(), e(), s];
    }
    case 4:
      return [s, b([], ''), e(), s];
    case 5:
      return [s, q(`${drawn()}; ${drawn()}`)];
    case 6:
      return [
        s,
        q(`COPY ${random.pick(tables)} (id, n) FROM STDIN`),
        data(`${id(random)}\t1\n`),
        done,
      ];
    default:
      return [s, q(drawn())];
  }
}
