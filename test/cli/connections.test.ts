/** A session with a connected database client, listed and deleted from the command line. */
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Shell } from './stage.ts';
import { createShell } from './stage.ts';

suite('stage session connections, and delete --force', (test) => {
  let daemon: TestDaemon;
  let shell: Shell;
  let client: pg.Client;
  test.before(async () => {
    daemon = await startTestDaemon();
    shell = await createShell(daemon.restUrl);
  });
  test.after(async () => {
    await client.end().catch(() => undefined);
    await shell.clear();
    await daemon.stop();
  });

  test('tell who holds it, and take it from them', async () => {
    const id = await daemon.newSession();
    const none = await shell.run(['session', 'connections', id]);
    assert.equal([none.code, none.stdout], [0, '']);
    client = new pg.Client({ connectionString: daemon.clientUrl(id) });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('BEGIN');
    await client.query('UPDATE products SET stock = 1 WHERE id = 1');
    const { stdout } = await shell.run(['session', 'connections', id]);
    const role = daemon.database.user;
    assert.match(stdout, new RegExp(`\t${role}\t127.0.0.1\t\\S+\tidle in transaction\there\n$`));
    assert.is((await shell.run(['session', 'delete', id, '--yes'])).code, 6);
    const deleted = await shell.run(['session', 'delete', id, '--force', '--yes']);
    assert.equal([deleted.code, deleted.stdout], [0, `${id}\tdeleted\n`]);
  });
});
