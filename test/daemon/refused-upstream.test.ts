/** Upstreams that respond, but cannot be served as they are: each states the reason by a stable code. */
import pg from 'pg';
import { startDaemon } from '../../src/daemon/start.ts';
import type { StageError } from '../../src/errors.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon, testConfig } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { startPooler } from '../helpers/pooler.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('daemon: an upstream that refuses or cannot be used', (test) => {
  let database: TestDatabase;
  let role: string;
  const daemons: TestDaemon[] = [];
  test.before(async () => {
    database = await createTestDatabase();
    role = `${database.name}_service`;
    await database.query(
      `CREATE ROLE ${role} LOGIN PASSWORD 'first'; GRANT CREATE ON DATABASE ${database.name} TO ${role};
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
    );
  });
  test.after(async () => {
    for (const daemon of daemons) await daemon.stop();
    await database.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
    await database.drop();
  });

  test('a pooler that drops settings: starting is refused', async () => {
    const pooler = await startPooler(database.url);
    try {
      const url = new URL(database.url);
      url.host = `127.0.0.1:${pooler.port}`;
      const io = { env: {}, stderr: { write: () => undefined }, version: '0' };
      const error = await rejects<StageError>(startDaemon(testConfig({ upstream: url.href }), io));
      assert.is(error.code, 'configuration_invalid');
      assert.is(error.facts['reason'], 'pooler');
    } finally {
      await pooler.stop();
    }
  });

  test('a right that was taken away: reviews answer forbidden, and go on once it is back', async () => {
    const daemon = await startTestDaemon({
      database: { ...database, url: database.urlFor(role, 'first') },
    });
    daemons.push(daemon);
    const id = await daemon.newSession();
    const client = new pg.Client({ connectionString: daemon.clientUrl(id) });
    await client.connect();
    await client.query('UPDATE products SET stock = stock + 1 WHERE id = 1');
    await client.end();
    await daemon.call('POST', `/sessions/${id}/propose`);
    await database.query(`REVOKE UPDATE ON products FROM ${role}`);
    const { status, body } = await daemon.call('POST', `/sessions/${id}/approve`);
    assert.equal([status, body.error, body.sqlstate], [403, 'forbidden', '42501']);
    assert.not.match(body.hint, /reject/i);
    await database.query(`GRANT UPDATE ON products TO ${role}`);
    assert.is((await daemon.call('POST', `/sessions/${id}/approve`)).status, 200);
  });

  test('a password that was changed: health tells it, and no request is answered as an error of ours', async () => {
    const mine = { ...database, url: database.urlFor(role, 'first') };
    const daemon = await startTestDaemon({ database: mine });
    daemons.push(daemon);
    const id = await daemon.newSession();
    await database.query(`ALTER ROLE ${role} PASSWORD 'second'`);
    const health = await until(async () => {
      const { status, body } = await daemon.call('GET', '/health');
      const { status: answered, body: said } = await daemon.call('POST', `/sessions/${id}/propose`);
      assert.not.equal(answered, 500, JSON.stringify(said));
      return status === 503 && body;
    });
    assert.is(health.reason, 'login_refused');
    assert.match(health.error, /refuses the service account/);
    const { status, headers, body } = await daemon.call('GET', `/sessions/${id}`);
    assert.equal([status, body.error], [503, 'upstream_unavailable']);
    assert.ok(headers['retry-after']);
    await database.query(`ALTER ROLE ${role} PASSWORD 'first'`);
    await until(async () => (await daemon.call('GET', '/health')).status === 200);
    assert.is((await daemon.call('GET', `/sessions/${id}`)).status, 200);
  });
});
