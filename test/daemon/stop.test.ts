/** The effects of stopping on clients: idle ones are told, statements may end, the rest is rolled back. */
import { once } from 'node:events';
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { callHttp } from '../helpers/http.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('daemon: stop', (test) => {
  let database: TestDatabase;
  test.before(async () => {
    database = await createTestDatabase();
  });
  test.after(() => database.drop());

  const client = async (daemon: TestDaemon, id: string) => {
    const connection = new pg.Client({ connectionString: daemon.clientUrl(id) });
    // unrequested errors arrive as events; a test that needs them listens, too
    connection.on('error', () => undefined);
    await connection.connect();
    return connection;
  };
  const running = (text: string) =>
    until(async () => {
      const found = await database.query(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
         AND query LIKE '%' || $1 || '%' AND pid <> pg_backend_pid()`,
        [text],
      );
      return found.length > 0;
    });

  test('tells an idle client with 57P01', async () => {
    const daemon = await startTestDaemon({ database });
    const idle = await client(daemon, await daemon.newSession());
    const reported = once(idle, 'error');
    await daemon.stop();
    const [error] = (await reported) as [pg.DatabaseError];
    assert.is(error.code, '57P01');
  });

  test('lets a statement and a request end that are under way', async () => {
    const daemon = await startTestDaemon({ database });
    const reader = await client(daemon, await daemon.newSession());
    const query = reader.query('SELECT pg_sleep(0.5), 42 AS answer');
    await running('42 AS answer');
    const stopped = daemon.stop();
    assert.is((await query).rows[0].answer, 42);
    await stopped;
  });

  test('answers at once who waits for events', async () => {
    const daemon = await startTestDaemon({ database });
    const id = await daemon.newSession();
    const { last } = (await daemon.call('GET', `/sessions/${id}/events`)).body;
    const waiting = daemon.call('GET', `/sessions/${id}/events?after=${last}&wait=50`);
    const stream = daemon.call('GET', '/events', { headers: { accept: 'text/event-stream' } });
    // after this response the daemon has accepted the requests
    await daemon.call('GET', `/sessions/${id}`);
    const began = performance.now();
    await daemon.stop();
    assert.match((await stream).text, /^retry: 2000\n\n/);
    assert.equal([(await waiting).status, (await waiting).body.events], [200, []]);
    assert.ok(performance.now() - began < 5_000);
  });

  test('cuts off what goes on beyond the grace time', async () => {
    const daemon = await startTestDaemon({ database, flags: { shutdownGraceMs: 100 } });
    const reader = await client(daemon, await daemon.newSession());
    const query = rejects(reader.query('SELECT pg_sleep(600), 43 AS answer'));
    await running('43 AS answer');
    await daemon.stop();
    assert.instance(await query, Error);
  });

  /** Proposes a session whose row production takes long to apply. A trigger with its owner's rights does not fire while it is staged. */
  async function slowProposal(seconds: number): Promise<string> {
    await database.query(`
      CREATE OR REPLACE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
        'BEGIN PERFORM pg_sleep(${seconds}); RETURN NEW; END';
      CREATE OR REPLACE TRIGGER take_time AFTER UPDATE ON products FOR EACH ROW EXECUTE FUNCTION take_time()`);
    const daemon = await startTestDaemon({ database });
    const id = await daemon.newSession();
    const writer = await client(daemon, id);
    await writer.query('UPDATE products SET stock = stock + 1 WHERE id = 3');
    await writer.end();
    assert.is((await daemon.call('POST', `/sessions/${id}/propose`)).status, 200);
    await daemon.stop();
    return id;
  }
  const stock = async () =>
    (await database.query<{ stock: number }>('SELECT stock FROM products WHERE id = 3'))[0]?.stock;
  const applying = () =>
    until(async () => {
      const found = await database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      );
      return found.length > 0;
    });

  test('lets an approval end that is being applied', async () => {
    const before = (await stock()) ?? 0;
    const id = await slowProposal(1);
    const daemon = await startTestDaemon({ database });
    const approval = daemon.call('POST', `/sessions/${id}/approve`);
    await applying();
    await daemon.stop();
    assert.equal([(await approval).status, (await approval).body.status], [200, 'approved']);
    assert.is(await stock(), before + 1);
  });

  test('leaves nothing of an approval beyond the grace time, neither rows nor a statement that goes on', async () => {
    const before = (await stock()) ?? 0;
    const id = await slowProposal(600);
    const env = { STAGE_SHUTDOWN_GRACE_MS: '100' };
    const { child, ended, restUrl } = await spawnDaemon(database.url, { env });
    const approval = callHttp(restUrl, 'POST', `/sessions/${id}/approve`).then(
      ({ status }) => status,
      () => 'cut off',
    );
    await applying();
    child.kill('SIGTERM');
    await ended;
    assert.ok([503, 'cut off'].includes(await approval), String(await approval));
    // waits for the row, which a statement that still runs would have locked
    await database.query('DROP TRIGGER take_time ON products; DROP FUNCTION take_time');
    assert.is(await stock(), before);
    const next = await startTestDaemon({ database });
    assert.is((await next.call('GET', `/sessions/${id}`)).body.status, 'proposed');
    assert.is((await next.call('POST', `/sessions/${id}/approve`)).status, 200);
    assert.is(await stock(), before + 1);
    await next.stop();
  });

  test('rolls back a transaction that was left open, keeps what was committed', async () => {
    const daemon = await startTestDaemon({ database, flags: { shutdownGraceMs: 100 } });
    const id = await daemon.newSession();
    const writer = await client(daemon, id);
    await writer.query(`UPDATE products SET stock = 1 WHERE sku = 'MUG-01'`);
    await writer.query('BEGIN');
    await writer.query(`UPDATE products SET stock = 2 WHERE sku = 'TEE-M'`);
    await daemon.stop();
    const next = await startTestDaemon({ database });
    const { body } = await next.call('GET', `/sessions/${id}/mutations`);
    assert.is(body.total_count, 1);
    assert.match(body.mutations[0].query, /MUG-01/);
    await next.stop();
  });
});
