/**
 * A statement that depends on a dropped function of an overlay is tried again without it, and a stamp that is cached in a plan is never
 * older than the table.
 */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `CREATE TABLE item (id int PRIMARY KEY, price int);
  INSERT INTO item SELECT g, g FROM generate_series(1, 9) g;`;
const update = 'UPDATE item SET price = price + $2 WHERE id = $1';

type Client = Awaited<ReturnType<Proxied['connect']>>;

const settled = (answer: Promise<{ rows: Record<string, unknown>[] }>, column: string) =>
  answer.then(
    ({ rows }) => rows[0]?.[column],
    (error) => error.code,
  );

/** Reads of the third item that also check whether its name still holds. Each returns a value or a SQLSTATE. */
const reads = {
  prepared: (client: Client, column: string) => {
    const text = `SELECT ${column} FROM item WHERE id = $1`;
    return settled(client.query({ name: column, text, values: [3] }), column);
  },
  unnamed: (client: Client, column: string) =>
    settled(client.query(`SELECT ${column} FROM item WHERE id = $1`, [3]), column),
  simple: (client: Client, column: string) =>
    settled(client.query(`SELECT ${column} FROM item WHERE id = 3`), column),
} as const;

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
    // the savepoint before the statement allows to run it again
    assert.is(failed.rowCount ?? failed.code, 1);
    await client.query('COMMIT');
  });

  for (const [form, read] of Object.entries(reads))
    test(`are read all the same, ${form}`, async () => {
      const client = await proxied.connect(await proxied.session('staged'));
      for (const begin of ['SELECT', 'BEGIN']) {
        // recreates the overlay, with the function
        await proxied.database.query(
          'ALTER TABLE item ADD COLUMN again int; ALTER TABLE item DROP COLUMN again',
        );
        await client.query('UPDATE item SET price = 30 WHERE id = 3');
        for (let time = 0; time < 3; time += 1) assert.is(await read(client, 'price'), 30);
        await client.query(begin);
        await dropStamp();
        const found = await read(client, 'price');
        // when the transaction failed, the client is told to retry it
        assert.ok(found === 30 || (begin === 'BEGIN' && found === '40001'), String(found));
        await client.query('ROLLBACK');
        assert.is(await read(client, 'price'), 30);
      }
    });

  for (const [form, read] of Object.entries(reads))
    for (const begin of ['', 'BEGIN', 'BEGIN READ ONLY'])
      test(`are not taken for what they were before ALTER TABLE, ${form}, ${begin || 'alone'}`, async () => {
        const { database } = proxied;
        await database.query('ALTER TABLE item DROP COLUMN IF EXISTS added');
        const client = await proxied.connect(await proxied.session('staged'));
        await client.query('UPDATE item SET price = 30 WHERE id = 3');
        for (let time = 0; time < 7; time += 1) assert.is(await read(client, 'price'), 30);
        if (begin !== '') await client.query(`${begin}; SELECT 1`);
        await database.query('ALTER TABLE item ADD COLUMN added int DEFAULT 5');
        const found = await read(client, 'added');
        assert.ok([5, '40001'].includes(found), String(found));
        if (begin === '') assert.is(found, 5);
        await client.query('ROLLBACK');
        await database.query(
          'ALTER TABLE item RENAME TO former; CREATE TABLE item AS SELECT id, -price AS price FROM former',
        );
        await database.query('GRANT SELECT ON item TO PUBLIC');
        assert.is(await read(client, 'price'), -3);
        await database.query('DROP TABLE item; ALTER TABLE former RENAME TO item');
        assert.is(await read(client, 'price'), 30);
      });
});
