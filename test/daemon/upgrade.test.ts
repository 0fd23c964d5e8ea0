/** A daemon whose upgrade of the schema `stage` waits: health and log name the process that holds it back. */
import pg from 'pg';
import { startTestDaemon } from '../helpers/daemon.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { logChecks } from '../helpers/earlier-schema.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('daemon: an upgrade that waits', (test) => {
  test('health and log name the process that holds it back, until it is ready', async () => {
    const database = await createTestDatabase({ template: 'migrated' });
    await database.query(`${logChecks} DELETE FROM stage.migration WHERE number >= 24`);
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE stage.mutation IN ROW EXCLUSIVE MODE');
    const [{ pid }] = (await holder.query('SELECT pg_backend_pid() AS pid')).rows;
    const daemon = await startTestDaemon({ database });
    try {
      const named = new RegExp(`in use by process ${pid} \\(idle in transaction`);
      const { status, body } = await daemon.call('GET', '/health');
      assert.is(status, 503);
      assert.match(body.error, named);
      const refused = (await daemon.call('POST', '/sessions', { json: {} })).body;
      assert.match(refused.message, named);
      assert.match(refused.hint, 'upgrade_lock_timeout_ms');
      assert.is((await daemon.call('GET', '/readyz')).status, 503);
      await until(async () => daemon.logged.some((line) => named.test(line)));
      await holder.query('COMMIT');
      await until(async () => (await daemon.call('GET', '/readyz')).status === 200);
      assert.equal((await daemon.call('GET', '/health')).body.status, 'ok');
    } finally {
      await holder.end();
      await daemon.stop();
      await database.drop();
    }
  });
});
