/** Schemas of users whose names look like those of the service: they are staged and watched like any other, and never get overlays. */
import pg from 'pg';
import { assert, rejects, suite } from '../helpers/suite.ts';
import type { AttackedDatabase } from './attacked-database.ts';
import { startAttacked } from './attacked-database.ts';
import { fingerprint } from './fingerprint.ts';

const lookAlikes = [
  'stage_prod',
  'stage_overlay_99999',
  'stage_upsert_99999',
  'stage_load_99999',
  'stage_tree_99999',
  'stage_function_99999',
  'Stage',
  'stages',
];

/** A table in each, and code that writes there, which cannot be followed because of its option. */
const schema = lookAlikes
  .map(
    (name, index) => `CREATE SCHEMA "${name}";
      CREATE TABLE "${name}".account (id int PRIMARY KEY, name text);
      INSERT INTO "${name}".account VALUES (1, 'one');
      CREATE FUNCTION evil_account_${index}() RETURNS int LANGUAGE plpgsql AS '#variable_conflict error
        DECLARE v int; BEGIN INSERT INTO "${name}".account SELECT max(id) + 1 FROM "${name}".account RETURNING id INTO v; RETURN v; END';
      CREATE FUNCTION evil_look_alike_${index}() RETURNS int STABLE LANGUAGE plpgsql AS
        'BEGIN RETURN public.evil_account_${index}(); END';`,
  )
  .join('\n');

/** Code that writes to a table that does not exist yet. */
const late = `
CREATE FUNCTION evil_later() RETURNS int LANGUAGE plpgsql AS '#variable_conflict error
BEGIN INSERT INTO public.late VALUES (1); RETURN 1; END';
CREATE FUNCTION evil_late() RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.evil_later(); END';`;

suite('schemas with names like those of the service', (test) => {
  let attacked: AttackedDatabase;
  let before: string[];
  const clients: pg.Client[] = [];
  test.before(async () => {
    attacked = await startAttacked();
    await attacked.asOwner(schema + late);
    // One schema is the service account's by its owner, but not by its name.
    await attacked.database.query(
      'ALTER SCHEMA stage_prod OWNER TO CURRENT_USER; GRANT USAGE ON SCHEMA stage_prod TO PUBLIC',
    );
    before = await fingerprint(attacked.database);
  });
  test.after(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await attacked.stop();
  });

  const connect = async (reads: 'production' | 'staged' = 'staged') => {
    const client = new pg.Client({ connectionString: await attacked.session('owner', reads) });
    await client.connect();
    clients.push(client);
    return client;
  };

  for (const [index, name] of lookAlikes.entries()) {
    test(`code that writes to ${name} is found out`, async () => {
      const client = await connect();
      for (const statement of [
        `UPDATE item SET price = evil_look_alike_${index}()`,
        `INSERT INTO item VALUES (evil_look_alike_${index}() + 100, 'x')`,
        `DELETE FROM item WHERE id = evil_look_alike_${index}()`,
      ]) {
        const refused = await rejects(client.query(statement));
        assert.is(refused.code, '0A000', statement);
        assert.match(refused.message, /makes a function write to/);
      }
      assert.equal(await fingerprint(attacked.database), before);
    });
  }

  test('their tables are staged and shown like any other', async () => {
    const client = await connect();
    for (const name of ['stage_prod', 'Stage', 'stages']) {
      await client.query(`UPDATE "${name}".account SET name = 'staged'`);
      await client.query(`INSERT INTO "${name}".account VALUES (2, 'new')`);
      await client.query(`SET search_path = "${name}"`);
      const { rows } = await client.query('SELECT name FROM account ORDER BY id');
      assert.equal(rows, [{ name: 'staged' }, { name: 'new' }], name);
    }
    assert.equal(await fingerprint(attacked.database), before);
  });

  test('names that the service may need itself are not written to', async () => {
    const client = await connect();
    for (const name of [
      'stage_overlay_99999',
      'stage_upsert_99999',
      'stage_load_99999',
      'stage_tree_99999',
      'stage_function_99999',
    ]) {
      const refused = await rejects(client.query(`DELETE FROM ${name}.account`));
      assert.is(refused.code, '42501', name);
    }
  });

  test('code that writes to a table made after the snapshot is found out', async () => {
    const client = await connect();
    // a function that is examined behind the snapshot fails the transaction (40001)
    assert.is((await rejects(client.query('UPDATE item SET price = evil_late()'))).code, '42P01');
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query(`UPDATE item SET name = 'staged'`);
    await attacked.asOwner('CREATE TABLE late (id int)');
    const refused = await rejects(client.query('UPDATE item SET price = evil_late()'));
    assert.is(refused.code, '0A000');
    assert.match(refused.message, /write to "public\.late"/);
    await client.query('ROLLBACK');
    assert.equal(await attacked.database.query('TABLE late'), []);
    await attacked.database.query('DROP TABLE late');
  });

  test('no overlay is made in a schema of somebody else', async () => {
    await attacked.asOwner('CREATE SCHEMA shop; CREATE TABLE shop.item (id int PRIMARY KEY)');
    const [{ oid } = { oid: 0 }] = await attacked.database.query<{ oid: number }>(
      `SELECT oid::int FROM pg_namespace WHERE nspname = 'shop'`,
    );
    await attacked.asOwner(`CREATE SCHEMA stage_overlay_${oid};
      GRANT ALL ON SCHEMA stage_overlay_${oid} TO PUBLIC;
      CREATE VIEW stage_overlay_${oid}.item AS SELECT id FROM shop.item WHERE public.evil() = 1;
      GRANT ALL ON stage_overlay_${oid}.item TO PUBLIC`);
    const prepared = await fingerprint(attacked.database);
    const client = await connect();
    for (const statement of [
      'INSERT INTO shop.item VALUES (1)',
      'SELECT * FROM shop.item',
      'DELETE FROM shop.item',
    ]) {
      const refused = await rejects(client.query(statement));
      assert.is(refused.code, '0A000', statement);
      assert.match(refused.message, /does not belong to the staging service/);
    }
    assert.equal(await fingerprint(attacked.database), prepared);
  });
});
