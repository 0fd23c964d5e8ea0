/** Which open sessions change the same rows, whatever they do to them. `STAGE_TEST_OVERLAPS=500` is the long form. */
import { readOverlaps } from '../../src/review/brief/brief.ts';
import { deleteSession } from '../../src/staging/discard.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const rounds = drawn(3, 'OVERLAPS');
const seed = firstSeed();
const keys = 30;

/** Keys of PostgreSQL's own types, of several columns, and of types with which they are compared as texts. */
const tables = [
  { name: 'numbers', columns: 'id', of: 'g' },
  { name: 'texts', columns: 'id', of: "'k ' || g" },
  { name: 'pairs', columns: 'half, id', of: "g % 2, 'k' || g" },
  { name: 'moods', columns: 'id', of: "('m' || g)::mood" },
  { name: 'spans', columns: 'id', of: 'int4range(g, g + 1)' },
  { name: 'odd', columns: 'id', of: '(g)::positive' },
];
const schema = `
CREATE TYPE mood AS ENUM (${Array.from({ length: 2 * keys }, (_, n) => `'m${n}'`).join()});
CREATE DOMAIN positive AS int CHECK (VALUE >= 0);
CREATE TABLE numbers (id bigint PRIMARY KEY, v int);
CREATE TABLE texts (id text PRIMARY KEY, v int);
CREATE TABLE pairs (half int, id varchar(9), v int, PRIMARY KEY (half, id));
CREATE TABLE moods (id mood PRIMARY KEY, v int);
CREATE TABLE spans (id int4range PRIMARY KEY, v int);
CREATE TABLE odd (id positive PRIMARY KEY, v int);`;

const rowOf = (of: string, key: number) => of.replaceAll(/\bg\b/g, String(key));
const data = tables
  .map(
    ({ name, of }) => `INSERT INTO ${name} SELECT ${of}, 0 FROM generate_series(0, ${keys - 1}) g`,
  )
  .join(';');

type Table = (typeof tables)[number];

/** Draws a change of a row that a session has, or of a new one. Returns the keys that it touches. */
function drawChange(random: Random, { name, columns, of }: Table, present: Set<number>) {
  const key = random.below(2 * keys);
  const is = (n: number) => `(${columns}) = (${rowOf(of, n)})`;
  if (!present.has(key)) {
    present.add(key);
    return { statement: `INSERT INTO ${name} VALUES (${rowOf(of, key)}, 1)`, touched: [key] };
  }
  const free = random.below(2 * keys);
  if (!present.has(free) && random.below(3) === 0) {
    present.delete(key);
    present.add(free);
    const set = columns.includes(',')
      ? `(${columns}) = (${rowOf(of, free)})`
      : `id = ${rowOf(of, free)}`;
    return { statement: `UPDATE ${name} SET ${set} WHERE ${is(key)}`, touched: [key, free] };
  }
  if (random.below(3) > 0)
    return {
      statement: `UPDATE ${name} SET v = coalesce(v, 0) + 1 WHERE ${is(key)}`,
      touched: [key],
    };
  present.delete(key);
  return { statement: `DELETE FROM ${name} WHERE ${is(key)}`, touched: [key] };
}

suite('random overlaps', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());

  /** Stages random changes. Returns the session, and the keys that it touched, by table. */
  const stageSome = async (random: Random) => {
    const id = await staging.open();
    const touched = new Map<string, Set<number>>();
    const statements: string[] = [];
    for (const table of tables) {
      const present = new Set(Array.from({ length: keys }, (_, n) => n));
      const own = new Set<number>();
      for (let n = random.below(5); n > 0; n -= 1) {
        const change = drawChange(random, table, present);
        statements.push(change.statement);
        for (const key of change.touched) own.add(key);
      }
      touched.set(table.name, own);
    }
    await staging.stage(id, statements.join(';'));
    return { id, touched };
  };

  test(
    `are those of the keys, in ${rounds} rounds of random sessions`,
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const random = createRandom(seed + round);
        const all: Awaited<ReturnType<typeof stageSome>>[] = [];
        for (let n = 0; n < 6; n += 1) all.push(await stageSome(random));
        for (const { id, touched } of all) {
          const found = await readOverlaps(staging.service, id);
          const expected = all
            .filter((other) => other.id !== id)
            .flatMap((other) =>
              tables.map(({ name: table }) => {
                const theirs = other.touched.get(table);
                const rows = [...(touched.get(table) ?? [])].filter((key) =>
                  theirs?.has(key),
                ).length;
                return { sessionId: other.id, table, rows };
              }),
            )
            .filter(({ rows }) => rows > 0);
          const sorted = (list: readonly object[]) =>
            list.map((each) => JSON.stringify(each, ['sessionId', 'table', 'rows'])).sort();
          assert.equal(sorted(found.overlaps), sorted(expected), `seed ${seed + round}`);
          for (const { table, count } of found.flags)
            assert.is(count, expected.filter((each) => each.table === table).length);
          assert.equal(
            found.flags.map(({ table }) => table).sort(),
            [...new Set(expected.map(({ table }) => table))].sort(),
          );
        }
        for (const { id } of all) await deleteSession(staging.service, id, null);
      }
    },
    { timeout: 36_000_000 },
  );

  test('name the twenty sessions with the most rows of a table, and count all', async () => {
    await staging.reset();
    const mine = await staging.open();
    await staging.stage(mine, 'UPDATE numbers SET v = 1');
    const others: string[] = [];
    for (let n = 0; n < 22; n += 1) {
      const id = await staging.open();
      await staging.stage(id, `UPDATE numbers SET v = 2 WHERE id <= ${n}`);
      others.unshift(id);
    }
    const { overlaps, flags } = await readOverlaps(staging.service, mine);
    assert.equal(
      overlaps.map(({ sessionId }) => sessionId),
      others.slice(0, 20),
    );
    assert.equal(flags, [{ code: 'overlap', table: 'numbers', column: null, count: 22 }]);
    for (const id of [mine, ...others]) await deleteSession(staging.service, id, null);
  });
});
