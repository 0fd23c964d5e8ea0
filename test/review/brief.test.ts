/** Briefs: the sentences, the flags, and what may not be told. */
import { readFileSync } from 'node:fs';
import { briefLines } from '../../src/client/brief-words.ts';
import type { Brief, FlagCode } from '../../src/model/brief.ts';
import { flagCodes } from '../../src/model/brief.ts';
import { readBrief } from '../../src/review/brief/brief.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { rejectSession } from '../../src/review/decisions/reject.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';
import { briefData, briefSchema } from './brief-shop.ts';

/** An enum whose cast to JSON is code of users. */
const moods = `
CREATE TYPE mood AS ENUM ('sad', 'happy', 'new');
CREATE TABLE cast_log (v mood);
CREATE FUNCTION mood_json(mood) RETURNS json LANGUAGE plpgsql AS $$
  BEGIN INSERT INTO public.cast_log VALUES ($1); RETURN '"x"'; END $$;
CREATE CAST (mood AS json) WITH FUNCTION mood_json(mood);
CREATE TABLE people (id int PRIMARY KEY, name text, mood mood);
INSERT INTO people VALUES (1, 'a', 'sad'), (2, 'b', 'happy')`;

suite('briefs', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(`${briefSchema};${moods}`, briefData);
  });
  test.after(() => staging.close());

  const brief = (id: string, rules: Partial<Parameters<typeof readBrief>[2]> = {}) =>
    readBrief(staging.service, id, {
      readableOnly: false,
      ownOnly: false,
      sensitiveColumns: ['secrets.iban'],
      ...rules,
    });
  const staged = async (statements: string): Promise<string> => {
    const id = await staging.open();
    await staging.stage(id, statements);
    return id;
  };
  /** Stages in a session, reads its brief, and gives the session up. */
  const briefOf = async (statements: string): Promise<Brief> => {
    const id = await staged(statements);
    const found = await brief(id);
    await proposeSession(staging.service, id);
    await rejectSession(staging.service, id, null);
    return found;
  };
  const codes = ({ flags }: Brief) => flags.map(({ code }) => code);
  const has = (found: Brief, code: FlagCode) => codes(found).includes(code);
  const sentences = async (statements: string) => briefLines(await briefOf(statements));

  test('names the rule, and the rows that break it', async () => {
    const lines = await sentences(
      'UPDATE products SET price = round(price * 1.1, 2) * CASE WHEN id IN (17, 90, 233) THEN 10 ELSE 1 END',
    );
    assert.ok(
      lines.includes('  price: × 1.1 explains 403 of 406 rows; 3 do not follow it: 17, 90, 233'),
      lines.join('\n'),
    );
    assert.ok(lines.includes('! 3 rows of products.price break the rule'));
    assert.ok(lines.includes('! 100 % of the rows of products'));
    const reported = async (statement: string) =>
      (await sentences(statement)).filter((line) => /^ {2}(?!.* row of production)/.test(line));
    assert.equal(await reported('UPDATE products SET price = price - 2 WHERE id < 388'), [
      '  price: - 2 explains 387 of 387 rows',
    ]);
    // all ratios are equal, for nothing is rounded
    assert.equal(await reported('UPDATE products SET stock = stock * 2'), [
      '  stock: × 2 explains 375 of 375 rows',
    ]);
    assert.equal(
      await reported('UPDATE products SET price = CASE WHEN id < 3 THEN 0 ELSE 9.99 END'),
      ['  price: = 9.99 explains 404 of 406 rows; 2 do not follow it: 1, 2'],
    );
    assert.equal(await reported('UPDATE products SET price = price * 1.02 + 0.5'), [
      '  price: × 1.02 + 0.5 explains 406 of 406 rows',
    ]);
    const [random] = await reported(
      'UPDATE products SET price = price * (0.9 + ((id * 7919) % 2003) / 10000.0)',
    );
    assert.match(random ?? '', /^ {2}price: no single rule for \d+ rows: \d+ up, \d+ down; from -/);
    const [two] = await reported(
      'UPDATE products SET price = round(price * CASE WHEN id <= 206 THEN 1.1 ELSE 1.3 END, 2)',
    );
    assert.match(two ?? '', /^ {2}price: no single rule for 406 rows/);
  });

  test('counts pairs, constants, values that production does not have, and what was carried along', async () => {
    const paid = await sentences(`UPDATE products SET status = 'cancelled' WHERE status = 'paid'`);
    assert.ok(paid.includes('  status: all 203 changed to cancelled'), paid.join('\n'));
    assert.ok(paid.includes('  status: no row of production has cancelled (203 rows)'));
    const both = await sentences(
      `UPDATE products SET status = CASE status WHEN 'paid' THEN 'open' ELSE 'paid' END`,
    );
    assert.ok(
      both.includes('  status: open → paid (203 rows), paid → open (203 rows)'),
      both.join('\n'),
    );
    assert.ok(!both.some((line) => line.includes('no row of production')));
    const gone = await sentences('DELETE FROM products WHERE id <= 100');
    assert.ok(
      gone.includes('  200 rows deleted along, by the foreign key orders_product_fkey'),
      gone.join('\n'),
    );
    assert.ok(gone.includes('! 100 rows of products deleted'));
    const twice = await sentences(
      `INSERT INTO products (id, name, price, stock, status) VALUES (1001, 'n', 1, 1, 'open'), (1002, 'n', 1, 1, 'open'), (1003, 'm', 1, 1, 'open')`,
    );
    assert.ok(
      twice.includes('  2 inserted rows equal another inserted one in name, price, stock, status'),
      twice.join('\n'),
    );
  });

  test("runs no cast of users with the service's rights", async () => {
    const lines = await sentences(`UPDATE people SET mood = 'new', name = 'c' WHERE id = 1`);
    assert.ok(lines.includes('  name: no row of production has c (1 row)'), lines.join('\n'));
    assert.equal(await staging.database.query('SELECT * FROM cast_log'), []);
  });

  test('each flag is raised by what it is for, and by nothing that just is not', async () => {
    const cases: readonly (readonly [FlagCode, string, string])[] = [
      [
        'deletes',
        'DELETE FROM secrets WHERE id = 1',
        'UPDATE secrets SET iban = NULL WHERE id = 1',
      ],
      [
        'keys_moved',
        'UPDATE secrets SET id = 900 WHERE id = 1',
        'UPDATE secrets SET id = 1 WHERE id = 1',
      ],
      [
        'share_of_table',
        'DELETE FROM secrets WHERE id <= 20',
        'DELETE FROM secrets WHERE id <= 19',
      ],
      [
        'sensitive_column',
        `UPDATE secrets SET iban = 'x' WHERE id = 1`,
        'UPDATE secrets SET id = 900 WHERE id = 1',
      ],
      [
        'new_values',
        `UPDATE products SET status = 'new' WHERE id = 1`,
        `UPDATE products SET name = 'new' WHERE id = 1`,
      ],
      [
        'duplicates',
        `INSERT INTO orders VALUES (901, 1, 'a'), (902, 1, 'a')`,
        `INSERT INTO orders VALUES (901, 1, 'a'), (902, 1, 'b')`,
      ],
      ['carried_along', 'DELETE FROM products WHERE id = 1', 'DELETE FROM orders WHERE id = 1'],
      [
        'further_changes',
        'UPDATE orders SET note = 1; UPDATE orders SET note = 2',
        'UPDATE orders SET note = 2',
      ],
      [
        'beyond_production',
        'UPDATE products SET stock = 13 WHERE id = 1',
        'UPDATE products SET stock = 12 WHERE id = 1',
      ],
      [
        'beyond_rule',
        'UPDATE products SET stock = stock + CASE WHEN id = 5 THEN 2 ELSE 1 END',
        'UPDATE products SET stock = stock + 1',
      ],
    ];
    const elsewhere = [
      ...['overlap', 'triggers', 'new_table_for_author', 'size_for_author', 'time_of_day'],
      ...['no_where', 'conflict', 'never_rehearsed'],
    ];
    const tested = [...cases.map(([code]) => code), ...elsewhere];
    assert.equal(tested.sort(), [...flagCodes].sort());
    const listed = readFileSync('docs/review.md', 'utf8').split('| Flag | Raised by |')[1] ?? '';
    for (const code of flagCodes) assert.ok(listed.includes(`\n| \`${code}\` |`), code);
    for (const [code, raises, does] of cases) {
      assert.ok(has(await briefOf(raises), code), `${code}: ${raises}`);
      assert.not.ok(has(await briefOf(does), code), `${code}: ${does}`);
    }
  });

  test('names open sessions that change the same rows, to those who may know them', async () => {
    const mine = await staged('UPDATE secrets SET iban = NULL WHERE id <= 5');
    const other = await staged(`UPDATE secrets SET iban = 'x' WHERE id BETWEEN 4 AND 9`);
    const apart = await staged('UPDATE secrets SET iban = NULL WHERE id > 50');
    const found = await brief(mine);
    assert.equal(found.overlaps, [{ sessionId: other, table: 'secrets', rows: 2 }]);
    assert.ok(has(found, 'overlap'));
    const own = await brief(mine, { ownOnly: true });
    assert.equal(own.overlaps, [{ sessionId: null, table: 'secrets', rows: 2 }]);
    assert.not.match(briefLines(own).join('\n'), new RegExp(other));
    assert.not.ok(has(await brief(apart), 'overlap'));
    for (const id of [mine, other, apart]) {
      await proposeSession(staging.service, id);
      await rejectSession(staging.service, id, null);
    }
    assert.equal((await brief(apart)).overlaps, []);
  });

  test('of a table that may not be read it tells counts only', async () => {
    const id = await staged(
      `UPDATE secrets SET iban = 'hush' WHERE id = 1; DELETE FROM secrets WHERE id = 2`,
    );
    // no known role staged
    await staging.database.query(
      `UPDATE stage.mutation SET role = NULL WHERE session = '${id.slice(5)}'`,
    );
    const hidden = await brief(id, { readableOnly: true });
    assert.equal(
      hidden.tables.map((table) => ({ ...table })),
      [
        {
          table: 'secrets',
          inserts: 0,
          updates: 1,
          deletes: 1,
          furtherChanges: 0,
          hidden: true,
          sampled: null,
          facts: [],
        },
      ],
    );
    assert.equal(codes(hidden), ['deletes']);
    assert.not.match(JSON.stringify(hidden), /hush|iban/);
    assert.ok(has(await brief(id), 'sensitive_column'));
  });

  test('marks all changes of a table whose columns are all sensitive', async () => {
    const flagsOf = async (statements: string) => {
      const id = await staged(statements);
      const { flags } = await brief(id, { sensitiveColumns: ['secrets.*', 'orders.id', 'x.*'] });
      await proposeSession(staging.service, id);
      await rejectSession(staging.service, id, null);
      return flags.filter(({ code }) => code === 'sensitive_column');
    };
    const change = `UPDATE secrets SET iban = 'x' WHERE id <= 2; DELETE FROM secrets WHERE id = 3`;
    const flag = { code: 'sensitive_column', table: 'secrets', column: null, count: 3 };
    assert.equal(await flagsOf(change), [flag]);
    assert.equal(await flagsOf('UPDATE orders SET note = 1 WHERE id = 1'), []);
  });

  test('says when it looked at a sample', async () => {
    const id = await staging.open();
    await staging.stage(
      id,
      `INSERT INTO secrets SELECT g, 'DE' || g FROM generate_series(1001, 1001 + 11000) g`,
    );
    const [table] = (await brief(id)).tables;
    assert.is(table?.inserts, 11001);
    assert.ok(
      (table?.sampled ?? 0) > 5_000 && (table?.sampled ?? 0) <= 10_000,
      String(table?.sampled),
    );
    const lines = briefLines(await brief(id));
    assert.ok(lines.some((line) => line.includes(`sample of ${table?.sampled} of 11001 changes`)));
  });

  test('an approved session keeps its sentences', async () => {
    const id = await staged('UPDATE orders SET note = id % 3');
    const before = (await brief(id)).tables;
    await proposeSession(staging.service, id);
    await approveSession(staging.service, id, { approvedBy: null, digest: null });
    const after = (await brief(id)).tables;
    assert.equal(
      after.map(({ facts }) => facts),
      before.map(({ facts }) => facts),
    );
    await staging.reset();
  });
});
