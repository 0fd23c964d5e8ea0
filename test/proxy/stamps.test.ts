/** A statement that counts on a function of an overlay, which is gone by then, is tried again with what is there. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `CREATE TABLE item (id int PRIMARY KEY, price int);
  INSERT INTO item SELECT g, g FROM generate_series(1, 9) g;`;
const update = 'UPDATE item SET price = price + $2 WHERE id = $1';

suite('overlays without the function of their stamp', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const dropStamp = () =>
    proxied.database.query(`DO $$BEGIN EXECUTE (SELECT 'DROP FUNCTION ' || p.oid::regprocedure
      FROM pg_proc p WHERE p.proname ~ '^stamp_[0-9]+$'); END$$`);
  const stamps = () =>
    proxied.database.query(`SELECT FROM pg_proc WHERE proname ~ '^stamp_[0-9]+$'`);

  test('are written to all the same', async () => {
    const url = await proxied.session('staged');
    const client = await proxied.connect(url);
    const write = async (id: number) =>
      (await client.query({ name: 'update', text: update, values: [id, 1] })).rowCount;
    assert.is(await write(1), 1);
    assert.is((await stamps()).length, 1);
    await dropStamp();
    assert.is(await write(2), 1);
    await client.query('UPDATE item SET price = 3 WHERE id = 3');
    await client.query('BEGIN');
    assert.is(await write(4), 1);
    await client.query('COMMIT');
    const { rows } = await client.query('SELECT count(*)::int AS n FROM item WHERE price = id + 1');
    assert.is(rows[0].n, 3);
  });

  test('have one again when they are made anew', async () => {
    const url = await proxied.session('staged');
    const client = await proxied.connect(url);
    await proxied.database.query('ALTER TABLE item ADD COLUMN name text');
    await client.query(`UPDATE item SET name = 'x' WHERE id = 5`);
    assert.is((await stamps()).length, 1);
    await client.query('BEGIN');
    await client.query(`UPDATE item SET name = 'y' WHERE id = 6`);
    await dropStamp();
    const failed = await client.query(`UPDATE item SET name = 'z' WHERE id = 7`).catch((e) => e);
    // the savepoint before the statement lets it be tried again
    assert.is(failed.rowCount ?? failed.code, 1);
    await client.query('COMMIT');
  });
});
