/** A publication of all tables, with a real subscriber: the installation does not change replication. */
import pg from 'pg';
import type { TestDaemon } from '../helpers/daemon.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const table = 'CREATE TABLE items (id int PRIMARY KEY, v text)';

suite('publications', (test) => {
  let database: TestDatabase;
  let subscriber: TestDatabase;
  const name = () => database.name;
  test.before(async () => {
    database = await createTestDatabase({ template: 'empty' });
    subscriber = await createTestDatabase({ template: 'empty' });
    await database.query(`${table}; CREATE PUBLICATION everything FOR ALL TABLES`);
    // in one cluster the slot has to exist before, because its creation would wait for the transaction that requests it
    await database.query(`SELECT pg_create_logical_replication_slot('${name()}', 'pgoutput')`);
    await subscriber.query(table);
    const { host, port, user, password } = database;
    const connection = `host=${host} port=${port} user=${user} password=${password} dbname=${name()}`;
    await subscriber.query(
      `CREATE SUBSCRIPTION ${name()} CONNECTION '${connection}' PUBLICATION everything WITH (create_slot = false, copy_data = false)`,
    );
  });
  test.after(async () => {
    await subscriber.query(`ALTER SUBSCRIPTION ${name()} DISABLE`);
    await subscriber.query(`ALTER SUBSCRIPTION ${name()} SET (slot_name = NONE)`);
    await subscriber.query(`DROP SUBSCRIPTION ${name()}`);
    await until(async () => {
      const rows = await database.query(
        `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '${name()}' AND NOT active`,
      );
      return rows.length === 1;
    });
    await subscriber.drop();
    await database.drop();
  });

  const arrives = (id: number) =>
    until(async () => (await subscriber.query(`SELECT FROM items WHERE id = ${id}`)).length === 1);
  const hasSchema = async () =>
    (await database.query(`SELECT to_regnamespace('stage') IS NOT NULL AS there`))[0];

  test('of all tables keep the service from being installed, and replication goes on', async () => {
    const error = await rejects<Error & { code: string; hint: string }>(
      startTestDaemon({ database }),
    );
    assert.is(error.code, 'configuration_invalid');
    assert.match(error.message, /"everything" is FOR ALL TABLES/);
    assert.match(error.hint, /CREATE PUBLICATION "everything_only" FOR TABLES IN SCHEMA public;/);
    assert.equal(await hasSchema(), { there: false });
    await database.query(`INSERT INTO items VALUES (1, 'production')`);
    await arrives(1);
  });

  test('as the hint says, what is approved arrives, and what is staged does not', async () => {
    await database.query('CREATE PUBLICATION everything_only FOR TABLES IN SCHEMA public');
    await subscriber.query(
      `ALTER SUBSCRIPTION ${name()} SET PUBLICATION everything_only WITH (copy_data = false)`,
    );
    await database.query('DROP PUBLICATION everything');
    const daemon: TestDaemon = await startTestDaemon({ database });
    try {
      const session = await daemon.newSession();
      const client = new pg.Client({ connectionString: daemon.clientUrl(session) });
      await client.connect();
      await client.query(`INSERT INTO items VALUES (2, 'staged')`);
      await client.end();
      await database.query(`INSERT INTO items VALUES (3, 'production')`);
      await arrives(3);
      assert.equal(await subscriber.query('SELECT id FROM items ORDER BY id'), [
        { id: 1 },
        { id: 3 },
      ]);
      await daemon.call('POST', `/sessions/${session}/propose`);
      assert.is((await daemon.call('POST', `/sessions/${session}/approve`)).status, 200);
      await arrives(2);
    } finally {
      await daemon.stop();
    }
  });

  test('of all tables are let pass where that is wanted', async () => {
    const other = await createTestDatabase({ template: 'empty' });
    try {
      await other.query('CREATE PUBLICATION everything FOR ALL TABLES');
      const daemon = await startTestDaemon({ database: other, flags: { allowPublications: true } });
      assert.is((await daemon.call('GET', '/health')).status, 200);
      await daemon.stop();
    } finally {
      await other.drop();
    }
  });
});
