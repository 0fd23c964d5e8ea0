/** The daemon notices that its upstream goes down and returns, without help. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Embedded } from '../../src/daemon/embedded/embedded.ts';
import { startEmbedded } from '../../src/daemon/embedded/embedded.ts';
import { startDaemon } from '../../src/daemon/start.ts';
import { createLog } from '../../src/log.ts';
import { anyCluster } from '../helpers/any-cluster.ts';
import { startTestDaemon, testConfig } from '../helpers/daemon.ts';
import { callHttp } from '../helpers/http.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('daemon: an upstream that comes and goes', (test) => {
  let directory: string;
  let port: number;
  let upstream: string;
  let server: Embedded;
  const logged: string[] = [];

  const startServer = async () => {
    const log = createLog('silent', { write: () => undefined });
    server = await startEmbedded({
      clusters: anyCluster,
      directory,
      port,
      log,
      settings: { fsync: 'off' },
    });
    port = server.port;
    upstream = server.url;
  };
  test.before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stage-upstream-'));
    port = 0;
    await startServer();
    await server.stop();
  });
  test.after(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const start = async () => {
    const stderr = { write: (line: string) => logged.push(line) };
    const daemon = await startDaemon(testConfig({ upstream }), { env: {}, stderr, version: '0' });
    const call = (method: string, path: string) => callHttp(daemon.restUrl, method, path);
    const health = async () => (await call('GET', '/health')).body.status as string;
    return { daemon, call, health };
  };

  test('starts while it is down, becomes ok when it comes, degraded when it goes, ok again', async () => {
    const { daemon, call, health } = await start();
    const down = await call('GET', '/health');
    assert.is(down.status, 503);
    assert.is(down.body.status, 'degraded');
    assert.is(down.body.upstream, 'disconnected');
    assert.match(down.body.error, /ECONNREFUSED/);
    assert.is((await call('GET', '/livez')).status, 200);
    assert.is((await call('GET', '/readyz')).status, 503);
    const refused = await call('POST', '/sessions');
    assert.is(refused.status, 503);
    assert.is(refused.body.error, 'upstream_unavailable');
    assert.ok(refused.body.hint);

    await startServer();
    await until(async () => (await health()) === 'ok');
    const { body: session } = await call('POST', '/sessions');
    assert.is(session.status, 'active');

    await server.stop();
    await until(async () => (await health()) === 'degraded');
    assert.is((await call('GET', `/sessions/${session.id}`)).status, 503);

    await startServer();
    await until(async () => (await health()) === 'ok');
    assert.is((await call('GET', `/sessions/${session.id}`)).body.status, 'active');
    await daemon.stop();
    await server.stop();
  });

  test('notices by itself, without being asked', async () => {
    const { daemon } = await start();
    const readyLines = () => logged.filter((line) => line.includes('"upstream ready"')).length;
    const before = readyLines();
    await startServer();
    await until(() => readyLines() > before);
    assert.is(readyLines(), before + 1);
    await daemon.stop();
    await server.stop();
  });

  test('database clients are told to try again', async () => {
    const { daemon } = await start();
    const { host, port: proxyPort } = daemon.proxyAddress;
    const client = new pg.Client({
      host,
      port: proxyPort,
      user: 'postgres',
      database: 'postgres',
      options: `-c service_session=sess_${'0'.repeat(32)}`,
    });
    const error = await rejects<pg.DatabaseError>(client.connect());
    assert.is(error.code, '57P03');
    assert.is(error.severity, 'FATAL');
    assert.ok(error.hint);
    await daemon.stop();
  });

  test('its password shows up nowhere', async () => {
    const { password } = new URL(upstream);
    assert.ok(password.length > 10);
    const { daemon, call } = await start();
    for (const path of ['/health', '/metrics', '/info', '/openapi.json', '/sessions']) {
      assert.not((await call('GET', path)).text.includes(password), path);
    }
    assert.not(logged.join('').includes(password));
    await daemon.stop();
  });
});

suite('daemon: an upstream that loses connections', (test) => {
  test('goes on when all of them are cut', async () => {
    const daemon = await startTestDaemon();
    const id = await daemon.newSession();
    await daemon.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'stage'`,
    );
    const answer = await until(async () => {
      const { status, body } = await daemon.call('GET', `/sessions/${id}`);
      return status === 200 && body;
    });
    assert.is(answer.id, id);
    await daemon.stop();
  });

  test('does not begin anew when our schema is gone', async () => {
    const daemon = await startTestDaemon();
    await daemon.database.query('DROP SCHEMA stage CASCADE');
    const { status, body } = await daemon.call('GET', '/health');
    assert.is(status, 503);
    assert.match(body.error, /schema stage has disappeared/);
    assert.is((await daemon.call('POST', '/sessions')).status, 503);
    assert.is((await daemon.call('GET', '/health')).status, 503);
    await daemon.stop();
  });
});
