/** The numbers of briefs equal those of the diffs, whatever was staged. `STAGE_TEST_BRIEFS=10000` is the long form. */
import { readBrief } from '../../src/review/brief/brief.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { rejectSession } from '../../src/review/decisions/reject.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { createRandom } from '../helpers/random.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';
import { briefData, briefSchema } from './brief-shop.ts';

const rounds = drawn(6, 'BRIEFS');
const seed = firstSeed();
const rules = { readableOnly: false, ownOnly: false, sensitiveColumns: [] };

suite('random briefs', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(briefSchema, briefData);
  });
  test.after(() => staging.close());

  const staged = async (statements: string): Promise<string> => {
    const id = await staging.open();
    await staging.stage(id, statements);
    return id;
  };

  test(`counts what the diff has, in ${rounds} random sessions`, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const random = createRandom(seed + round);
      const pick = <T>(...items: readonly T[]): T => items[random.below(items.length)] as T;
      const range = () => `id BETWEEN ${random.below(400)} AND ${random.below(400)}`;
      const statements = Array.from({ length: 1 + random.below(4) }, () =>
        pick(
          `UPDATE products SET price = round(price * ${1 + random.below(30) / 100}, 2) WHERE ${range()}`,
          `UPDATE products SET price = price + ${random.below(3)}, stock = NULL WHERE ${range()}`,
          `UPDATE products SET stock = ${random.below(20)} WHERE ${range()}`,
          `UPDATE products SET status = '${pick('paid', 'open', 'gone', "o''x")}' WHERE ${range()}`,
          `UPDATE products SET name = repeat('é', id % ${1 + random.below(40)}) || id WHERE ${range()}`,
          `UPDATE products SET made = made + id % ${1 + random.below(30)}, sold = sold - id * interval '1 day' WHERE ${range()}`,
          `UPDATE orders SET note = id % ${1 + random.below(20)} WHERE ${range()}`,
          `DELETE FROM orders WHERE ${range()}`,
          `DELETE FROM products WHERE id BETWEEN ${random.below(400)} + 1 AND ${random.below(20)}`,
          `INSERT INTO products (id, name, stock) SELECT g, 'n', g % 2 FROM generate_series(${500 + random.below(50)}, ${540 + random.below(50)}) g WHERE NOT EXISTS (SELECT FROM products p WHERE p.id = g)`,
        ),
      );
      await demandCounts(statements.join(';\n'), `seed ${seed + round}`);
    }
  });

  /** Compares every number of a brief with what the changes of the diff come to. */
  async function demandCounts(statements: string, about: string): Promise<void> {
    const id = await staged(statements);
    const { changes } = await diffOf(staging.service, id);
    const { tables } = await readBrief(staging.service, id, rules);
    for (const { table, facts, inserts, updates, deletes, sampled } of tables) {
      const own = changes.filter((change) => change.table === table);
      const kinds = (type: string) => own.filter((change) => change.type === type);
      const where = `${about}, ${table}:\n${statements}`;
      assert.equal(
        [inserts, updates, deletes, sampled],
        [...['INSERT', 'UPDATE', 'DELETE'].map((type) => kinds(type).length), null],
        where,
      );
      const sides = kinds('UPDATE').map(({ before, after }) =>
        [before, after].map((side) => side as Record<string, unknown>),
      );
      const told = facts.map(({ text }) => JSON.parse(text));
      const ofColumns = told.filter(
        ({ kind }) => !['duplicates', 'new_values', 'carried'].includes(kind),
      );
      const names = Object.keys(sides[0]?.[0] ?? {});
      const changed = names.filter((name) =>
        sides.some(([old, now]) => old?.[name] !== now?.[name]),
      );
      assert.equal(ofColumns.map(({ column }) => column).sort(), changed.sort(), where);
      for (const fact of ofColumns) {
        const pairs = sides
          .map(([old, now]) => [old?.[fact.column], now?.[fact.column]] as const)
          .filter(([old, now]) => old !== now);
        const at = `${JSON.stringify(fact)}\n${where}`;
        assert.is(fact.rows, pairs.length, at);
        assert.is(fact.filled ?? 0, pairs.filter(([old]) => old === null).length, at);
        assert.is(fact.emptied ?? 0, pairs.filter(([, now]) => now === null).length, at);
        demandFact(fact, pairs, at);
      }
    }
    await proposeSession(staging.service, id);
    await rejectSession(staging.service, id, null);
  }
});

interface Fact {
  readonly kind: string;
  readonly value?: unknown;
  readonly values?: number;
  readonly pairs?: readonly {
    readonly before: unknown;
    readonly after: unknown;
    readonly rows: number;
  }[];
  readonly of?: number;
  readonly up?: number;
  readonly down?: number;
  readonly factor?: number;
  readonly addend?: number;
  readonly explained?: number;
  readonly others?: number;
  readonly low?: number;
  readonly high?: number;
  readonly unit?: 'length' | 'time';
  readonly bins?: readonly (readonly [number, number])[];
}

/** Compares the ends of a range of measured values, and the sum of its parts. */
function demandMeasures(fact: Fact, values: readonly (readonly [number, number])[], at: string) {
  const total = (side: 0 | 1) => fact.bins?.reduce((sum, bin) => sum + bin[side], 0);
  assert.equal([total(0), total(1)], [values.length, values.length], at);
  const all = values.flat();
  assert.equal([fact.low, fact.high], [Math.min(...all), Math.max(...all)], at);
}

const textsOf = (pairs: Pairs) =>
  pairs.filter((pair) => pair.every((side) => typeof side === 'string')) as [string, string][];

const demandLengths = (fact: Fact, pairs: Pairs, at: string) =>
  demandMeasures(
    fact,
    textsOf(pairs).map(([old, now]) => [[...old].length, [...now].length]),
    at,
  );

const secondsOf = (text: string) => Date.parse(text) / 1000;

const demandTimes = (fact: Fact, pairs: Pairs, at: string) =>
  demandMeasures(
    fact,
    textsOf(pairs).map(([old, now]) => [secondsOf(old), secondsOf(now)]),
    at,
  );

type Pairs = readonly (readonly [unknown, unknown])[];

function demandFact(fact: Fact, pairs: Pairs, at: string): void {
  const numbers = pairs.filter((pair) => pair.every((side) => typeof side === 'number')) as [
    number,
    number,
  ][];
  const { kind } = fact;
  if (fact.unit === 'length') demandLengths(fact, pairs, at);
  else if (fact.unit === 'time') demandTimes(fact, pairs, at);
  else if (fact.bins) {
    const total = (side: 0 | 1) => fact.bins?.reduce((sum, bin) => sum + bin[side], 0);
    assert.equal([total(0), total(1)], [numbers.length, numbers.length], at);
    const all = numbers.flat();
    assert.equal([fact.low, fact.high], [Math.min(...all), Math.max(...all)], at);
  }
  if (kind === 'constant')
    assert.ok(
      pairs.every(([, now]) => now === fact.value),
      at,
    );
  if (kind === 'changed') assert.is(fact.values, new Set(pairs.map(([, now]) => now)).size, at);
  if (kind === 'values')
    for (const { before, after, rows } of fact.pairs ?? [])
      assert.is(rows, pairs.filter(([old, now]) => old === before && now === after).length, at);
  if (kind === 'range') {
    assert.equal(
      [fact.of, fact.up, fact.down],
      [
        numbers.length,
        numbers.filter(([old, now]) => now > old).length,
        numbers.filter(([old, now]) => now < old).length,
      ],
      at,
    );
  }
  if (kind !== 'rule') return;
  const { factor = 0, addend = 0 } = fact;
  const follows = numbers.filter(
    ([old, now]) =>
      Math.abs(now - (old * factor + addend)) <=
      (factor === 0 || factor === 1 ? 1e-9 : 0.005 + 1e-6),
  );
  const places = numbers.some(([, now]) => !Number.isInteger(now)) ? 2 : 0;
  if (places === 2) assert.is(fact.explained, follows.length, at);
  assert.is(fact.of, numbers.length, at);
  assert.is((fact.others ?? 0) + (fact.explained ?? 0), numbers.length, at);
}
