/** UPDATEs and DELETEs of many rows have the same results as in PostgreSQL, whether they are staged as a set or row by row. */
import { approveStories, assertAlike } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, suite } from '../helpers/suite.ts';
import { b, d, e, p, q, run, s } from '../helpers/wire-script.ts';

const { schema, steps } = await readStories('proxy/change-sets.sql');

suite('rows that change as a set', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);
});

const zero = 'DELETE FROM loose WHERE 1 / (SELECT count(*) - count(*) FROM loose) > 0';
const star = 'UPDATE goods * SET note = left(note, 3) WHERE n > $1';
const key = 'UPDATE loose SET word = $1 WHERE a = 3 AND b = 0';
const batches: Readonly<Record<string, readonly Buffer[]>> = {
  'a failing one, and others behind it': [
    ...[run(zero), run('SELECT count(*) FROM loose'), run(key, 'x'), s],
    ...[run(zero), run('DELETE FROM loose WHERE nowhere = 1'), run(key, 'y'), s],
    ...[run(key, 'z'), run(zero), run(key, 'u'), s],
    ...[run('INSERT INTO loose SELECT 1 / (a - a) FROM loose'), run('TABLE top'), s],
  ],
  'a mistake, in a transaction': [
    ...[q('BEGIN'), run('DELETE FROM loose WHERE nowhere = 1'), s, q('ROLLBACK')],
    ...[q('BEGIN'), run(key, 'x'), run('UPDATE goods SET nowhere = 1 WHERE n > 3'), s, q('COMMIT')],
  ],
  'a form whose text for a set cannot be analysed': [
    ...[run(star, '40'), s, q('BEGIN'), run(star, '50'), s, run(key, 'x'), run(star, '60'), s],
    ...[q('COMMIT'), p(star, 'named'), s, b(['70'], 'named'), d(), e(), s, b(['20'], 'named'), e()],
    ...[s, run(key, 'y'), run(star, '30'), run(key, 'z'), s],
  ],
  'the same rows, in batches': [
    ...[run('UPDATE loose SET word = $1 WHERE a > 20', 'a'), run('DELETE FROM loose WHERE a > 25')],
    ...[run('UPDATE loose SET word = $1 WHERE a > $2', 'b', '22'), s, run('TABLE loose'), s],
    ...[p('UPDATE loose SET word = $1 WHERE a > $2', 'w'), d('statement', 'w'), s],
    ...[
      b(['c', '18'], 'w'),
      d(),
      e(),
      b(['d', '15'], 'w'),
      d(),
      e(),
      s,
      b(['e', '12'], 'w'),
      e(),
      s,
    ],
    ...[q('BEGIN'), b(['f', '10'], 'w'), e(), s, b(['g', '8'], 'w'), e(), s, q('COMMIT')],
  ],
};

suite('rows that change as a set, in batches', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  for (const [name, messages] of Object.entries(batches)) {
    test(name, async () => {
      await assertAlike(proxied, messages);
    });
  }
});

suite('which rows change as a set', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  /** Returns the number of commands that staged the rows of the last statement on a table. */
  const commands = async (table: string) => {
    const [row] = await proxied.database.query<{ oid: number }>(`SELECT '${table}'::regclass::oid`);
    const [found] = await proxied.database.query<{ n: number }>(
      `SELECT count(DISTINCT cmin::text)::int AS n FROM stage_data.shadow_${row?.oid}
       WHERE _stage_mutation = (SELECT max(_stage_mutation) FROM stage_data.shadow_${row?.oid})`,
    );
    return found?.n;
  };
  const cases: readonly (readonly [table: string, text: string, isSet: boolean])[] = [
    ['goods', 'UPDATE goods SET n = n + 1 WHERE n > 70', true],
    ['goods', 'UPDATE goods g SET n = t.id + 20 FROM top t WHERE t.id = g.up', true],
    ['goods', 'DELETE FROM goods WHERE n > 70', true],
    ['loose', `UPDATE loose SET word = 'x' WHERE a = 3 OR a = 4`, true],
    ['loose', `UPDATE loose SET word = 'x' WHERE a = 3 AND b IN (0, 1)`, true],
    ['loose', 'UPDATE loose SET b = b + 10 WHERE a > 3', false],
    ['goods', 'UPDATE goods SET up = 1 WHERE id > 50', false],
    [
      'top',
      `DELETE FROM top WHERE word IN ('t6', 't7') AND id NOT IN (SELECT up FROM goods)`,
      false,
    ],
    ['goods', 'UPDATE goods SET n = n + 1 WHERE n > 70 RETURNING id', false],
  ];
  for (const [table, text, isSet] of cases) {
    for (const values of [undefined, []]) {
      const protocol = values === undefined ? 'simple' : 'extended';
      test(`${isSet ? 'at once' : 'row by row'}, ${protocol}: ${text}`, async () => {
        const client = await proxied.connect(await proxied.session('staged'));
        await client.query('DELETE FROM goods WHERE up IN (6, 7)');
        const { rowCount } = await client.query(text, values);
        assert.ok(rowCount && rowCount >= 1, String(rowCount));
        const found = await commands(table);
        assert.ok(isSet ? found === 1 : found && found >= rowCount, `${found} of ${rowCount}`);
      });
    }
  }
});
