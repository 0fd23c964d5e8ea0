/** Random reads and writes of one of the tables: all of them have the columns `id`, `v` and `n`. */
import type { Random } from '../helpers/random.ts';
import type { Target } from './schema.ts';

interface Drawn {
  readonly text: string;
  /** Whether several rows may break several constraints: PostgreSQL chooses which error it reports. */
  readonly isSet: boolean;
}

const keyed = new Set<Target>(['parent', 'item', 'child', 'fired', 'heir', 'part']);

function reads(random: Random, name: string, table: Target): string[] {
  const id = random.below(9);
  return [
    `SELECT * FROM ${name}`,
    `SELECT id, v, n FROM ${name} WHERE id < ${id}`,
    `SELECT count(*), max(v), sum(n) FROM ${name}`,
    ...(table === 'item' || table === 'shown'
      ? ['SELECT $s.total()', `SELECT id, m, d, p, g FROM $s.item`]
      : []),
    ...(table === 'doc' ? [`SELECT id FROM $s.invoked`] : []),
    ...(keyed.has(table) ? [`SELECT id, v FROM ${name} WHERE id = ${id} FOR UPDATE`] : []),
  ];
}

function rowWrites(random: Random, name: string, table: Target): string[] {
  const [id, n] = [random.below(14), random.pick([1, 7, 49, 77, 150])];
  const conflict = keyed.has(table)
    ? [
        `INSERT INTO ${name} (id, v, n) VALUES (${id}, 'up', ${n}) ON CONFLICT (id) DO UPDATE SET v = excluded.v RETURNING id, v, n`,
        `INSERT INTO ${name} (id, v, n) VALUES (${id}, 'no', ${n}) ON CONFLICT DO NOTHING`,
      ]
    : [];
  const rich =
    table === 'item'
      ? [
          `INSERT INTO $s.item (id, d, m, n, w) VALUES (${id}, ${random.below(4)}, '${random.pick(['calm', 'glad', 'new'])}', ${n}, ${n}) RETURNING id, d, m, n, w, v, g`,
          `UPDATE $s.item SET d = ${random.below(3)}, p = ROW(1, 'y') WHERE id = ${id} RETURNING *`,
          `UPDATE $s.item SET parent = ${random.below(9)} WHERE id = ${id} RETURNING parent`,
          `INSERT INTO $s.item (id) VALUES (${id}) RETURNING id, n, v, g, d, who`,
        ]
      : [];
  return [
    `INSERT INTO ${name} (id, v, n) VALUES (${id}, 'new', ${n}) RETURNING id, v, n`,
    `INSERT INTO ${name} (id) VALUES (${id}) RETURNING *`,
    `UPDATE ${name} SET v = 'set' WHERE id = ${id} RETURNING id, v, n`,
    `UPDATE ${name} SET n = ${n} WHERE id = ${id}`,
    `UPDATE ${name} SET id = ${random.below(20)} WHERE id = ${id}`,
    `DELETE FROM ${name} WHERE id = ${id} RETURNING id`,
    ...conflict,
    ...rich,
  ];
}

function setWrites(random: Random, name: string): string[] {
  const id = random.below(9);
  return [
    `UPDATE ${name} SET v = coalesce(v, '') || '+' WHERE id > ${id}`,
    `UPDATE ${name} SET n = n + ${random.pick([1, 60])}`,
    `DELETE FROM ${name} WHERE id > ${id}`,
    `INSERT INTO ${name} (id, v, n) SELECT g, 'many', g FROM generate_series(${20 + id}, ${20 + 2 * id}) g`,
    `INSERT INTO ${name} (id, v, n) VALUES (${id}, 'one', 1), (${id + 7}, 'two', 2)`,
  ];
}

/** Draws a statement on a table, with `$s` for the schema. */
export function randomStatement(random: Random, table: Target): Drawn {
  const name = `$s.${table}`;
  const kind = random.below(10);
  if (kind < 4) return { text: random.pick(reads(random, name, table)), isSet: false };
  if (kind < 8) return { text: random.pick(rowWrites(random, name, table)), isSet: false };
  return { text: random.pick(setWrites(random, name)), isSet: true };
}
