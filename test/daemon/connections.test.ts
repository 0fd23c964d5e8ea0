/** Production's connections: the daemon takes a part, reserves some for decisions, and reports when there are none. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Embedded } from '../../src/daemon/embedded/embedded.ts';
import { startEmbedded } from '../../src/daemon/embedded/embedded.ts';
import type { Daemon } from '../../src/daemon/start.ts';
import { startDaemon } from '../../src/daemon/start.ts';
import { areTaken, divideConnections } from '../../src/daemon/upstream/connection-budget.ts';
import { createLog } from '../../src/log.ts';
import { anyCluster } from '../helpers/any-cluster.ts';
import { testConfig } from '../helpers/daemon.ts';
import { callHttp } from '../helpers/http.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('daemon: the division of connections', (test) => {
  for (const most of [3, 10, 17, 30, 47, 97, 197, 997]) {
    test(`of ${most} takes half at most, and leaves some for everything`, () => {
      for (const [taken, own] of [
        [0, 0],
        [most, 0],
        [most, Math.floor(most / 2)],
        [Math.floor(most / 3), 2],
      ] as const) {
        const { clients, pools } = divideConnections({ most, taken, own });
        const { reading, deciding, proxy } = pools;
        assert.ok(Math.min(clients, reading, proxy) >= 1 && deciding >= 2);
        const free = most - taken + own;
        // the minimum is one of each
        const all = clients + reading + deciding + proxy + 1;
        assert.ok(all <= Math.max(6, free / 2), `${all} of ${free}`);
      }
    });
  }

  test('is over when all are taken', () => {
    assert.is(areTaken({ most: 10, taken: 9, own: 1 }), false);
    assert.is(areTaken({ most: 10, taken: 10, own: 1 }), true);
  });
});

suite('daemon: a server of few connections', (test) => {
  let directory: string;
  let server: Embedded;
  const clients: pg.Client[] = [];
  const daemons: Daemon[] = [];
  test.before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stage-connections-'));
    const log = createLog('silent', { write: () => undefined });
    const settings = { fsync: 'off', max_connections: '40', superuser_reserved_connections: '3' };
    server = await startEmbedded({ clusters: anyCluster, directory, log, settings });
    await run(server.url, 'CREATE TABLE thing (id int PRIMARY KEY)');
    await run(server.url, `CREATE ROLE app LOGIN PASSWORD 'app'`);
    await run(server.url, 'GRANT INSERT, SELECT ON thing TO app');
    await run(server.url, `CREATE ROLE service LOGIN PASSWORD 'service'`);
    await run(server.url, 'GRANT CREATE ON DATABASE postgres TO service');
    await run(server.url, 'GRANT SELECT, INSERT, UPDATE, DELETE ON thing TO service');
  });
  test.afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end().catch(() => undefined)));
    for (const daemon of daemons.splice(0)) await daemon.stop();
  });
  test.after(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const run = async (url: string, text: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };

  const start = async (flags = {}) => {
    const logged: string[] = [];
    const stderr = { write: (line: string) => logged.push(line) };
    const upstream = urlOf('service');
    const config = testConfig({ upstream, ...flags });
    const daemon = await startDaemon(config, { env: {}, stderr, version: '0' });
    daemons.push(daemon);
    const call = (method: string, path: string) => callHttp(daemon.restUrl, method, path);
    const session = async () => (await call('POST', '/sessions')).body.session_id as string;
    return { daemon, call, session, logged };
  };

  const urlOf = (user: string) => {
    const url = new URL(server.url);
    url.username = user;
    url.password = user;
    return url.href;
  };

  const connect = async (connectionString: string) => {
    const client = new pg.Client({ connectionString });
    client.on('error', () => undefined);
    await client.connect();
    clients.push(client);
    return client;
  };

  const throughProxy = ({ proxyAddress }: Daemon, id: string) => {
    const url = new URL(urlOf('app'));
    url.port = String(proxyAddress.port);
    return `${url.href}?options=${encodeURIComponent(`-c service_session=${id}`)}`;
  };

  test('gives clients no more than their part, and says in the log how many', async () => {
    const { daemon, session, logged } = await start();
    const line = logged.find((each) => each.includes('connections for clients')) ?? '{}';
    const reported = JSON.parse(line) as { clients: number };
    assert.ok(reported.clients >= 1 && reported.clients <= 18);
    const id = await session();
    for (let count = 0; count < reported.clients; count += 1)
      await connect(throughProxy(daemon, id));
    const error = await rejects(connect(throughProxy(daemon, id)));
    assert.is(error.code, '53300');
    // production's own application can still connect
    await connect(urlOf('app'));
  });

  test('gives clients what the configuration says, and warns', async () => {
    const { logged } = await start({ maxConnections: 30 });
    assert.match(logged.join(''), '"clients":30');
    assert.match(logged.join(''), '"check":"connections_configured"');
  });

  test('keeps connections for decisions open before any is made', async () => {
    await start();
    const look = await connect(server.url);
    const open = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE usename = 'service'`;
    // two more are the upstream monitor's, and that which reads the proposals without a card
    assert.ok(await until(async () => (await look.query(open)).rows[0].count === 4));
  });

  test('approves while all are taken, and says that they are', async () => {
    const { daemon, call, session } = await start();
    const id = await session();
    const writer = await connect(throughProxy(daemon, id));
    await writer.query('INSERT INTO thing VALUES (1)');
    assert.is((await call('GET', '/readyz')).status, 200);
    for (;;) if ((await connect(urlOf('app')).catch(() => null)) === null) break;
    const health = await until(async () => {
      const answer = await call('GET', '/health');
      return answer.status === 503 ? answer : null;
    });
    assert.equal([health.body.status, health.body.upstream], ['degraded', 'connected']);
    assert.match(health.body.error, /all connections of the upstream are taken: \d+ of 37/);
    const ready = await call('GET', '/readyz');
    assert.equal([ready.status, ready.body.error], [503, 'too_many_connections']);
    assert.is((await call('POST', `/sessions/${id}/propose`)).status, 200);
    assert.is((await call('POST', `/sessions/${id}/approve`)).status, 200);
    await Promise.all(clients.splice(0).map((client) => client.end()));
    await until(async () => (await call('GET', '/health')).status === 200);
  });
});
