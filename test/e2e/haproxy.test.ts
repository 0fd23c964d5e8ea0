/** Two daemons behind HAProxy, configured by templates/service/haproxy.cfg. */
import pg from 'pg';
import { sendCancel } from '../helpers/cancel-request.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import type { Haproxy } from '../helpers/haproxy.ts';
import { startHaproxy } from '../helpers/haproxy.ts';
import { callHttp } from '../helpers/http.ts';
import type { SpawnedDaemon } from '../helpers/spawned-daemon.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import { assert, MissingProgram, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('two daemons behind HAProxy', (test) => {
  let database: TestDatabase;
  let daemons: SpawnedDaemon[] = [];
  let haproxy: Haproxy | null = null;
  const clients: pg.Client[] = [];
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
    await database.query(
      `CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t SELECT g, 'old' FROM generate_series(1, 9) g`,
    );
    const start = () => spawnDaemon(database.url, { settings: { maxConnections: 20 } });
    daemons = [await start(), await start()];
    haproxy = await startHaproxy(daemons).catch((error: unknown) => {
      if (error instanceof MissingProgram) return null;
      throw error;
    });
  });
  test.after(async () => {
    for (const client of clients) await client.end().catch(() => undefined);
    await haproxy?.stop();
    for (const daemon of daemons) await daemon.kill();
    await database.drop();
  });

  const ports = (): Haproxy => {
    if (haproxy === null) throw new MissingProgram('haproxy');
    return haproxy;
  };
  const call = (method: string, path: string) =>
    callHttp(`http://127.0.0.1:${ports().restPort}`, method, path);
  const newSession = async () => (await call('POST', '/sessions')).body.session_id as string;
  async function open(session: string): Promise<pg.Client> {
    const url = new URL(database.url);
    url.host = `127.0.0.1:${ports().proxyPort}`;
    url.searchParams.set('options', `-c service_session=${session} -c service_reads=staged`);
    const client = new pg.Client({ connectionString: url.href });
    client.on('error', () => undefined);
    clients.push(client);
    await client.connect();
    return client;
  }
  /** Returns the daemon that serves a session's only client. */
  async function servedBy(session: string): Promise<SpawnedDaemon | undefined> {
    for (const daemon of daemons) {
      const { body } = await callHttp(daemon.restUrl, 'GET', `/sessions/${session}/connections`);
      if (body.connections.some((each: { through: string }) => each.through === 'here'))
        return daemon;
    }
    return undefined;
  }

  test('a cancel request reaches the daemon that its connection goes through', async () => {
    const session = await newSession();
    const clientsOf = [await open(session), await open(session)];
    const outcomes = clientsOf.map((client) =>
      client.query('SELECT pg_sleep(3)').then(
        () => 'done',
        ({ code }) => code,
      ),
    );
    await until(async () => {
      const running = await database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      );
      return running.length === 2;
    });
    await sendCancel(clientsOf[0] as pg.Client, ports().proxyPort);
    assert.equal(await Promise.all(outcomes), ['57014', 'done']);
  });

  test('when the daemon of a client is killed, the client goes on through the other one', async () => {
    const session = await newSession();
    const lost = await open(session);
    await lost.query(`UPDATE t SET v = 'committed' WHERE id = 2`);
    await lost.query(`BEGIN; UPDATE t SET v = 'not committed' WHERE id = 3`);
    const ended = new Promise((resolve) => lost.once('end', resolve));
    const killed = await servedBy(session);
    await killed?.kill();
    await ended;
    const again = await until(() => open(session).catch(() => null));
    const { rows } = await again.query('SELECT v FROM t WHERE id IN (2, 3) ORDER BY id');
    assert.equal(rows, [{ v: 'committed' }, { v: 'old' }]);
    const done = async (path: string) => {
      const ask = () => call('POST', `/sessions/${session}${path}`).catch(() => null);
      // a balancer that has not noticed yet may cut a request
      return (await until(ask)).status;
    };
    assert.is(await done('/propose'), 200);
    assert.is(await done('/approve'), 200);
    assert.equal(await database.query('SELECT v FROM t WHERE id = 2'), [{ v: 'committed' }]);
  });
});
