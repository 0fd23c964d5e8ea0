/** A daemon whose database is replaced with a copy while it serves: nothing is staged or decided before overlays are bound again. */
import pg from 'pg';
import { createDatabase } from '../../src/db/database.ts';
import { ensureBound } from '../../src/overlay/install/binding.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

/** Changes the row as a restore does. */
const restored = `UPDATE stage.identity SET written = '3'`;

suite('binding', (test) => {
  let daemon: TestDaemon;
  const clients: pg.Client[] = [];
  test.before(async () => {
    daemon = await startTestDaemon();
  });
  test.after(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await daemon.stop();
  });

  async function open(session: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: daemon.clientUrl(session) });
    await client.connect();
    clients.push(client);
    return client;
  }
  const query = (text: string) => daemon.database.query<Record<string, unknown>>(text);

  test('knows the cluster, its database and who wrote it', async () => {
    const [row] = await query(`
      SELECT i.system_identifier = c.system_identifier::text AS system, d.datname = current_database() AS database,
        i.registry = 'stage.overlay'::regclass AS registry, i.xmin = i.written::xid AS written, stage.is_bound_here() AS bound
      FROM stage.identity i, pg_control_system() c, pg_database d WHERE d.oid = i.database`);
    assert.equal(row, { system: true, database: true, registry: true, written: true, bound: true });
  });

  test('each part of it tells a copy', async () => {
    const now = 'written = pg_current_xact_id()';
    for (const part of [
      `system_identifier = '1', ${now}`,
      `database = 1, ${now}`,
      `registry = 1, ${now}`,
      `written = '3'`,
    ]) {
      await query(`UPDATE stage.identity SET ${part}`);
      const [row] = await query('SELECT stage.is_bound_here() AS bound');
      assert.is(row?.['bound'], false, part);
      const service = createDatabase({ url: daemon.database.url });
      await ensureBound(service).finally(() => service.close());
      assert.is((await query('SELECT stage.is_bound_here() AS bound'))[0]?.['bound'], true, part);
    }
  });

  test('a statement is told to try again until the daemon has looked, and staged rows are still there', async () => {
    const session = await daemon.newSession({ reads: 'staged' });
    const client = await open(session);
    await client.query(`UPDATE products SET stock = 5 WHERE sku = 'MUG-01'`);
    await client.query('BEGIN');
    await query(restored);
    const error = await rejects(client.query(`UPDATE products SET stock = 6 WHERE sku = 'MUG-01'`));
    assert.is(error.code, '40001');
    await client.query('ROLLBACK');
    await until(async () => (await daemon.call('GET', '/health')).status === 200);
    const { rows } = await client.query(`SELECT stock FROM products WHERE sku = 'MUG-01'`);
    assert.equal(rows, [{ stock: 5 }]);
    await client.query(`UPDATE products SET stock = stock + 1 WHERE sku = 'MUG-01'`);
    await query(restored);
    const diff = await daemon.call('GET', `/sessions/${session}/diff`);
    assert.is(diff.body.tables.products.changes[0].after.stock, 6);
  });

  test('what is staged in a table that is not there any more is kept to be looked at, and not approved', async () => {
    await query(
      'CREATE TABLE lost (id int PRIMARY KEY, v text); CREATE TABLE kept (id int PRIMARY KEY, v text)',
    );
    const session = await daemon.newSession();
    const client = await open(session);
    await client.query(`INSERT INTO lost VALUES (1, 'l')`);
    await client.query(`INSERT INTO kept VALUES (1, 'k')`);
    const before = (await daemon.call('GET', `/sessions/${session}/diff`)).body;
    // as restored: no table has the OID of the one, and another table has that of the other
    await query(`
      ALTER TABLE lost RENAME TO another;
      UPDATE stage.binding SET production = '4000000000' WHERE relation = 'another'::regclass;
      ${restored}`);
    const after = (await daemon.call('GET', `/sessions/${session}/diff`)).body;
    assert.equal(after.tables.kept, before.tables.kept);
    assert.equal(after.tables.lost.changes, before.tables.lost.changes);
    assert.equal(after.tables.lost.columns, []);
    await daemon.call('POST', `/sessions/${session}/propose`);
    const { status, body } = await daemon.call('POST', `/sessions/${session}/approve`);
    assert.is(status, 409);
    assert.equal(
      body.conflicts.map(({ table, kind, reason }: Record<string, string>) => [
        table,
        kind,
        reason,
      ]),
      [['lost', 'schema', 'the database was restored, and the table is not in it']],
    );
    assert.equal(await query('SELECT FROM another'), []);
    assert.equal(await query('SELECT FROM kept'), []);
  });

  test('an approved session is shown with the columns of its table, not with those of one that has its number now', async () => {
    await query('CREATE TABLE decided (id int PRIMARY KEY, v text)');
    const session = await daemon.newSession();
    await (await open(session)).query(`INSERT INTO decided VALUES (1, 'd')`);
    await daemon.call('POST', `/sessions/${session}/propose`);
    assert.is((await daemon.call('POST', `/sessions/${session}/approve`)).status, 200);
    const before = (await daemon.call('GET', `/sessions/${session}/diff`)).body;
    const outline = (await daemon.call('GET', `/sessions/${session}/diff/outline`)).body;
    // as restored: the table has another OID, and another table has its old one
    await query(`
      ALTER TABLE decided RENAME TO numbered_alike;
      ALTER TABLE numbered_alike ADD COLUMN other text;
      CREATE TABLE decided (id int PRIMARY KEY, v text);
      UPDATE stage.binding SET production = 'decided' WHERE relation = 'numbered_alike'::regclass;`);
    await query(restored);
    const other = await daemon.newSession();
    await until(async () => (await daemon.call('GET', '/health')).status === 200);
    await (await open(other)).query(`INSERT INTO numbered_alike VALUES (2, 'n', 'o')`);
    assert.equal(
      (await daemon.call('GET', `/sessions/${session}/diff`)).body.tables,
      before.tables,
    );
    assert.equal(
      (await daemon.call('GET', `/sessions/${session}/diff/outline`)).body.tables,
      outline.tables,
    );
  });
});
