/** Starting and stopping: ports, policies, two daemons at once, nothing left behind. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { StageError } from '../../src/errors.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { callHttp } from '../helpers/http.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('daemon: start', (test) => {
  test('serves REST and proxy, and tells where', async () => {
    const daemon = await startTestDaemon();
    assert.equal((await daemon.call('GET', '/health')).body, {
      status: 'ok',
      upstream: 'connected',
    });
    const { postgresql, ...info } = (await daemon.call('GET', '/info')).body;
    const [server] = await daemon.database.query<{ version: string }>(
      "SELECT current_setting('server_version') AS version",
    );
    assert.is(postgresql, server?.version);
    assert.equal(info, {
      version: '0.0.0-test',
      proxy: { host: '127.0.0.1', port: daemon.proxy.port },
      database: daemon.database.name,
      embedded: null,
    });
    assert.ok(daemon.proxy.port > 0);
    await daemon.stop();
  });

  test('after stop nothing listens, and no connection is left at the database', async () => {
    const database = await createTestDatabase();
    const daemon = await startTestDaemon({ database });
    await daemon.newSession();
    await daemon.stop();
    const refused = await rejects(callHttp(daemon.restUrl, 'GET', '/livez'));
    assert.is(refused.code, 'ECONNREFUSED');
    const ours = () =>
      database.query(
        `SELECT pid FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'stage'`,
      );
    await until(async () => (await ours()).length === 0);
    const stopped = daemon.logged.map((line) => JSON.parse(line)).map(({ part }) => part);
    assert.equal(stopped.filter(Boolean), [
      'cards of sessions',
      'rules of the policy',
      'scheduled approvals',
      'removal of staged rows',
      'waiting requests',
      'REST interface',
      'proxy',
      'check of objects that users have made',
      'upstream monitor',
      'proxy connections',
      'deciding connections',
      'reading connections',
    ]);
    assert.equal(await ours(), []);
    await database.drop();
  });

  test('two daemons may start at once on one database, and share everything', async () => {
    const database = await createTestDatabase();
    const daemons = await Promise.all([
      startTestDaemon({ database }),
      startTestDaemon({ database }),
      startTestDaemon({ database }),
    ]);
    const [first, second] = daemons;
    const id = await first.newSession({ project_id: 'shared' });
    assert.is((await second.call('GET', `/sessions/${id}`)).body.project_id, 'shared');
    assert.is((await second.call('POST', `/sessions/${id}/propose`)).status, 200);
    assert.is((await first.call('POST', `/sessions/${id}/propose`)).status, 409);
    for (const daemon of daemons) await daemon.stop();
    await database.drop();
  });

  test('sessions are there again after a restart', async () => {
    const database = await createTestDatabase();
    const first = await startTestDaemon({ database });
    const id = await first.newSession();
    await first.stop();
    const second = await startTestDaemon({ database });
    assert.is((await second.call('GET', `/sessions/${id}`)).body.status, 'active');
    await second.stop();
    await database.drop();
  });

  for (const [setting, flag] of [
    ['port', '--port'],
    ['proxyPort', '--proxy-port'],
  ] as const) {
    test(`a busy port of ${flag} is named, and nothing goes on running`, async () => {
      const database = await createTestDatabase();
      const occupant = createServer();
      await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
      const { port } = occupant.address() as AddressInfo;
      const error = await rejects<StageError>(
        startTestDaemon({ database, flags: { [setting]: port } }),
      );
      assert.is(error.code, 'configuration_invalid');
      assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${port}`));
      assert.ok(error.hint?.includes(flag), error.hint);
      await new Promise((resolve) => occupant.close(resolve));
      // fails if a connection of the service is still open
      await database.query('SELECT 1');
      await database.drop();
    });
  }

  test('an address that others can reach is refused without a token', async () => {
    const database = await createTestDatabase();
    const error = await rejects<StageError>(
      startTestDaemon({ database, flags: { host: '0.0.0.0' } }),
    );
    assert.is(error.code, 'configuration_invalid');
    assert.match(error.hint ?? '', /--allow-unauthenticated/);
    const open = await startTestDaemon({
      database,
      flags: { host: '0.0.0.0', allowUnauthenticated: true },
    });
    assert.is((await open.call('GET', '/sessions')).status, 200);
    await open.stop();
    const guarded = await startTestDaemon({
      database,
      flags: { host: '0.0.0.0' },
      env: { STAGE_TOKEN: 'secret' },
    });
    assert.is((await guarded.call('GET', '/sessions')).status, 401);
    const headers = { authorization: 'Bearer secret' };
    assert.is((await guarded.call('GET', '/sessions', { headers })).status, 200);
    await guarded.stop();
    await database.drop();
  });

  test('the review page is there where it is turned on', async () => {
    const database = await createTestDatabase();
    const env = { STAGE_TOKEN: 'secret' };
    const sent = { headers: { authorization: 'Bearer secret' }, json: {} };
    for (const [flags, status] of [
      [{}, 404],
      [{ web: 'off' }, 404],
      [{ web: 'on' }, 200],
    ] as const) {
      const daemon = await startTestDaemon({ database, flags, env });
      assert.is((await daemon.call('GET', '/review')).status, status);
      const { body } = await daemon.call('POST', '/web/links', sent);
      assert.is(body.path === undefined, status === 404);
      await daemon.stop();
    }
    await database.drop();
  });

  test('sessions that choose no conflict scope get the configured one', async () => {
    const daemon = await startTestDaemon({ flags: { conflictScope: 'column' } });
    const { body } = await daemon.call('POST', '/sessions');
    assert.is(body.conflict_scope, 'column');
    await daemon.stop();
  });

  test('a schema from a newer version is refused', async () => {
    const database = await createTestDatabase();
    await (await startTestDaemon({ database })).stop();
    await database.query(
      `INSERT INTO stage.migration (number, name, hash) VALUES (999999, '999999_future.sql', 'x')`,
    );
    const error = await rejects<StageError>(startTestDaemon({ database }));
    assert.is(error.code, 'schema_too_new');
    await database.drop();
  });

  test('a service account that lacks a right is told which', async () => {
    const database = await createTestDatabase();
    const upstream = database.urlFor('app', 'app');
    const error = await rejects<StageError>(startTestDaemon({ database, flags: { upstream } }));
    assert.is(error.code, 'forbidden');
    assert.match(error.message, /permission denied/);
    await database.drop();
  });
});
