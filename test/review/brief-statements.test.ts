/** Flags of briefs about the statements that staged rows, and values beyond those of production in tables of any size. */
import { briefLines } from '../../src/client/brief-words.ts';
import type { Database } from '../../src/db/database.ts';
import { createDatabase } from '../../src/db/database.ts';
import type { FlagCode } from '../../src/model/brief.ts';
import { readBrief } from '../../src/review/brief/brief.ts';
import { writesWithoutWhere } from '../../src/sql/locate/unconditional.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE items (id int PRIMARY KEY, price numeric, seen timestamptz, made date, part int REFERENCES items, nr serial);
INSERT INTO items SELECT g, g, '2026-01-01', '2026-01-01', NULL FROM generate_series(1, 9) g;
CREATE TABLE "Notes" (id int PRIMARY KEY, item int REFERENCES items ON DELETE CASCADE, note text);
INSERT INTO "Notes" SELECT g, g, 'x' FROM generate_series(1, 9) g;
CREATE VIEW shown AS SELECT * FROM items WHERE id < 3;
CREATE TABLE large (id int PRIMARY KEY, indexed int, bare int, part int);
INSERT INTO large SELECT g, g % 100, g % 100, g % 100 FROM generate_series(1, 100001) g;
CREATE INDEX ON large (indexed);
CREATE INDEX ON large (part) WHERE part < 50;
CREATE TABLE empty (id int PRIMARY KEY, v int)`;

suite('briefs of statements', (test) => {
  let proxied: Proxied;
  let service: Database;
  test.before(async () => {
    proxied = await startProxied(schema);
    await proxied.database.query('ANALYZE');
    service = createDatabase({ url: proxied.database.url });
  });
  test.after(async () => {
    await service.close();
    await proxied.stop();
  });

  const briefOf = async (...statements: string[]) => {
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(proxied.daemon.clientUrl(id));
    for (const statement of statements) await client.query(statement);
    const rules = { readableOnly: false, ownOnly: false, sensitiveColumns: [] };
    return readBrief(service, id, rules);
  };
  const flagsOf = async (code: FlagCode, ...statements: string[]) =>
    (await briefOf(...statements)).flags
      .filter((flag) => flag.code === code)
      .map(({ table, column, count }) => [table, column, count]);
  const wide = (...statements: string[]) => flagsOf('no_where', ...statements);

  test('no_where counts the rows that UPDATE and DELETE without WHERE wrote', async () => {
    assert.equal(await wide('UPDATE items SET price = 1'), [['items', null, 9]]);
    assert.equal(await wide('DELETE FROM "Notes"'), [['Notes', null, 9]]);
    assert.equal(
      await wide(
        'UPDATE items SET price = 1 WHERE id < 3',
        'UPDATE items AS i SET price = 2 FROM "Notes" n',
        'WITH d AS (DELETE FROM "Notes") SELECT 1',
      ),
      [
        ['Notes', null, 9],
        ['items', null, 9],
      ],
    );
  });

  test('no_where is not raised by a condition, a view, a cascade or other statements', async () => {
    assert.equal(await wide('UPDATE items SET price = 1 WHERE true'), []);
    assert.equal(await wide('UPDATE shown SET price = 1'), []);
    assert.equal(await wide('TRUNCATE "Notes"'), []);
    assert.equal(await wide(`INSERT INTO "Notes" SELECT 10, 1, 'update items'`), []);
    const upsert = `INSERT INTO items VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET price = 5`;
    assert.equal(await wide(upsert), []);
    // the deleted notes are the foreign key's
    assert.equal(await wide('DELETE FROM items'), [['items', null, 9]]);
  });

  test('finds writes without WHERE at any depth of a text', async () => {
    const found = await writesWithoutWhere(
      'WITH a AS (UPDATE t SET x = 1 RETURNING 1), b AS (DELETE FROM s.u WHERE true) DELETE FROM v USING (SELECT 1 WHERE true) w',
    );
    assert.equal(found, [
      { operation: 'UPDATE', table: 't' },
      { operation: 'DELETE', table: 'v' },
    ]);
    assert.equal(await writesWithoutWhere('UPDATE t SET'), []);
  });

  const beyond = (...statements: string[]) => flagsOf('beyond_production', ...statements);

  test('beyond_production counts values above and below those of every row', async () => {
    const brief = await briefOf(
      'UPDATE items SET price = 10 - 20 * (id % 2) WHERE id < 4',
      'INSERT INTO items (id, price, seen, made) VALUES (10, 9, now(), current_date)',
    );
    const lines = briefLines(brief);
    assert.ok(
      lines.includes(
        '  price: 1 row above every row of production, up to 10; 2 rows below every row of production, down to -10',
      ),
      lines.join('\n'),
    );
    const flags = brief.flags.filter(({ code }) => code === 'beyond_production');
    const flag = { code: 'beyond_production', table: 'items', column: 'price', count: 3 };
    assert.equal(flags, [flag], 'no times up to now, no key, no reference, no sequence');
  });

  test('beyond_production knows times that are still to come, and long past', async () => {
    const times = `UPDATE items SET seen = '2062-01-01', made = '1926-01-01' WHERE id = 1`;
    assert.equal(await beyond(times), [
      ['items', 'seen', 1],
      ['items', 'made', 1],
    ]);
    assert.equal(await beyond('INSERT INTO items (id, part) VALUES (99, 99)'), []);
    assert.equal(await beyond('INSERT INTO empty VALUES (1, 5)'), [], 'production has no row');
  });

  test('beyond_production reads a large table by an index only', async () => {
    const found = await beyond(
      'UPDATE large SET indexed = 100, bare = 100, part = 100 WHERE id = 1',
    );
    assert.equal(found, [['large', 'indexed', 1]]);
    assert.equal(await beyond('UPDATE large SET indexed = 99 WHERE id = 1'), []);
    assert.equal(await beyond('UPDATE large SET indexed = -1 WHERE id < 3'), [
      ['large', 'indexed', 2],
    ]);
  });
});
