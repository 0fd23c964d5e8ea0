/** Two daemons behind a balancer share sessions, which outlive either of them. */
import pg from 'pg';
import type { Balancer } from '../helpers/balancer.ts';
import { startBalancer } from '../helpers/balancer.ts';
import { sendCancel } from '../helpers/cancel-request.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { callHttp } from '../helpers/http.ts';
import type { SpawnedDaemon } from '../helpers/spawned-daemon.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('two daemons behind a balancer', (test) => {
  let database: TestDatabase;
  let daemons: SpawnedDaemon[] = [];
  let rest: Balancer;
  let proxy: Balancer;
  const clients: pg.Client[] = [];
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
    await database.query(
      `CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t SELECT g, 'old' FROM generate_series(1, 9) g`,
    );
    const env = { STAGE_MAX_CONNECTIONS: '20' };
    daemons = [await spawnDaemon(database.url, { env }), await spawnDaemon(database.url, { env })];
    rest = await startBalancer(daemons.map(({ restUrl }) => Number(new URL(restUrl).port)));
    proxy = await startBalancer(daemons.map(({ proxyPort }) => proxyPort));
  });
  test.after(async () => {
    for (const client of clients) await client.end().catch(() => undefined);
    for (const { child } of daemons) child.kill('SIGKILL');
    await rest.stop();
    await proxy.stop();
    await database.drop();
  });

  const call = (method: string, path: string) =>
    callHttp(`http://127.0.0.1:${rest.port}`, method, path, { headers: { connection: 'close' } });
  async function open(session: string): Promise<pg.Client> {
    const url = new URL(database.url);
    url.host = `127.0.0.1:${proxy.port}`;
    const options = `-c service_session=${session} -c service_reads=staged`;
    url.search = `?options=${encodeURIComponent(options)}`;
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => undefined);
    clients.push(client);
    await client.connect();
    return client;
  }
  const newSession = async () => (await call('POST', '/sessions')).body.session_id as string;
  const served = async (session: string) => {
    const counts: number[] = [];
    for (const { restUrl } of daemons) {
      const { body } = await callHttp(restUrl, 'GET', `/sessions/${session}/connections`);
      counts.push(
        body.connections.filter((each: { through: string }) => each.through === 'here').length,
      );
    }
    return counts;
  };

  const cancel = (client: pg.Client) => sendCancel(client, proxy.port);

  test('a session is the same through both', async () => {
    const session = await newSession();
    const [one, two] = [await open(session), await open(session)];
    assert.equal(await served(session), [1, 1]);
    await one.query(`UPDATE t SET v = 'one' WHERE id = 1`);
    await two.query(`UPDATE t SET v = v || ' two' WHERE id = 1`);
    assert.equal((await one.query('SELECT v FROM t WHERE id = 1')).rows, [{ v: 'one two' }]);
    assert.is((await call('POST', `/sessions/${session}/propose`)).status, 200);
    assert.is((await rejects(one.query('DELETE FROM t'))).code, '25006');
    assert.is((await rejects(two.query('DELETE FROM t'))).code, '25006');
    const answers = await Promise.all(
      [1, 2].map(() => call('POST', `/sessions/${session}/approve`)),
    );
    assert.equal(answers.map(({ status }) => status).sort(), [200, 409]);
    assert.equal(await database.query('SELECT v FROM t WHERE id = 1'), [{ v: 'one two' }]);
  });

  test('a cancel request ends the statement that it is for, and no other, where it reaches its daemon', async () => {
    const session = await newSession();
    proxy.prefer(0);
    const one = await open(session);
    proxy.prefer(1);
    const two = await open(session);
    const outcome = (client: pg.Client) =>
      client.query('SELECT pg_sleep(3)').then(
        () => 'done',
        ({ code }) => code,
      );
    const running = [outcome(one), outcome(two)];
    await until(async () => {
      const running = await database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      );
      return running.length === 2;
    });
    await cancel(one);
    proxy.prefer(0);
    await cancel(one);
    assert.equal(await Promise.all(running), ['57014', 'done']);
    proxy.prefer(null);
  });

  test('when one is killed, its transactions are rolled back, and everything goes on through the other', async () => {
    const session = await newSession();
    proxy.prefer(0);
    const lost = await open(session);
    proxy.prefer(1);
    const kept = await open(session);
    proxy.prefer(null);
    await lost.query(`UPDATE t SET v = 'committed' WHERE id = 2`);
    await lost.query('BEGIN');
    await lost.query(`UPDATE t SET v = 'not committed' WHERE id = 3`);
    const ended = new Promise((resolve) => lost.once('end', resolve));
    daemons[0]?.child.kill('SIGKILL');
    await ended;
    const rows = async (client: pg.Client) =>
      (await client.query('SELECT v FROM t WHERE id IN (2, 3) ORDER BY id')).rows.map(({ v }) => v);
    assert.equal(await rows(kept), ['committed', 'old']);
    for (let n = 0; n < 4; n += 1) {
      const again = await open(session);
      assert.equal(await rows(again), ['committed', 'old']);
      assert.is((await call('GET', `/sessions/${session}`)).body.mutation_count, 1);
    }
    assert.is((await call('POST', `/sessions/${session}/propose`)).status, 200);
    assert.is((await call('POST', `/sessions/${session}/approve`)).status, 200);
    assert.is((await call('GET', '/audit/verify')).body.ok, true);
    assert.equal(await database.query('SELECT v FROM t WHERE id = 2'), [{ v: 'committed' }]);
  });
});
