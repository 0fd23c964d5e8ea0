/** Tables of every kind in which an approval can be reverted: cascades, trees, partitions, values that JSON does not distinguish. */

import { brokenInvariants } from './invariants.ts';
import { createRandom } from './random.ts';
import type { StagingDatabase } from './staging-database.ts';
import { assert } from './suite.ts';

export const schema = `
CREATE TABLE owner (id int PRIMARY KEY, name text UNIQUE);
CREATE TABLE pet (id int PRIMARY KEY, owner int REFERENCES owner ON DELETE CASCADE ON UPDATE CASCADE, name text);
CREATE TABLE toy (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, pet int REFERENCES pet ON DELETE CASCADE ON UPDATE SET NULL);
CREATE TABLE odd (a int, b text, j json, jb jsonb, n numeric, f float8, r int4range, arr int[], g int GENERATED ALWAYS AS (a * 2) STORED,
  t timestamptz, by bytea, PRIMARY KEY (a, b));
CREATE TABLE node (id int PRIMARY KEY, parent int REFERENCES node ON DELETE SET NULL ON UPDATE CASCADE);
CREATE TABLE part (day date, v int, PRIMARY KEY (day, v)) PARTITION BY RANGE (day);
CREATE TABLE part_old PARTITION OF part FOR VALUES FROM (MINVALUE) TO ('2026-01-01');
CREATE TABLE part_new PARTITION OF part FOR VALUES FROM ('2026-01-01') TO (MAXVALUE);
CREATE TABLE loose (a int);`;
const dataAt = (at: number) => `
INSERT INTO owner VALUES (${at + 1}, 'ann${at || ''}'), (${at + 2}, 'bob${at || ''}'), (${at + 3}, 'cy${at || ''}');
INSERT INTO pet VALUES (${at + 1}, ${at + 1}, 'rex'), (${at + 2}, ${at + 1}, 'tom'), (${at + 3}, ${at + 2}, 'kit');
INSERT INTO toy (pet) VALUES (${at + 1}), (${at + 1}), (${at + 3});
INSERT INTO odd VALUES (${at + 1}, 'x', '{"k": 1,  "k": 2}', 'null', 1.10, '-0', '[1,4)', '[0:1]={1,2}', DEFAULT, '2026-01-01 00:00:00.123456Z', '\\x00ff'),
  (${at + 2}, 'y', 'null', NULL, 'NaN', 'Infinity', NULL, '{}', DEFAULT, 'infinity', NULL);
INSERT INTO node VALUES (${at + 1}, NULL), (${at + 2}, ${at + 1}), (${at + 3}, ${at + 2});
INSERT INTO part VALUES ('2025-05-05', ${at + 1}), ('2026-05-05', ${at + 1});`;
const loose = `
INSERT INTO loose VALUES (1);`;
export const data = dataAt(0) + loose;

/** The distance between the keys of two plots. A script stays within it. */
const width = 100;

/** Returns the same rows once for each plot, with keys and names of that plot. The script on a plot does not see the others. */
export const dataOf = (plots: number) =>
  Array.from({ length: plots }, (_, plot) => dataAt(plot * width)).join('') + loose;

type Pick = (count: number) => number;

/** Scripts that are staged in one session. */
interface Plots {
  readonly seed: number;
  readonly plots: number;
  /** The number of statements of a script. */
  readonly count: number;
}

/** Stages random scripts, each on its own plot; a single one covers all tables. Returns the statements that succeeded. */
export async function stageOnPlots(
  staging: StagingDatabase,
  session: string,
  { seed, plots, count }: Plots,
): Promise<string[]> {
  const taken: string[] = [];
  for (let plot = 0; plot < plots; plot += 1) {
    const { below } = createRandom(seed + plot);
    for (let index = 0; index < count; index += 1) {
      const statement = statementOf(below, plots === 1 ? undefined : plot);
      if (!(await isTaken(staging, session, statement))) continue;
      taken.push(statement);
      if (plots === 1) await demandInvariants(staging, taken);
    }
  }
  await demandInvariants(staging, taken);
  return taken;
}

const isTaken = (staging: StagingDatabase, session: string, statement: string) =>
  staging.stage(session, statement).then(
    () => true,
    () => false,
  );

async function demandInvariants(staging: StagingDatabase, taken: readonly string[]): Promise<void> {
  assert.equal(await brokenInvariants(staging.database), [], taken.join('; '));
}

/** Draws a statement. Many of them are refused, which is intended. */
function statementOf(pick: Pick, plot?: number): string {
  const at = (plot ?? 0) * width;
  const own = plot ? `_${plot}` : '';
  const inside = (column: string) =>
    plot === undefined ? 'true' : `${column} BETWEEN ${at - width / 4} AND ${at + width / 2}`;
  const key = () => at + 1 + pick(5);
  const name = () => `'n${pick(6)}${own}'`;
  const forms: readonly (() => string)[] = [
    () => `INSERT INTO owner VALUES (${key()}, ${name()})`,
    () => `INSERT INTO pet VALUES (${key()}, ${key()}, ${name()})`,
    () => `INSERT INTO toy (pet) SELECT id FROM pet WHERE id < ${key()} AND ${inside('id')}`,
    () => `INSERT INTO node VALUES (${key()}, ${key()}), (${key()}, NULL)`,
    () => `UPDATE owner SET name = ${name()} WHERE id = ${key()}`,
    () => `UPDATE owner SET id = id + ${pick(3) - 1} WHERE id >= ${key()} AND ${inside('id')}`,
    () => `UPDATE pet SET id = ${key()}, owner = ${key()} WHERE id = ${key()}`,
    () => `UPDATE pet SET name = name || ${name()} WHERE ${inside('id')}`,
    () => `UPDATE node SET id = ${key()} WHERE id = ${key()}`,
    () => `UPDATE node SET parent = ${key()} WHERE id <> ${key()} AND ${inside('id')}`,
    () =>
      `UPDATE odd SET a = a + ${pick(3)}, n = ${pick(9)}.${pick(9)}0, j = '[${pick(3)},  1]' WHERE ${inside('a')}`,
    () => `UPDATE part SET day = day + ${pick(500) - 250}, v = v + 1 WHERE ${inside('v')}`,
    () => `DELETE FROM owner WHERE id = ${key()}`,
    () => `DELETE FROM pet WHERE id >= ${key()} AND ${inside('id')}`,
    () => `DELETE FROM node WHERE id = ${key()}`,
    () => `DELETE FROM odd WHERE a = ${key()}`,
    () =>
      `WITH d AS (DELETE FROM toy WHERE pet = ${key()} RETURNING pet) INSERT INTO pet SELECT ${at + 9}, NULL, 'w' FROM d LIMIT 1`,
  ];
  return forms[pick(forms.length)]?.() ?? '';
}
