/** Without an upstream, production is an embedded PostgreSQL with a sample in it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDaemon } from '../../src/daemon/start.ts';
import { testConfig } from '../helpers/daemon.ts';
import { callHttp } from '../helpers/http.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('daemon: embedded production', (test) => {
  let directory: string;
  test.before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'stage-embedded-'));
  });
  test.after(() => rm(directory, { recursive: true, force: true }));

  const start = (logged: string[] = []) => {
    const stderr = { write: (line: string) => logged.push(line) };
    const config = testConfig({ embedded: directory });
    return startDaemon(config, { env: {}, stderr, version: '0.0.0-test' });
  };

  test('is started, said loudly, and tells its sample login', async () => {
    const logged: string[] = [];
    const daemon = await start(logged);
    const { body } = await callHttp(daemon.restUrl, 'GET', '/info');
    assert.is(body.database, 'shop');
    assert.equal(body.embedded, { user: 'app', password: 'app' });
    assert.equal(daemon.info.embedded, body.embedded);
    assert.is((await callHttp(daemon.restUrl, 'GET', '/health')).body.status, 'ok');
    const warnings = logged.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
    assert.match(warnings[0].message, /embedded PostgreSQL/);
    const doctored = warnings.find(({ check }) => check === 'service_superuser');
    assert.is(doctored?.severity, 'warning');
    await daemon.stop();
  });

  test('keeps its data', async () => {
    const first = await start();
    const { body } = await callHttp(first.restUrl, 'POST', '/sessions');
    await first.stop();
    const second = await start();
    const { status } = await callHttp(second.restUrl, 'GET', `/sessions/${body.id}`);
    assert.is(status, 200);
    await second.stop();
  });
});
