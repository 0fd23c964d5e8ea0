/** The planner's statistics of a shadow table that was vacuumed when empty do not make statements of many rows slow. */
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO item SELECT g, 0 FROM generate_series(1, 1000) g;
ANALYZE item;
CREATE VIEW seen AS SELECT * FROM item;`;

suite('a shadow table that was vacuumed when it was empty', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  async function update(name: string): Promise<string> {
    const session = await proxied.daemon.newSession();
    const client = await proxied.connect(proxied.daemon.clientUrl(session));
    await client.query(`UPDATE ${name} SET n = n + 1 WHERE id > 0`);
    // the statistics are complete when its backend has ended
    await client.end();
    return session;
  }

  for (const name of ['item', 'seen']) {
    test(`is not read whole for each row of ${name}`, () => compare(name));
  }

  async function compare(name: string): Promise<void> {
    const { daemon, database } = proxied;
    const session = await update(name);
    await daemon.call('POST', `/sessions/${session}/propose`);
    assert.is((await daemon.call('POST', `/sessions/${session}/reject`)).status, 200);
    const [shadow] = await database.query<{ name: string }>(
      `SELECT oid::regclass::text AS name FROM pg_class WHERE relname = 'shadow_' || 'item'::regclass::oid`,
    );
    const scans = async () => {
      const [found] = await database.query<{ bytes: number; rows: number; scans: number }>(
        `SELECT c.reltuples::int AS rows, pg_relation_size(c.oid)::int AS bytes, pg_stat_get_numscans(c.oid)::int AS scans
         FROM pg_class c WHERE c.oid = '${shadow?.name}'::regclass`,
      );
      return found;
    };
    // a transaction of the service may keep a VACUUM from removing all rows
    await until(async () => {
      await database.query(`VACUUM ${shadow?.name}`);
      return (await scans())?.bytes === 0;
    });
    const before = await scans();
    assert.equal([before?.rows, before?.bytes], [0, 0]);
    const again = await update(name);
    const after = await scans();
    const read = (after?.scans ?? 0) - (before?.scans ?? 0);
    assert.ok(read < 100, `read ${read} times`);
    assert.is((await daemon.call('DELETE', `/sessions/${again}`)).status, 200);
  }
});
