/** A daemon that is configured with a lifetime of sessions. */
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('a daemon that is told how long sessions live', (test) => {
  let database: TestDatabase;
  test.before(async () => {
    database = await createTestDatabase();
  });
  test.after(() => database.drop());

  async function serving<T>(
    flags: Readonly<Record<string, unknown>>,
    work: (daemon: TestDaemon) => Promise<T>,
  ): Promise<T> {
    const daemon = await startTestDaemon({ database, flags });
    return work(daemon).finally(() => daemon.stop());
  }
  const age = () =>
    database.query(`
      ALTER TABLE stage.event DISABLE TRIGGER append_only;
      UPDATE stage.session SET created_at = created_at - interval '2 hours';
      UPDATE stage.event SET at = at - interval '2 hours'; ALTER TABLE stage.event ENABLE TRIGGER append_only`);

  test('rejects those that have expired; without being told it does not', async () => {
    const id = await serving({}, (daemon) => daemon.newSession());
    await age();
    await serving({}, async (daemon) => {
      assert.is((await daemon.call('GET', `/sessions/${id}`)).body.status, 'active');
    });
    await serving({ activeSessionTtlHours: '1', proposedSessionTtlHours: '1' }, async (daemon) => {
      const show = async () => (await daemon.call('GET', `/sessions/${id}`)).body;
      await until(async () => (await show()).status !== 'active');
      const { status, reason } = await show();
      assert.equal(
        [status, reason],
        ['rejected', 'expired: nothing has happened for an hour while it was active'],
      );
      const { body } = await daemon.call('GET', `/sessions/${id}/events`);
      assert.equal(
        body.events.map(({ kind }: { kind: string }) => kind),
        ['created', 'expired'],
      );
      const logged = await until(() =>
        daemon.logged.find((line) => line.includes('session expired')),
      );
      assert.is(JSON.parse(logged).session, id);
    });
  });
});
