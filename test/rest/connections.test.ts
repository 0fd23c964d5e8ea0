/** The database connections of a session, listed and ended over REST. */
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { createRole } from '../helpers/roles.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('rest: connections of a session', (test) => {
  let database: TestDatabase;
  let daemon: TestDaemon;
  let other: TestDaemon;
  const clients: pg.Client[] = [];
  test.before(async () => {
    database = await createTestDatabase();
    daemon = await startTestDaemon({ database });
    other = await startTestDaemon({ database });
  });
  test.afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end().catch(() => undefined)));
  });
  test.after(async () => {
    await other.stop();
    await daemon.stop();
    await database.drop();
  });

  const connect = async (through: TestDaemon, id: string) => {
    const client = new pg.Client({ connectionString: through.clientUrl(id) });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    const hold = async () => {
      await client.query('BEGIN');
      await client.query(`UPDATE products SET stock = stock + 1 WHERE id = 1`);
    };
    const [row] = (await client.query('SELECT pg_backend_pid() AS pid')).rows;
    return { client, hold, pid: row.pid as number };
  };

  const listed = async (id: string) => {
    const { status, body } = await daemon.call('GET', `/sessions/${id}/connections`);
    assert.is(status, 200);
    assert.is(body.total_count, body.connections.length);
    return body.connections;
  };

  test('are listed with who they are and what they do', async () => {
    const id = await daemon.newSession();
    assert.equal(await listed(id), []);
    const [idle, holding, active] = [
      await connect(daemon, id),
      await connect(daemon, id),
      await connect(daemon, id),
    ];
    await connect(daemon, await daemon.newSession());
    await holding.hold();
    const sleep = active.client.query('SELECT pg_sleep(30)').catch((error: Error) => error);
    const found = await until(async () => {
      const connections = await listed(id);
      const states = connections.map(({ state }: { state: string }) => state);
      return states.includes('active') && connections;
    });
    const about = (pid: number) =>
      found.find(({ backend }: { backend: number }) => backend === pid);
    for (const { pid } of [idle, holding, active]) {
      const { role, address, through, connected_at: since } = about(pid);
      assert.equal([role, address, through], [database.user, '127.0.0.1', 'here']);
      assert.ok(Math.abs(Date.parse(since) - Date.now()) < 60_000);
    }
    assert.is(found.length, 3);
    const states = [idle, holding, active].map(({ pid }) => about(pid).state);
    assert.equal(states, ['idle', 'idle in transaction', 'active']);
    assert.is((await daemon.call('DELETE', `/sessions/${id}/connections`)).body.ended, 3);
    assert.ok((await sleep) instanceof Error);
  });

  test('that hold the session are ended, and it can be proposed', async () => {
    const id = await daemon.newSession();
    const { client, hold } = await connect(daemon, id);
    await hold();
    assert.is((await daemon.call('POST', `/sessions/${id}/propose`)).body.error, 'session_busy');
    const reported = new Promise<pg.DatabaseError>((resolve) =>
      client.once('error', resolve as never),
    );
    const { status, body } = await daemon.call('DELETE', `/sessions/${id}/connections`);
    assert.equal([status, body.ended, body.left], [200, 1, []]);
    assert.is((await reported).code, '57P01');
    assert.is((await rejects(client.query('SELECT 1'))).message.length > 0, true);
    assert.equal(await listed(id), []);
    assert.is((await daemon.call('POST', `/sessions/${id}/propose`)).status, 200);
  });

  test('that hold it through another daemon are listed, and ended', async () => {
    const id = await daemon.newSession();
    const [one, two] = [await connect(other, id), await connect(other, id)];
    await one.hold();
    await two.client.query('BEGIN');
    await two.client.query(`UPDATE products SET stock = 0 WHERE id = 2`);
    const [found] = await listed(id);
    assert.equal([found.through, found.role], ['elsewhere', database.user]);
    assert.ok([one.pid, two.pid].includes(found.backend));
    const { body } = await daemon.call('DELETE', `/sessions/${id}/connections`);
    assert.equal([body.ended, body.left], [2, []]);
    assert.is((await daemon.call('DELETE', `/sessions/${id}`)).status, 200);
  });

  test('that the service account may not end are named', async () => {
    const service = await createRole(
      database,
      `GRANT CREATE ON DATABASE ${database.name} TO $role; GRANT USAGE ON SCHEMA public TO $role;
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO $role`,
    );
    const fresh = await createTestDatabase({ template: 'empty' });
    await fresh.query(
      'CREATE TABLE products (id int PRIMARY KEY, stock int); INSERT INTO products VALUES (1, 1)',
    );
    await fresh.query(`GRANT CREATE ON DATABASE ${fresh.name} TO ${service.name}`);
    await fresh.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON products TO ${service.name}`);
    const flags = { upstream: fresh.urlFor(service.name, service.name) };
    const [weak, second] = [
      await startTestDaemon({ database: fresh, flags }),
      await startTestDaemon({ database: fresh, flags }),
    ];
    try {
      const id = await weak.newSession();
      const { hold, pid } = await connect(second, id);
      await hold();
      const { status, body } = await weak.call('DELETE', `/sessions/${id}/connections`);
      assert.equal([status, body.ended], [200, 0]);
      assert.equal(body.left[0].backend, pid);
      assert.is((await weak.call('DELETE', `/sessions/${id}`)).body.error, 'session_busy');
    } finally {
      await Promise.all(clients.splice(0).map((client) => client.end()));
      await second.stop();
      await weak.stop();
      await fresh.drop();
      await service.drop();
    }
  });

  test('of a session that does not exist: 404', async () => {
    const path = `/sessions/sess_${'0'.repeat(32)}/connections`;
    assert.is((await daemon.call('GET', path)).body.error, 'session_not_found');
    assert.is((await daemon.call('DELETE', path)).body.error, 'session_not_found');
  });
});
