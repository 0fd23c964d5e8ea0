/** `stage status` of a healthy service and of a failing one. */
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import { serve } from './served.ts';

suite('status', (test) => {
  const served = serve(test);

  test('shows where the daemon is and which session is meant here', async () => {
    const id = (await served.shell.run(['session', 'new'])).stdout.trim();
    const { code, stdout } = await served.shell.run(['status']);
    assert.is(code, 0);
    assert.equal(
      Object.fromEntries(
        stdout
          .trimEnd()
          .split('\n')
          .map((line) => line.split('\t')),
      ),
      {
        server: served.rest.url,
        version: '0.0.0-test',
        status: 'ok',
        upstream: 'connected',
        database: served.rest.database.name,
        proxy: '127.0.0.1:5433',
        'active sessions': '1',
        'session here': id,
      },
    );
  });

  test('says the same as one object', async () => {
    const { stdout } = await served.shell.run(['status', '--json'], {
      env: { STAGE_SESSION: 'sess_x' },
    });
    const status = JSON.parse(stdout);
    assert.equal(
      [status.server, status.status, status.embedded, status.sessions_active, status.session_id],
      [served.rest.url, 'ok', false, 1, 'sess_x'],
    );
  });

  test('ends with 7 when the upstream is away, and still tells', async () => {
    const broken = await startTestRest({ upstream: { ready: false, error: 'it is\x1b[2J gone' } });
    const server = ['--server', broken.url];
    const { code, stdout } = await served.shell.run(['status', ...server]);
    const json = await served.shell.run(['status', ...server, '--json']);
    const list = await served.shell.run(['session', 'list', ...server]);
    await broken.stop();
    assert.is(code, 7);
    assert.match(
      stdout,
      /^status\tdegraded\nupstream\tdisconnected\nerror\tE'it is\\x1b\[2J gone'$/m,
    );
    assert.equal([json.code, JSON.parse(json.stdout).status], [7, 'degraded']);
    assert.is(list.code, 7);
  });
});
