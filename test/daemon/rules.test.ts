/** Daemons that follow the rules of review that need nobody: two on one database, and after a kill. */

import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { documentOf } from '../helpers/ruled.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

suite('daemons that follow the rules of review', (test) => {
  let database: TestDatabase;
  let daemons: readonly TestDaemon[];
  test.before(async () => {
    database = await createTestDatabase({ template: 'migrated-sample' });
    const flags = { maxConnections: 40 };
    daemons = [
      await startTestDaemon({ database, flags }),
      await startTestDaemon({ database, flags }),
    ];
  });
  test.after(async () => {
    for (const daemon of daemons) await daemon.stop();
    await database.drop();
  });

  const call: TestDaemon['call'] = (method, path, sent) => {
    const [daemon] = daemons;
    if (daemon === undefined) throw new Error('no daemon is started');
    return daemon.call(method, path, sent);
  };
  const set = async (...rules: object[]) => {
    const document = documentOf(rules);
    const sent = { json: { document }, headers: { 'if-match': '*' } };
    const { status, body } = await call('PUT', '/policy', sent);
    assert.is(status, 200, JSON.stringify(body));
  };
  const proposed = async () => {
    const [daemon] = daemons as readonly [TestDaemon];
    const id = await daemon.newSession();
    const client = new pg.Client({ connectionString: daemon.clientUrl(id) });
    await client.connect();
    await client.query('UPDATE products SET price = price + 1 WHERE id = 1');
    await client.end();
    assert.is((await call('POST', `/sessions/${id}/propose`, { json: {} })).status, 200);
    return id;
  };
  const show = async (id: string) => (await call('GET', `/sessions/${id}`)).body;
  const approvals = async (id: string) =>
    (await database.query(`SELECT FROM stage.approval WHERE session = '${id.slice(5)}'`)).length;
  const logged = (words: string, id: string) =>
    daemons.flatMap((daemon) =>
      daemon.logged.filter((line) => line.includes(words) && line.includes(id)),
    );

  test('a session that the policy approves is approved once', async () => {
    const auto = { max_rows: 1, operations: ['update'], flags: ['share_of_table'] };
    await set({ auto_approve: auto });
    const id = await proposed();
    await until(async () => (await show(id)).status === 'approved');
    assert.is(await approvals(id), 1);
    await until(() => logged('approved by the policy', id).length > 0);
    assert.is(logged('approved by the policy', id).length, 1);
  });

  test('a scheduled approval is applied once, and one that is refused is reported', async () => {
    await set();
    const id = await proposed();
    const later = new Date(Date.now() + 3_600_000).toISOString();
    assert.is((await call('POST', `/sessions/${id}/approve`, { json: { at: later } })).status, 202);
    await database.query(
      `UPDATE stage.session SET apply_at = clock_timestamp() - interval '1 second' WHERE id = '${id.slice(5)}'`,
    );
    await until(async () => (await show(id)).status === 'approved');
    assert.is(await approvals(id), 1);
    const other = await proposed();
    await call('POST', `/sessions/${other}/approve`, { json: { at: later } });
    await database.query(`UPDATE products SET price = 99 WHERE id = 1;
      UPDATE stage.session SET apply_at = clock_timestamp() - interval '1 second' WHERE id = '${other.slice(5)}'`);
    await until(() => logged('scheduled approval refused', other).length > 0);
    assert.is(logged('scheduled approval refused', other).length, 1);
  });

  test('health counts scheduled approvals that fail and are tried again', async () => {
    await set();
    const id = await proposed();
    await database.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
        $$ BEGIN PERFORM pg_read_file('no such file'); RETURN NEW; END $$;
      CREATE TRIGGER fail BEFORE UPDATE ON products FOR EACH ROW EXECUTE FUNCTION fail()`);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    assert.is((await call('POST', `/sessions/${id}/approve`, { json: { at: later } })).status, 202);
    const health = async () => (await call('GET', '/health')).body;
    assert.equal(await health(), { status: 'ok', upstream: 'connected' });
    await database.query(
      `UPDATE stage.session SET apply_at = clock_timestamp() - interval '1 second' WHERE id = '${id.slice(5)}'`,
    );
    await until(async () => (await health()).approvals_retried === 1);
    await database.query('DROP TRIGGER fail ON products');
    await until(async () => (await show(id)).status === 'approved');
    // the other daemon may not have heard of it
    assert.equal([await approvals(id), (await health()).status], [1, 'ok']);
  });

  test('a proposal that is too old for its rule is rejected, and no other', async () => {
    await set({ tables: ['products'], expire: '1h' }, { tables: ['orders'], expire: '30m' });
    const [old, young] = [await proposed(), await proposed()];
    await database.query(`UPDATE stage.session SET proposed_at = proposed_at - CASE id WHEN '${old.slice(5)}'
      THEN interval '61 minutes' ELSE interval '40 minutes' END WHERE status = 'proposed'`);
    await until(async () => (await show(old)).status === 'rejected');
    assert.is(
      (await show(old)).reason,
      'expired: rule "r0": approve within 1h of the proposal: it is older',
    );
    const { body } = await call('GET', `/sessions/${old}/events`);
    assert.is(body.events.at(-1).kind, 'expired');
    assert.is((await show(young)).status, 'proposed');
  });

  test('what became due while no daemon ran is done by the next one', async () => {
    await set();
    const id = await proposed();
    const later = new Date(Date.now() + 3_600_000).toISOString();
    await call('POST', `/sessions/${id}/approve`, { json: { at: later } });
    for (const daemon of daemons) await daemon.stop();
    daemons = [];
    await database.query(
      `UPDATE stage.session SET apply_at = clock_timestamp() - interval '1 second' WHERE id = '${id.slice(5)}'`,
    );
    const next = await spawnDaemon(database.url, { settings: { maxConnections: 40 } });
    await until(async () => (await approvals(id)) === 1);
    await next.kill();
  });
});
