/** Draws statements on tables with triggers, and on the logs of these. */
import type { Pick } from './trigger-draws.ts';
import { isPartitioned, nameOf, oneOf } from './trigger-draws.ts';

/** Statements on tables of the given number. */
export function drawStatements(number: number, count: number, pick: Pick): string[] {
  const statements = Array.from({ length: count }, () => drawStatement(number, pick));
  return [...statements, ...[1, 2].map((table) => `TABLE ${nameOf(number, table)} ORDER BY id`)];
}

function drawStatement(number: number, pick: Pick): string {
  const top = nameOf(number, 1 + pick(2));
  const table = isPartitioned(number) ? top + oneOf(pick, ['', '', '_low', '_high']) : top;
  const id = 1 + pick(12);
  const value = pick(14);
  const log = drawLogStatement(top, value, pick);
  const set = oneOf(pick, [
    `a = ${value}`,
    `a = a + 1`,
    `b = 'u${value}'`,
    `c = ${value}, d = ${value}`,
    'd = d',
    `b = NULL, a = ${value}`,
    `words = 'The ${value} dogs are running to'`,
    `v = 'by:1 hand:2'`,
  ]);
  const values = () => `(${1 + pick(14)}, ${pick(14)}, 'n', ${oneOf(pick, ['NULL', '4'])})`;
  const insert = `INSERT INTO ${table} (id, a, b, d) VALUES`;
  return oneOf(pick, [
    log,
    `${insert} ${values()} RETURNING *`,
    `${insert} ${values()}`,
    `INSERT INTO ${table} (id, a, d) SELECT g, g - 20, 1 FROM generate_series(${20 + value * 3}, ${22 + value * 3}) g`,
    `${insert} ${values()} ON CONFLICT (id) DO UPDATE SET ${set.replaceAll('a + 1', 'excluded.a')}, c = excluded.c`.replace(
      'd = d',
      'd = excluded.d',
    ),
    `${insert} ${values()} ON CONFLICT DO NOTHING`,
    `UPDATE ${table} SET ${set} WHERE id = ${id} RETURNING *`,
    `UPDATE ${table} SET ${set} WHERE id = ${id}`,
    `UPDATE ${table} SET b = 'many' WHERE id > ${id}`,
    `DELETE FROM ${table} WHERE id = ${id}`,
    `DELETE FROM ${table} WHERE id > ${6 + id}`,
    `MERGE INTO ${table} t USING (VALUES (${id}, ${value})) v(id, n) ON t.id = v.id WHEN MATCHED THEN UPDATE SET ${set} WHEN NOT MATCHED THEN INSERT (id, a, d) VALUES (v.id, v.n, 1)`,
    `BEGIN; UPDATE ${table} SET ${set} WHERE id = ${id}; ROLLBACK`,
    `SELECT count(*), sum(a), sum(d), max(b) FROM ${table}`,
  ]);
}

/** Statements on what triggers write, also on their rows. A log without a key is the last to be written: the statements find none of its columns. */
const drawLogStatement = (table: string, value: number, pick: Pick): string =>
  oneOf(pick, [
    `INSERT INTO ${table}_log (what, copy) VALUES ('client', ${value}) ON CONFLICT (what, copy) DO UPDATE SET seen = 5`,
    `INSERT INTO ${table}_log (what, copy) SELECT 'client', ${value} + g FROM generate_series(1, 2) g`,
    `UPDATE ${table}_log SET copy = copy + 20 WHERE what = 'client' AND copy < ${value}`,
    `DELETE FROM ${table}_log WHERE what = 'client' AND copy > ${value} RETURNING *`,
    `UPDATE ${table}_log SET seen = ${value % 9} WHERE copy < ${value}`,
    `DELETE FROM ${table}_log WHERE what LIKE '%${value}'`,
    `UPDATE ${table}_marks SET nth = nth + 20 WHERE nth < 3`,
    `DELETE FROM ${table}_marks WHERE what LIKE '%${value}'`,
    `UPDATE ${table}_sums SET n = n * 2 WHERE k = ${value % 3}`,
    `SELECT what, copy, seen FROM ${table}_log ORDER BY 1, 2`,
    `WITH n AS (INSERT INTO ${table}_log (what, copy) VALUES ('client', ${value} + 100) RETURNING copy) UPDATE ${table} SET a = a + 1 WHERE id < 4`,
  ]);
