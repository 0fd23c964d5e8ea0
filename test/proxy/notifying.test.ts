/** Triggers that notify fire while rows are staged, and notify nobody: production's triggers do at approval. */
import { createDatabase } from '../../src/db/database.ts';
import { unstagedTriggers } from '../../src/overlay/triggers/unstaged-triggers.ts';
import { approveStories } from '../helpers/alike.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRole } from '../helpers/roles.ts';
import { readStories } from '../helpers/sql-stories.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const { schema, steps } = await readStories('proxy/notifying.sql');
const calls = await readStories('proxy/notifying-calls.sql');

suite('triggers that notify', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, steps);

  test('fail for a role that may not notify', async () => {
    const { daemon, database } = proxied;
    const role = await createRole(database, 'GRANT ALL ON jobs, counts TO $role');
    await database.query('REVOKE EXECUTE ON FUNCTION pg_notify FROM PUBLIC');
    try {
      const id = await daemon.newSession();
      const client = await proxied.connect(daemon.clientUrl(id, role.name, role.name));
      const failed = await rejects(client.query(`INSERT INTO jobs VALUES (90, 'mail', 'a')`));
      assert.is(failed.message, 'permission denied for function pg_notify');
      assert.is(failed.code, '42501');
      await client.end();
    } finally {
      await database.query('GRANT EXECUTE ON FUNCTION pg_notify TO PUBLIC');
      await role.drop();
    }
  });

  test('are followed anew when a schema gets a function of the same name', async () => {
    const { daemon, database } = proxied;
    const client = await proxied.connect(daemon.clientUrl(await daemon.newSession()));
    const fires = async () => {
      const before = notices;
      await client.query('UPDATE jobs SET tries = 1 WHERE id = 3');
      return notices > before;
    };
    let notices = 0;
    client.on('notice', () => {
      notices += 1;
    });
    assert.ok(await fires());
    await database.query(
      `CREATE FUNCTION pg_notify(text, json) RETURNS void LANGUAGE plpgsql AS 'BEGIN END'`,
    );
    assert.not.ok(await fires());
    await database.query('DROP FUNCTION pg_notify(text, json)');
    assert.ok(await fires());
  });

  test('fire at approval only if that would be lost, or cannot be followed', async () => {
    const { database } = proxied;
    await database.query(`
      CREATE TRIGGER d_all AFTER INSERT OR TRUNCATE ON counts FOR EACH STATEMENT EXECUTE FUNCTION tell_all();
      CREATE TABLE upserting (id int PRIMARY KEY);
      CREATE FUNCTION upserting() RETURNS trigger LANGUAGE plpgsql AS
        $$BEGIN INSERT INTO counts VALUES ('x', 1) ON CONFLICT (queue) DO UPDATE SET n = length(pg_notify('a', 'b')::text); RETURN NULL; END$$;
      CREATE TRIGGER upserting AFTER INSERT ON upserting FOR EACH ROW EXECUTE FUNCTION upserting();`);
    const db = createDatabase({ url: database.url });
    const lines = await unstagedTriggers(db);
    await db.close();
    await database.query('DROP TRIGGER d_all ON counts; DROP TABLE upserting');
    assert.equal(lines, [
      'counts: trigger d_all notifies for TRUNCATE, which approval applies as deletions',
      'upserting: trigger upserting calls pg_notify() in a way that cannot be followed',
    ]);
  });
});

suite('triggers and functions that notify by other means', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(calls.schema);
  });
  test.after(() => proxied.stop());

  approveStories(test, () => proxied, calls.steps);

  test('notify at approval, and not before', async () => {
    const { daemon, database } = proxied;
    const listener = await proxied.connect(database.url);
    const heard: string[] = [];
    listener.on('notification', ({ channel, payload }) => heard.push(`${channel}: ${payload}`));
    await listener.query(
      'LISTEN mail; LISTEN hint; LISTEN "All Jobs"; LISTEN jobs; LISTEN late; LISTEN risks',
    );
    const id = await daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(daemon.clientUrl(id));
    await client.query(`INSERT INTO jobs VALUES (20, 'mail', 'a')`);
    await client.query(`UPDATE jobs SET payload = 'b' WHERE id = 20`);
    // its copy would have to handle errors that staging raises: it fires at approval only
    await client.query('INSERT INTO risks VALUES (1)');
    await client.end();
    await listener.query('SELECT 1');
    assert.equal(heard, []);
    for (const step of ['propose', 'approve']) {
      const { status, text } = await daemon.call('POST', `/sessions/${id}/${step}`);
      assert.is(status, 200, text);
    }
    await listener.query('SELECT 1');
    // approval applies both statements, and PostgreSQL sends equal notifications of a transaction once
    const once = ['hint: ', 'All Jobs: ', 'jobs: changed', 'jobs: 20'];
    assert.equal(heard, [
      'mail: INSERT,a',
      ...once,
      'mail: UPDATE,b',
      'risks: a',
      'late: a',
      'late: ',
    ]);
    await listener.end();
  });
});

suite('functions that notify, in a staged write', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    const told = `BEGIN PERFORM pg_notify('told', (SELECT max(id) FROM item)::text); RETURN 'told'; END`;
    proxied = await startProxied(
      `CREATE TABLE item (id int PRIMARY KEY, name text); INSERT INTO item VALUES (1, 'one');
       CREATE FUNCTION tell() RETURNS text LANGUAGE plpgsql AS $$ ${told} $$;
       CREATE FUNCTION tell_all() RETURNS text LANGUAGE plpgsql AS $$ ${told} $$`,
      { allowFunctions: ['tell'] },
    );
  });
  test.after(() => proxied.stop());

  test('are called if an operator allows it, and refused otherwise', async () => {
    const { daemon, database } = proxied;
    const listener = await proxied.connect(database.url);
    const heard: string[] = [];
    listener.on('notification', ({ payload = '' }) => heard.push(payload));
    await listener.query('LISTEN told');
    const id = await daemon.newSession({ reads: 'staged' });
    const client = await proxied.connect(daemon.clientUrl(id));
    const { rows } = await client.query('UPDATE item SET name = tell() RETURNING name');
    assert.equal(rows, [{ name: 'told' }]);
    const { code, message } = await rejects(client.query('UPDATE item SET name = tell_all()'));
    assert.is(code, '0A000');
    assert.match(message, /function public.tell_all\(\) cannot be run in a staged session/);
    await listener.query('SELECT 1');
    assert.equal(heard, ['1']);
  });
});
