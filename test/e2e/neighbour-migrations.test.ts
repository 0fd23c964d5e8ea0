/** Migrations of tables that are linked with a staged table, whose overlay refers to them, too. */
import type pg from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

suite('migrations of other tables', (test) => {
  let proxied: Proxied;
  let client: pg.Client;
  test.before(async () => {
    proxied = await startProxied(`
CREATE TABLE parent (id int PRIMARY KEY, code int UNIQUE);
CREATE TABLE child (id int PRIMARY KEY, parent int REFERENCES parent ON DELETE CASCADE, code int REFERENCES parent (code));
INSERT INTO parent SELECT g, g FROM generate_series(1, 9) g;
INSERT INTO child SELECT g, g, NULL FROM generate_series(1, 9) g;
CREATE SCHEMA place;
CREATE TABLE place.thing (id int PRIMARY KEY);
CREATE TABLE part (id int PRIMARY KEY, v int) PARTITION BY RANGE (id);
CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (10);
CREATE TABLE part_2 (LIKE part);`);
    client = await proxied.connect(await proxied.session('staged'));
    await client.query('INSERT INTO child VALUES (10, 1, 1); INSERT INTO part VALUES (1, 1)');
    await client.query('INSERT INTO place.thing VALUES (1); DELETE FROM parent WHERE id = 9');
  });
  test.after(() => proxied.stop());

  const counts = async (text: string) => (await client.query(text)).rowCount;
  const code = async (text: string) => (await rejects(client.query(text))).code;

  test('a column that foreign keys refer to is renamed', async () => {
    await proxied.database.query('ALTER TABLE parent RENAME id TO key');
    assert.is(await counts('INSERT INTO child VALUES (11, 1, 1)'), 1);
    assert.is(await code('INSERT INTO child VALUES (12, 77, 1)'), '23503');
  });

  test('in a transaction that has run something the client is told to retry', async () => {
    await proxied.database.query('ALTER TABLE parent RENAME code TO number');
    await client.query('BEGIN');
    await client.query('SELECT FROM part');
    const reported = await code('INSERT INTO child VALUES (13, 1, 1)');
    await client.query('ROLLBACK');
    assert.is(reported, '40001');
    await client.query('BEGIN');
    const written = await counts('INSERT INTO child VALUES (13, 1, 1)');
    await client.query('COMMIT');
    assert.is(written, 1);
  });

  test('the table that foreign keys refer to is renamed', async () => {
    await proxied.database.query('ALTER TABLE parent RENAME TO elder');
    assert.is(await counts('INSERT INTO child VALUES (14, 2, 2)'), 1);
    assert.is(await code('INSERT INTO child VALUES (15, 77, 1)'), '23503');
  });

  test('the table that deletions cascade to is renamed', async () => {
    await proxied.database.query('ALTER TABLE child RENAME TO kid');
    assert.is(await counts('DELETE FROM elder WHERE key = 8'), 1);
    assert.is(await counts('SELECT FROM kid WHERE id = 8'), 0);
  });

  test('a schema is renamed', async () => {
    await proxied.database.query('ALTER SCHEMA place RENAME TO position');
    assert.is(await counts('INSERT INTO position.thing VALUES (2)'), 1);
    assert.is(await counts('SELECT FROM position.thing'), 2);
    assert.is(await code('INSERT INTO place.thing VALUES (3)'), '42P01');
  });

  test('partitions are attached and detached', async () => {
    assert.is(await code('INSERT INTO part VALUES (11, 1)'), '23514');
    await proxied.database.query(
      'ALTER TABLE part ATTACH PARTITION part_2 FOR VALUES FROM (10) TO (20)',
    );
    assert.is(await counts('INSERT INTO part VALUES (11, 1)'), 1);
    await proxied.database.query('ALTER TABLE part DETACH PARTITION part_1');
    assert.is(await code('INSERT INTO part VALUES (2, 1)'), '23514');
    assert.is(await counts('INSERT INTO part VALUES (12, 1)'), 1);
  });
});
