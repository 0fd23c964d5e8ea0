/** Deferrable constraint triggers fire at COMMIT while rows are staged, or when SET CONSTRAINTS makes them immediate. */
import { createDatabase } from '../../src/db/database.ts';
import { unstagedTriggers } from '../../src/overlay/triggers/unstaged-triggers.ts';
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/deferred-triggers.sql');

suite('deferrable constraint triggers', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);

  test('fire with the rights of the client', async () => {
    const { daemon, database } = proxied;
    await database.query(`CREATE TABLE hidden (id int PRIMARY KEY); CREATE TABLE seen (id int PRIMARY KEY);
      CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN RAISE NOTICE '%', current_user; IF NEW.id < 0 THEN PERFORM FROM hidden; END IF; RETURN NULL; END$$;
      CREATE CONSTRAINT TRIGGER see AFTER INSERT ON seen DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION see()`);
    const role = await createRole(database, 'GRANT ALL ON seen TO $role');
    try {
      const id = await daemon.newSession();
      const client = await proxied.connect(daemon.clientUrl(id, role.name, role.name));
      const notices: unknown[] = [];
      client.on('notice', ({ message }) => notices.push(message));
      const statements = ['BEGIN', 'INSERT INTO seen VALUES (1)', 'SET CONSTRAINTS ALL IMMEDIATE'];
      for (const text of [...statements, 'COMMIT', 'INSERT INTO seen VALUES (2)'])
        await client.query(text);
      assert.equal(notices, [role.name, role.name]);
      await client.query('BEGIN');
      await client.query('INSERT INTO seen VALUES (-1)');
      for (const text of ['COMMIT', 'INSERT INTO seen VALUES (-2)'])
        assert.is((await rejects(client.query(text))).code, '42501', text);
      assert.equal((await database.query('SELECT FROM stage.deferred_firing')).length, 0);
      await client.end();
    } finally {
      await role.drop();
    }
  });

  test('are all that COMMIT fires for rows that a direct connection queues', async () => {
    const queue = `INSERT INTO stage.deferred_firing VALUES (1, 'pg_catalog.concat', 'a', 'b', 'INSERT')`;
    const { code, message } = await rejects(proxied.database.query(queue));
    assert.equal([code, message], ['42501', 'pg_catalog.concat is no copy of a trigger']);
  });

  test('fire at approval only if they write', async () => {
    const { database } = proxied;
    await database.query(`CREATE TABLE writing (id int PRIMARY KEY);
      CREATE FUNCTION writing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO stocks VALUES (9, 1); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER writing AFTER INSERT ON writing DEFERRABLE FOR EACH ROW EXECUTE FUNCTION writing();
      CREATE FUNCTION owned() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS 'BEGIN RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER owned AFTER DELETE ON writing DEFERRABLE FOR EACH ROW EXECUTE FUNCTION owned();`);
    const db = createDatabase({ url: database.url });
    const lines = await unstagedTriggers(db);
    await db.close();
    assert.equal(lines, [
      `writing: trigger owned is a deferrable constraint trigger that runs with its owner's rights`,
      'writing: trigger writing does more than read, or cannot be followed',
    ]);
  });
});
