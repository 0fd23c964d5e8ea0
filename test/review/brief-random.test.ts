/**
 * The numbers of briefs, in facts, sentences and flags, equal those that SQL of the test counts, whatever was staged.
 * `STAGE_TEST_BRIEFS=10000` is the long form.
 */
import pg from 'pg';
import { briefLines } from '../../src/client/brief-words.ts';
import type { Brief, FlagCode, TableBrief } from '../../src/model/brief.ts';
import { readBrief } from '../../src/review/brief/brief.ts';
import { findConflicts } from '../../src/review/conflicts.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { rejectSession } from '../../src/review/decisions/reject.ts';
import { rehearseSession } from '../../src/review/rehearsal/rehearse.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { createRandom } from '../helpers/random.ts';
import { usual } from '../helpers/rehearsing.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { TableChanges } from './brief-expected.ts';
import { expectedOf } from './brief-expected.ts';
import { demandFact } from './brief-facts.ts';
import { briefData, briefSchema } from './brief-shop.ts';

const rounds = drawn(6, 'BRIEFS');
const seed = firstSeed();
const rules = { readableOnly: false, ownOnly: false, sensitiveColumns: [] };

suite('random briefs', (test) => {
  let staging: StagingDatabase;
  let production: pg.Client;
  test.before(async () => {
    staging = await createStagingDatabase(briefSchema, briefData);
    production = new pg.Client({ connectionString: staging.database.url });
    await production.connect();
    await production.query(keepProduction);
  });
  test.after(async () => {
    await production.end();
    await staging.close();
  });

  const staged = async (statements: string): Promise<string> => {
    const id = await staging.open();
    await staging.stage(id, statements);
    return id;
  };

  test(
    `counts what the diff has, in ${rounds} random sessions`,
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const random = createRandom(seed + round);
        const pick = <T>(...items: readonly T[]): T => items[random.below(items.length)] as T;
        const few = () => `id / ${1 + random.below(20)} = ${random.below(40)}`;
        const range = () => `id BETWEEN ${random.below(400)} AND ${random.below(400)}`;
        const statements = Array.from({ length: 1 + random.below(4) }, () =>
          pick(
            `UPDATE products SET price = round(price * ${1 + random.below(30) / 100}, 2) WHERE ${range()}`,
            `UPDATE products SET price = price + ${random.below(3)}, stock = NULL WHERE ${range()}`,
            `UPDATE products SET stock = ${random.below(20)} WHERE ${range()}`,
            `UPDATE products SET status = '${pick('paid', 'open', 'gone', "o''x")}' WHERE ${range()}`,
            `UPDATE products SET name = repeat('é', id % ${1 + random.below(40)}) || id WHERE ${range()}`,
            `UPDATE products SET stock = ${random.below(60) - 30}, price = price * ${random.below(9)} - ${random.below(9)} WHERE ${few()}`,
            `UPDATE products SET sold = sold + id * interval '${random.below(9)} days', made = current_date + id % 5 - 2 WHERE ${few()}`,
            `UPDATE products SET made = made + id % ${1 + random.below(30)}, sold = sold - id * interval '1 day' WHERE ${range()}`,
            `UPDATE orders SET note = id % ${1 + random.below(20)} WHERE ${range()}`,
            `DELETE FROM orders WHERE ${range()}`,
            `DELETE FROM products WHERE ${few()}`,
            `INSERT INTO products (id, name, stock) SELECT g, 'n', g % ${1 + random.below(20)} FROM generate_series(${500 + random.below(50)}, ${540 + random.below(50)}) g WHERE NOT EXISTS (SELECT FROM products p WHERE p.id = g)`,
          ),
        );
        await demandCounts(statements, `seed ${seed + round}`);
        if (random.below(3) === 0)
          await demandKnown(
            statements,
            {
              change: pick(
                `UPDATE products SET seen = seen || '!' WHERE ${few()} RETURNING id`,
                `UPDATE products SET price = 1 - price WHERE ${range()} RETURNING id`,
                `UPDATE orders SET note = coalesce(note, '') || '!' WHERE ${range()} RETURNING id`,
                `DELETE FROM orders WHERE ${few()} RETURNING id`,
              ),
              isRehearsed: random.below(2) === 0,
            },
            `seed ${seed + round}`,
          );
      }
    },
    { timeout: 36_000_000 },
  );

  /** Compares every number of a brief with what the statements do to production. */
  async function demandCounts(statements: readonly string[], about: string): Promise<void> {
    const expected = await expectedOf(production, statements);
    const id = await staged(statements.join(';\n'));
    const brief = await readBrief(staging.service, id, rules);
    const touched = [...expected].filter(([, { changes }]) => changes.length > 0);
    const counted = brief.tables.filter(
      ({ inserts, updates, deletes }) => inserts + updates + deletes > 0,
    );
    assert.equal(
      counted.map(({ table }) => table).sort(),
      touched.map(([table]) => table).sort(),
      about,
    );
    for (const table of counted) {
      const where = `${about}, ${table.table}:\n${statements.join(';\n')}`;
      demandTable(brief, table, expected.get(table.table) as TableChanges, where);
    }
    await proposeSession(staging.service, id);
    await rejectSession(staging.service, id, null);
  }

  /** Compares the flags of what somebody found with a change of production, and whether the session was rehearsed. */
  async function demandKnown(
    statements: readonly string[],
    { change, isRehearsed }: { readonly change: string; readonly isRehearsed: boolean },
    about: string,
  ): Promise<void> {
    const expected = await expectedOf(production, statements);
    const id = await staged(statements.join(';\n'));
    await proposeSession(staging.service, id);
    if (isRehearsed) await rehearseSession(staging.service, id, usual);
    const { rows } = await production.query(change);
    await findConflicts(staging.service, id);
    const { flags, tables } = await readBrief(staging.service, id, rules);
    await production.query(undoChange);
    const [, changed = ''] = /(products|orders)/.exec(change) ?? [];
    const touched = new Set(expected.get(changed)?.touched);
    const count = rows.filter(({ id: key }) => touched.has(key)).length;
    assert.equal(
      flags.flatMap((flag) =>
        flag.code === 'conflict' || flag.code === 'never_rehearsed'
          ? [[flag.code, flag.table, flag.count]]
          : [],
      ),
      [
        ...(count > 0 ? [['conflict', changed, count]] : []),
        ...(tables.length > 0 && !isRehearsed ? [['never_rehearsed', null, 1]] : []),
      ],
      `${about}, ${change}:\n${statements.join(';\n')}`,
    );
    await rejectSession(staging.service, id, null);
  }
});

/** Keeps the rows of production in another schema, from which a change is undone. */
const keepProduction = `CREATE SCHEMA kept; CREATE TABLE kept.products AS TABLE products; CREATE TABLE kept.orders AS TABLE orders`;
const undoChange = `
UPDATE products p SET price = k.price, seen = k.seen FROM kept.products k WHERE k.id = p.id AND (k.price, k.seen) IS DISTINCT FROM (p.price, p.seen);
UPDATE orders o SET note = k.note FROM kept.orders k WHERE k.id = o.id AND k.note IS DISTINCT FROM o.note;
INSERT INTO orders SELECT k.* FROM kept.orders k WHERE NOT EXISTS (SELECT FROM orders o WHERE o.id = k.id)`;

/** Compares the numbers, sentences and flags of one table. */
function demandTable(
  brief: Brief,
  { table, facts, inserts, updates, deletes, sampled }: TableBrief,
  expected: TableChanges,
  where: string,
): void {
  const { changes } = expected;
  const sides = changes.flatMap(({ before, after }) => (before && after ? [[before, after]] : []));
  const inserted = changes.filter(({ before }) => before === null).length;
  const deleted = changes.filter(({ after }) => after === null).length;
  assert.equal(
    [inserts, updates, deletes, sampled],
    [inserted, sides.length, deleted, null],
    where,
  );
  const reported = facts.map(({ text }) => JSON.parse(text));
  const ofColumns = reported.filter(({ kind }) => !ofTables.has(kind));
  const names = Object.keys(sides[0]?.[0] ?? {});
  const changed = names.filter((name) => sides.some(([old, now]) => old?.[name] !== now?.[name]));
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
  const rest = reported.filter(({ kind }) => ofTables.has(kind));
  assert.equal(rest.map(rowsOf).sort(), restOf(expected).sort(), where);
  demandWords(brief, table, reported, [inserted, sides.length, deleted], where);
  demandFlags(brief, table, ofColumns, expected, where);
}

/** The kinds of facts that are about no update of a column. */
const ofTables = new Set(['duplicates', 'new_values', 'beyond_production', 'carried']);

const rowsOf = ({ kind, column, rows, deletes, updates }: Record<string, unknown>) =>
  kind === 'carried' ? `carried ${deletes} ${updates}` : `${kind} ${column ?? ''} ${rows}`;

const restOf = ({ duplicates, carried, newValues, beyond }: TableChanges) => [
  ...Object.entries(beyond).flatMap(([column, rows]) =>
    rows > 0 ? [`beyond_production ${column} ${rows}`] : [],
  ),
  ...(duplicates > 0 ? [`duplicates  ${duplicates}`] : []),
  ...(carried > 0 ? [`carried ${carried} 0`] : []),
  ...Object.entries(newValues).flatMap(([column, rows]) =>
    rows > 0 ? [`new_values ${column} ${rows}`] : [],
  ),
];

/** Each fact has a sentence, and the first line has the counts. */
function demandWords(
  brief: Brief,
  table: string,
  reported: readonly Record<string, unknown>[],
  [inserts, updates, deletes]: readonly number[],
  where: string,
): void {
  const lines = briefLines(brief);
  const counts = `${table}: ${inserts} inserted, ${updates} updated, ${deletes} deleted`;
  // more may follow: changes that no net change shows
  const at = lines.findIndex((line) => line === counts || line.startsWith(`${counts}, `));
  assert.is.not(at, -1, `${lines.join('\n')}\n${where}`);
  for (const [index, fact] of reported.entries()) {
    const sentence = lines[at + 1 + index] ?? '';
    const numbers = numbersOf(fact);
    for (const { explained, others, rows, of = rows, deletes: carried = of } of numbers as Record<
      string,
      unknown
    >[])
      for (const number of [explained ?? carried, others ?? carried])
        assert.match(sentence, new RegExp(`\\b${number}\\b`), `${sentence}\n${where}`);
  }
}

/** Returns the parts of a fact that its sentence lists. */
function numbersOf(fact: Record<string, unknown>): readonly object[] {
  if (fact['kind'] === 'values') return fact['pairs'] as object[];
  if (fact['kind'] !== 'beyond_production') return [fact];
  return [fact['above'], fact['below']].flatMap((rows) => (rows === undefined ? [] : [{ rows }]));
}

function demandFlags(
  { flags }: Brief,
  table: string,
  ofColumns: readonly Record<string, unknown>[],
  { rows, changes, ...expected }: TableChanges,
  where: string,
): void {
  const deletes = changes.filter(({ after }) => after === null).length;
  const touched = changes.filter(({ before }) => before !== null).length;
  const share = Math.floor((100 * touched) / rows);
  const all: readonly (readonly [FlagCode, unknown, unknown])[] = [
    ['deletes', null, deletes],
    ['duplicates', null, expected.duplicates],
    ['carried_along', null, expected.carried],
    ['share_of_table', null, share >= 20 ? share : 0],
    ...Object.entries(expected.newValues).map(
      ([column, count]) => ['new_values', column, count] as const,
    ),
    ...Object.entries(expected.beyond).map(
      ([column, count]) => ['beyond_production', column, count] as const,
    ),
    ...ofColumns.map(({ column, others }) => ['beyond_rule', column, others ?? 0] as const),
  ];
  const reported = flags.filter((flag) => flag.table === table && flag.code !== 'further_changes');
  assert.equal(
    reported.map(({ code, column, count }) => [code, column, count].join()).sort(),
    all
      .filter(([, , count]) => count !== 0)
      .map((flag) => flag.join())
      .sort(),
    where,
  );
}
