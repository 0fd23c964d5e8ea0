/** Review while a client's transaction still holds staged writes. */
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

suite('rest: a session with a transaction under way', (test) => {
  let daemon: TestDaemon;
  test.before(async () => {
    daemon = await startTestDaemon();
  });
  test.after(() => daemon.stop());

  const begin = async (id: string) => {
    const client = new pg.Client({ connectionString: daemon.clientUrl(id) });
    await client.connect();
    await client.query('BEGIN');
    await client.query(`UPDATE products SET stock = 3 WHERE sku = 'MUG-01'`);
    return client;
  };

  for (const [method, path] of [
    ['POST', '/propose'],
    ['DELETE', ''],
  ] as const) {
    test(`${method} ${path || 'the session'} answers 409 session_busy, and works afterwards`, async () => {
      const id = await daemon.newSession();
      const client = await begin(id);
      const { status, body } = await daemon.call(method, `/sessions/${id}${path}`);
      assert.is(status, 409);
      assert.is(body.error, 'session_busy');
      assert.ok(body.hint);
      await client.query('COMMIT');
      assert.is((await daemon.call('GET', `/sessions/${id}`)).body.mutation_count, 1);
      assert.is((await daemon.call(method, `/sessions/${id}${path}`)).status, 200);
      await client.end();
    });
  }

  test('a write after propose is refused with 25006, and not counted', async () => {
    const id = await daemon.newSession();
    const client = new pg.Client({ connectionString: daemon.clientUrl(id) });
    await client.connect();
    await client.query(`UPDATE products SET stock = 4 WHERE sku = 'MUG-01'`);
    assert.is((await daemon.call('POST', `/sessions/${id}/propose`)).body.mutation_count, 1);
    const write = client.query(`UPDATE products SET stock = 5 WHERE sku = 'MUG-01'`);
    assert.is((await rejects<pg.DatabaseError>(write)).code, '25006');
    assert.is((await daemon.call('GET', `/sessions/${id}`)).body.mutation_count, 1);
    await client.end();
  });
});
