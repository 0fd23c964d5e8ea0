/** Texts that are parsed in a worker thread have the same meaning, and nobody else waits for them. */
import { parseQuery } from '../../src/sql/classify/parse-query.ts';
import { allowHeavyTexts, loadParser } from '../../src/sql/parser/parser.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const spaces = ' '.repeat(40_000);
/** Takes the parser most of a second. */
const heavy = `SELECT 1 IN (${Array(240_000).fill('1').join()}) AS found`;

suite('proxy: long texts', (test) => {
  let proxied: Proxied;
  let session: string;
  test.before(async () => {
    proxied = await startProxied(
      "CREATE TABLE item (id int PRIMARY KEY, note text); INSERT INTO item VALUES (1, 'a')",
    );
    session = await proxied.session('staged');
  });
  test.after(() => proxied.stop());

  const connect = () => proxied.connect(session);

  test('read and write in both protocols', async () => {
    const client = await connect();
    const values = (from: number) =>
      Array.from({ length: 3000 }, (_, index) => `(${from + index}, 'note ${index}')`).join();
    await client.query(`INSERT INTO item VALUES ${values(1000)}`);
    await client.query({ text: `INSERT INTO item VALUES ${values(5000)}, ($1, 'b')`, values: [2] });
    const count = `SELECT count(*)::int FROM item${spaces}`;
    assert.equal((await client.query(count)).rows, [{ count: 6002 }]);
    const { rows } = await client.query({ text: `${count} WHERE id > $1`, values: [4999] });
    assert.equal(rows, [{ count: 3000 }]);
    await client.query(`BEGIN; DELETE FROM item; ${spaces} ROLLBACK`);
    assert.equal((await client.query(count)).rows, [{ count: 6002 }]);
    assert.is((await proxied.contents()).length, 1);
    await client.end();
  });

  test('are refused as others are, and the connection goes on', async () => {
    const client = await connect();
    for (const values of [undefined, [1]]) {
      const parameters = values === undefined ? {} : { values };
      const wrong = { text: `${spaces}SELEC $1`, ...parameters };
      const fault = await client.query(wrong).catch((error) => error);
      assert.is(fault.code, '42601');
      assert.is(fault.position, '40001');
      const refused = { text: `${spaces}VACUUM item`, ...parameters };
      assert.is(await client.query(refused).catch(({ code }) => code), '0A000');
    }
    assert.equal((await client.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
    await client.end();
  });

  test('fail with what came before them in a batch', async () => {
    const client = await connect();
    await client.query('BEGIN');
    const failing = client.query({ text: 'SELECT 1 / $1', values: [0] }).catch(({ code }) => code);
    const behind = client.query(`SELECT 1${spaces}`).catch(({ code }) => code);
    assert.equal([await failing, await behind], ['22012', '25P02']);
    await client.query('ROLLBACK');
    await client.end();
  });

  test('do not keep others waiting', async () => {
    const [slow, quick] = [await connect(), await connect()];
    await slow.query(`SELECT 1${spaces}`);
    let isOver = false;
    const over = slow.query(heavy).then(({ rows }) => {
      isOver = true;
      return rows;
    });
    let longest = 0;
    while (!isOver) {
      const start = performance.now();
      await quick.query('SELECT 1');
      longest = Math.max(longest, performance.now() - start);
    }
    assert.equal(await over, [{ found: true }]);
    allowHeavyTexts();
    await loadParser();
    const start = performance.now();
    parseQuery(Buffer.from(heavy));
    const inPlace = performance.now() - start;
    assert.ok(longest < inPlace / 2, `${longest} ms of ${inPlace} ms`);
    await Promise.all([slow.end(), quick.end()]);
  });

  test('are let go with a client that does not wait', async () => {
    const client = await connect();
    const lost = client.query(heavy).catch(() => 'lost');
    client.connection.stream.destroy();
    assert.is(await lost, 'lost');
    const next = await connect();
    assert.equal((await next.query(`SELECT 1 AS one${spaces}`)).rows, [{ one: 1 }]);
    await next.end();
  });
});
