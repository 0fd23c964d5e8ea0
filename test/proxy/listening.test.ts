/** LISTEN through the proxy receives notifications of production as a direct connection does. Staged writes notify nobody. */
import type pg from 'pg';
import type { TestDatabase } from '../helpers/database.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, n int); INSERT INTO item VALUES (1, 1);
CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_notify('changed', NEW.n::text); RETURN NEW; END$$;
CREATE TRIGGER told AFTER UPDATE ON item FOR EACH ROW EXECUTE FUNCTION told();`;

/** Statements of the client. `! channel` is notified by another connection, directly to production. */
const steps = [
  ['LISTEN a', '! a', '! b'],
  ['BEGIN', 'LISTEN b', '! a', '! b', 'COMMIT', '! b'],
  ['BEGIN', 'LISTEN c', 'ROLLBACK', '! c'],
  ['BEGIN', 'INSERT INTO item VALUES (2, 2)', 'LISTEN c', '! c', 'COMMIT', '! c'],
  ['BEGIN', 'SAVEPOINT s', 'LISTEN d', 'ROLLBACK TO s', 'COMMIT', '! d'],
  ['BEGIN', 'UNLISTEN a', 'SELECT * FROM nothing', 'COMMIT', '! a'],
  ['UNLISTEN a', '! a', '! b'],
  ['LISTEN "a B"', '! "a B"', 'LISTEN a.b', 'LISTEN', 'UPDATE item SET id = 3 WHERE id = 2', '! c'],
  ['DISCARD ALL', '! b', '! c'],
];

suite('LISTEN', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  async function heardBy(url: string, database: TestDatabase, queryMode?: 'extended') {
    const client = await proxied.connect(url);
    const heard: string[] = [];
    client.on('notification', ({ channel, payload }) => heard.push(`${channel}: ${payload}`));
    let count = 0;
    for (const text of steps.flat()) {
      if (text.startsWith('! ')) await database.query(`NOTIFY ${text.slice(2)}, '${++count}'`);
      else
        await client.query({ text, ...(queryMode && { queryMode }) }).catch((error) => {
          heard.push(`${text}: ${error.code}`);
        });
      // another connection's notifications precede the response to the next statement
      await client.query('SELECT 1').catch(() => undefined);
    }
    return heard;
  }

  for (const queryMode of [undefined, 'extended'] as const) {
    test(`production is heard as on a direct connection, ${queryMode ?? 'simple'}`, async () => {
      const { database, twin } = proxied;
      const heard = await heardBy(await proxied.session('staged'), database, queryMode);
      assert.equal(heard, await heardBy(twin.url, twin, queryMode));
      assert.ok(heard.length > 10);
      await twin.query('DELETE FROM item WHERE id > 1');
    });
  }

  test('what is staged is heard once it is approved', async () => {
    const { daemon } = proxied;
    const id = await daemon.newSession();
    const client: pg.Client = await proxied.connect(daemon.clientUrl(id));
    const heard: unknown[] = [];
    client.on('notification', ({ channel, payload }) => heard.push([channel, payload]));
    await client.query('LISTEN changed');
    await client.query('UPDATE item SET n = 7 WHERE id = 1');
    await client.query('SELECT 1');
    assert.equal(heard, []);
    await daemon.call('POST', `/sessions/${id}/propose`);
    assert.is((await daemon.call('POST', `/sessions/${id}/approve`)).status, 200);
    await until(() => heard.length > 0);
    assert.equal(heard, [['changed', '7']]);
  });
});
