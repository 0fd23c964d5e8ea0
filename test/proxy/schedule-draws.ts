/** Draws what two or three connections do on the tables of interleaving-tables.ts, and in which order. */
import type { Step } from '../helpers/interleaving.ts';
import type { Random } from '../helpers/random.ts';

type Draw = (random: Random) => string;

/** Few keys, so that the connections meet. */
const key = (random: Random) => 1 + random.below(random.chance(0.8) ? 2 : 4);
const value = (random: Random) => 10 * (1 + random.below(9));
const code = (random: Random) => `'c${1 + random.below(5)}'`;
const letter = (random: Random) => `'${random.pick(['a', 'b', 'q'])}'`;

/** Writes to a table with a key `id` and a number `n`. */
const keyed = (table: string): Draw[] => [
  (random) => `UPDATE ${table} SET n = n + 1 WHERE id = ${key(random)} RETURNING n`,
  (random) => `UPDATE ${table} SET n = n + 1 WHERE id = ${key(random)} AND n < 20`,
  (random) => `UPDATE ${table} SET id = ${key(random)} WHERE id = ${key(random)}`,
  (random) => `DELETE FROM ${table} WHERE id = ${key(random)} RETURNING n`,
  (random) => `INSERT INTO ${table} VALUES (${key(random)}, ${value(random)})`,
  (random) =>
    `INSERT INTO ${table} VALUES (${key(random)}, ${value(random)}) ON CONFLICT DO NOTHING`,
  (random) =>
    `INSERT INTO ${table} AS t VALUES (${key(random)}, ${value(random)}) ON CONFLICT (id) DO UPDATE SET n = t.n + excluded.n RETURNING id, n`,
  (random) =>
    `INSERT INTO ${table} VALUES (${key(random)}, ${value(random)}) ON CONFLICT (id) DO UPDATE SET id = ${key(random)}`,
  (random) =>
    `MERGE INTO ${table} t USING (SELECT ${key(random)} AS k) s ON t.id = s.k WHEN MATCHED AND t.n > 15 THEN DELETE WHEN MATCHED THEN UPDATE SET n = t.n + 7 WHEN NOT MATCHED THEN INSERT VALUES (s.k, 3)`,
  (random) =>
    `MERGE INTO ${table} t USING (SELECT ${key(random)} AS k) s ON t.id = s.k WHEN MATCHED THEN UPDATE SET id = ${key(random)}`,
  (random) =>
    `SELECT n FROM ${table} WHERE id = ${key(random)} FOR UPDATE${random.pick(['', ' NOWAIT', ' SKIP LOCKED'])}`,
  () => `SELECT count(*), sum(n) FROM ${table}`,
];

const uniques: Draw[] = [
  (random) => `UPDATE item SET code = ${code(random)} WHERE id = ${key(random)}`,
  (random) => `UPDATE item SET id = ${key(random)}, code = NULL WHERE id = ${key(random)}`,
  (random) => `INSERT INTO item VALUES (${key(random)}, 5, ${code(random)})`,
  (random) => `INSERT INTO item VALUES (5, 5, ${code(random)}) ON CONFLICT DO NOTHING`,
  (random) =>
    `INSERT INTO item VALUES (5, 5, ${code(random)}) ON CONFLICT (code) DO UPDATE SET n = item.n + 1`,
  (random) => `DELETE FROM item WHERE code = ${code(random)}`,
];

const references: Draw[] = [
  (random) => `INSERT INTO part VALUES (${random.below(3)}, ${key(random)}) ON CONFLICT DO NOTHING`,
  (random) => `INSERT INTO note VALUES (${random.below(3)}, ${key(random)}) ON CONFLICT DO NOTHING`,
  (random) => `DELETE FROM item WHERE id = ${key(random)}`,
  (random) => `UPDATE item SET id = ${key(random)} WHERE id = ${key(random)}`,
  (random) => `UPDATE item SET n = n + 1 WHERE id = ${key(random)} RETURNING n`,
  (random) => `UPDATE slot SET n = n + 1 WHERE item = ${key(random)} RETURNING n`,
];

const partitions: Draw[] = [
  (random) => `UPDATE area SET n = n + 1 WHERE id = ${key(random)} RETURNING n`,
  (random) => `UPDATE area SET id = ${key(random)} WHERE zone = 1 AND id = ${key(random)}`,
  (random) => `DELETE FROM area WHERE zone = 1 AND id = ${key(random)}`,
  (random) => `INSERT INTO area VALUES (1, ${key(random)}, 5) ON CONFLICT DO NOTHING`,
  (random) =>
    `INSERT INTO area VALUES (1, ${key(random)}, 5) ON CONFLICT (zone, id) DO UPDATE SET n = area.n + 1`,
];

const keyless: Draw[] = [
  (random) => `UPDATE line SET n = n + 1 WHERE code = ${letter(random)}`,
  (random) => `UPDATE line SET code = 'z' WHERE code = ${letter(random)}`,
  (random) => `DELETE FROM line WHERE code = ${letter(random)}`,
  () => 'SELECT count(*), sum(n) FROM line',
];

const subjects: readonly (readonly Draw[])[] = [
  keyed('mark'),
  keyed('mark'),
  keyed('item'),
  [...keyed('item'), ...uniques],
  uniques,
  references,
  partitions,
  keyless,
];

export interface Schedule {
  readonly level: string;
  readonly steps: readonly Step[];
}

/** Draws a schedule. */
export function drawSchedule(random: Random, levels: readonly string[]): Schedule {
  const level = random.pick(levels);
  const subject = random.pick(subjects);
  const connections = random.chance(0.3) ? 3 : 2;
  const steps: Step[] = [];
  if (random.chance(0.3)) steps.push([0, random.pick(subject)(random)]);
  for (let connection = 0; connection < connections; connection += 1)
    if (random.chance(0.9)) steps.push([connection, `BEGIN ISOLATION LEVEL ${level}`]);
  const count = 4 + random.below(8);
  for (let index = 0; index < count; index += 1) {
    const connection = random.below(connections);
    steps.push([
      connection,
      random.chance(0.85) ? random.pick(subject)(random) : control(random, level),
    ]);
  }
  return { level, steps };
}

const control = (random: Random, level: string) =>
  random.pick([
    'COMMIT',
    'COMMIT',
    'ROLLBACK',
    'SAVEPOINT s',
    'ROLLBACK TO s',
    'RELEASE s',
    `BEGIN ISOLATION LEVEL ${level}`,
  ]);
