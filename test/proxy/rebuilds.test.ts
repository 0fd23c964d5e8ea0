/** An overlay that is rebuilt because its table was altered: writers of other tables do not wait for it. */
import pg from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const schema = `
CREATE TABLE large (id int PRIMARY KEY, v text); INSERT INTO large SELECT g, 'old' FROM generate_series(1, 9) g;
CREATE TABLE other (id int PRIMARY KEY, v text); INSERT INTO other VALUES (1, 'old')`;

suite('an overlay that is made anew', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  /** Returns whether a transaction of the service waits for somebody while it creates overlays. */
  const isRebuilding = async () => {
    const { rows } = await holder.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'stage' AND wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  };
  let holder: pg.Client;

  test('keeps nobody waiting who writes to a table that has one', async () => {
    const { database } = proxied;
    const [writer, beside, later] = (await Promise.all(
      [1, 2, 3].map(async () => proxied.connect(await proxied.session('staged'))),
    )) as [pg.Client, pg.Client, pg.Client];
    await writer.query(`UPDATE large SET v = 'staged' WHERE id < 5`);
    await beside.query(`UPDATE other SET v = 'staged'`);
    await database.query('ALTER TABLE large ADD COLUMN more int DEFAULT 7');
    holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    try {
      // the rebuild reaches the shadow table, which somebody has locked for reading
      await holder.query('BEGIN');
      await holder.query(
        `DO $$ BEGIN EXECUTE format('LOCK TABLE stage_data.shadow_%s IN ACCESS SHARE MODE', 'large'::regclass::oid); END $$`,
      );
      const rebuilding = writer.query(`UPDATE large SET v = v || more WHERE id = 1 RETURNING v`);
      await until(isRebuilding);
      for (const client of [beside, later]) {
        const { rowCount } = await client.query(`UPDATE other SET v = 'beside' WHERE id = 1`);
        assert.is(rowCount, 1);
      }
      assert.is(await isRebuilding(), true, 'it had not come to its end meanwhile');
      await holder.query('ROLLBACK');
      assert.equal((await rebuilding).rows, [{ v: 'staged7' }]);
    } finally {
      await holder.end();
    }
  });
});
