/** Without an upstream, production is an embedded PostgreSQL with sample data. */
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
    const env = { XDG_STATE_HOME: join(directory, 'state') };
    return startDaemon(config, { env, stderr, version: '0.0.0-test' });
  };

  test('is started, named in the log, and tells its sample login', async () => {
    const logged: string[] = [];
    const daemon = await start(logged);
    const { body } = await callHttp(daemon.restUrl, 'GET', '/info');
    assert.is(body.database, 'shop');
    assert.equal(body.embedded, { user: 'app', password: 'app' });
    assert.equal(daemon.info.embedded, body.embedded);
    assert.is((await callHttp(daemon.restUrl, 'GET', '/health')).body.status, 'ok');
    await daemon.stop();
    const lines = logged.map((line) => JSON.parse(line));
    const reported = lines.find(
      ({ message }) => message === 'production is an embedded PostgreSQL',
    );
    assert.is(reported.directory, directory);
    // The doctor reports nothing about the sample.
    assert.equal(
      lines.filter(({ check }) => check !== undefined),
      [],
    );
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
