/** Attempts to get more by a trigger that runs with the rights of its function's owner than the trigger itself gives. */
import type pg from 'pg';
import { createRole, dropRoles, outcomeOf, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const [clerk, boss, owner, heir] = [
  testRole('clerk'),
  testRole('boss'),
  testRole('owner'),
  testRole('heir'),
];
const roles = [clerk, boss, owner, heir];
const path = 'LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp';
const schema = `
GRANT CREATE ON SCHEMA public TO ${owner.name};
SET ROLE ${owner.name};
CREATE TABLE admins (who text PRIMARY KEY, level int DEFAULT 1);
CREATE TABLE secrets (id int PRIMARY KEY, what text); INSERT INTO secrets VALUES (1, 'the secret');
CREATE TABLE shown (id int PRIMARY KEY, what text);
CREATE TABLE asked (id int PRIMARY KEY, who text DEFAULT session_user);
CREATE TABLE lines (id int PRIMARY KEY, asked int REFERENCES asked ON DELETE CASCADE);
GRANT SELECT ON shown, admins, asked, lines TO ${clerk.name}, ${boss.name}, ${heir.name};
GRANT INSERT, DELETE ON asked, lines TO ${boss.name}, ${heir.name}; GRANT UPDATE (who) ON asked TO ${heir.name}; GRANT UPDATE ON asked TO ${boss.name};
GRANT SELECT, INSERT, UPDATE, DELETE ON admins TO ${boss.name};
CREATE FUNCTION show() RETURNS trigger ${path} AS $$
BEGIN
  IF NEW.who = 'x' OR EXISTS (SELECT FROM admins WHERE who = NEW.who) THEN
    RAISE NOTICE 'shown';
    INSERT INTO shown SELECT NEW.id, what FROM secrets;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER show AFTER INSERT OR UPDATE ON asked FOR EACH ROW EXECUTE FUNCTION show();
CREATE FUNCTION refuse() RETURNS trigger ${path} AS $$ BEGIN IF EXISTS (SELECT FROM admins) THEN RAISE EXCEPTION 'no'; END IF; RETURN NULL; END $$;
CREATE TABLE guarded (who text PRIMARY KEY); GRANT SELECT, INSERT ON guarded TO ${boss.name}, ${heir.name};
CREATE TRIGGER refuse AFTER INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TABLE shelf (id int PRIMARY KEY); GRANT SELECT, INSERT ON shelf TO ${heir.name};
CREATE FUNCTION by_guarded() RETURNS trigger ${path} AS $$ BEGIN INSERT INTO shown SELECT NEW.id, what FROM secrets WHERE EXISTS (SELECT FROM guarded); RETURN NULL; END $$;
CREATE TRIGGER by_guarded AFTER INSERT ON shelf FOR EACH ROW EXECUTE FUNCTION by_guarded();
CREATE FUNCTION show_line() RETURNS trigger ${path} AS $$ BEGIN INSERT INTO shown SELECT OLD.id, what FROM secrets; RETURN NULL; END $$;
CREATE TRIGGER show_line AFTER DELETE ON lines FOR EACH ROW EXECUTE FUNCTION show_line();
RESET ROLE`;

suite('attacks by triggers with SECURITY DEFINER', (test) => {
  let proxied: Proxied;
  let overlays: string;
  const connect = async (session: string, { name, password } = clerk) =>
    proxied.connect(proxied.daemon.clientUrl(session, name, password));
  const past = ({ name, password } = clerk) =>
    proxied.connect(proxied.database.urlFor(name, password));
  const newSession = () => proxied.daemon.newSession({ reads: 'staged' });
  const said = async (client: pg.Client, text: string) =>
    JSON.stringify(await outcomeOf(client, text));
  const shown = async (client: pg.Client) =>
    (await client.query('SELECT id FROM shown ORDER BY id')).rows.map(({ id }) => id);
  /** Returns what the diff says of the trigger of a table. */
  const unstaged = async (session: string, table: string) => {
    const { body } = await proxied.daemon.call('GET', `/sessions/${session}/diff`);
    return body.tables[table].triggers[0].unstaged as string | null;
  };
  const beyond = (table: string) =>
    `runs with its owner's rights, and the session has rows of ${table} that the client could not write`;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    await proxied.database.query(roles.map((role) => createRole(role)).join(''));
    await proxied.database.query(schema);
    const [row] = await proxied.database.query<{ oid: number }>(
      `SELECT 'public'::regnamespace::oid`,
    );
    overlays = `stage_overlay_${row?.oid}`;
  });
  test.after(async () => {
    await dropRoles(proxied, roles);
    await proxied.stop();
  });
  /** Returns the signature of a copy, which a direct connection could call. */
  const copyOf = async (table: string) => {
    const [row] = await proxied.database.query<{ copy: string; oid: number }>(
      `SELECT oid::regprocedure::text AS copy FROM pg_proc WHERE pronamespace = '${overlays}'::regnamespace AND proname = concat('definer_', '${table}'::regclass::oid, '_1')`,
    );
    return String(row?.copy);
  };

  test('it fires for those who may write, with what they may not', async () => {
    const session = await newSession();
    const client = await connect(session, boss);
    await client.query(`INSERT INTO asked VALUES (1, 'x'), (2, 'y')`);
    assert.equal(await shown(client), [1]);
    assert.match(await said(client, 'SELECT what FROM shown'), /the secret/);
    assert.match(await said(client, 'SELECT * FROM secrets'), /42501/);
    assert.is(await unstaged(session, 'asked'), null);
    assert.equal(await proxied.database.query('SELECT * FROM shown'), []);
  });

  test('it fires for no role that could not write: at the approval, as the diff says', async () => {
    for (const change of [
      `INSERT INTO asked VALUES (3, 'x')`,
      `INSERT INTO asked VALUES (3, 'x') ON CONFLICT DO NOTHING`,
      `MERGE INTO asked a USING (VALUES (3, 'x')) v(id, who) ON a.id = v.id WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.who)`,
      `DO $$ BEGIN INSERT INTO asked VALUES (3, 'x'); END $$`,
    ]) {
      const session = await newSession();
      const client = await connect(session);
      const notices: string[] = [];
      client.on('notice', ({ message = '' }) => notices.push(message));
      await client.query(change);
      assert.equal(await shown(client), [], change);
      assert.equal(notices, [], change);
      assert.is(await unstaged(session, 'asked'), beyond('asked'), change);
      // it does not fire for others in this session either
      const other = await connect(session, boss);
      await other.query(`INSERT INTO asked VALUES (4, 'x')`);
      assert.equal(await shown(other), [], change);
    }
  });

  test('a right to some columns is not enough', async () => {
    const session = await newSession();
    const client = await connect(session, heir);
    await client.query(`INSERT INTO asked VALUES (5, 'y')`);
    await client.query(`UPDATE asked SET who = 'x' WHERE id = 5`);
    assert.equal(await shown(client), []);
    assert.is(await unstaged(session, 'asked'), beyond('asked'));
  });

  test('rows that a role could not write decide nothing', async () => {
    const session = await newSession();
    await (await connect(session)).query(`INSERT INTO admins VALUES ('me')`);
    const client = await connect(session, heir);
    await client.query(`INSERT INTO asked VALUES (6, 'me'), (7, 'x')`);
    assert.equal(await shown(client), []);
    assert.is(await unstaged(session, 'asked'), beyond('admins'));
    const another = await newSession();
    await (await connect(another, boss)).query(`INSERT INTO admins VALUES ('me')`);
    const second = await connect(another, heir);
    await second.query(`INSERT INTO asked VALUES (6, 'me')`);
    assert.equal(await shown(second), [6]);
  });

  test('a row that a trigger which did not fire would refuse decides nothing', async () => {
    const session = await newSession();
    await (await connect(session)).query(`INSERT INTO admins VALUES ('me')`);
    const client = await connect(session, heir);
    // in production the trigger would refuse it
    await client.query(`INSERT INTO guarded VALUES ('me')`);
    await client.query('INSERT INTO shelf VALUES (30)');
    assert.equal(await shown(client), []);
    assert.is(await unstaged(session, 'shelf'), beyond('guarded'));
  });

  test('rows of two connections are kept apart', async () => {
    const session = await newSession();
    const [first, second] = [await connect(session, boss), await connect(session)];
    await first.query('BEGIN');
    await first.query(`INSERT INTO asked VALUES (8, 'x')`);
    await second.query('SET lock_timeout = 200');
    assert.is((await rejects(second.query(`INSERT INTO admins VALUES ('me')`))).code, '55P03');
    await first.query('ROLLBACK');
  });

  test('the action of a foreign key fires it for those who may write only', async () => {
    for (const [role, expected] of [
      [boss, [20, 21]],
      [clerk, []],
    ] as const) {
      await proxied.database.query(
        `TRUNCATE asked, lines; INSERT INTO asked VALUES (20, 'y'); INSERT INTO lines VALUES (20, 20), (21, 20)`,
      );
      const client = await connect(await newSession(), role);
      await client.query('DELETE FROM asked WHERE id = 20');
      assert.equal(await shown(client), [...expected]);
    }
    await proxied.database.query('TRUNCATE asked, lines, shown');
  });

  test('past the proxy nobody fires it for a row that was not staged', async () => {
    const session = await newSession();
    await (await connect(session, boss)).query(`INSERT INTO asked VALUES (9, 'y')`);
    const copy = await copyOf('asked');
    const [name] = copy.split('(');
    const [, oid] = /definer_(\d+)_/.exec(copy) ?? [];
    for (const role of [clerk, boss]) {
      const client = await past(role);
      await client.query(`SET stage.session = '${session.slice(5)}'`);
      for (const setting of ['by_right', 'origin', 'cause', 'mutation', `mutation_${oid}_i`])
        await client.query(`SET stage.${setting} = '${setting === 'origin' ? 'trigger' : 1}'`);
      assert.match(
        await said(client, `SELECT ${name}(ROW(10, 'x'), NULL, 'INSERT')`),
        /42501.*permission denied for function definer_/,
      );
      assert.match(
        await said(
          client,
          `SELECT ${overlays}.fire_after_insert_${oid}(ROW(10, 'x'), NULL) FROM (SELECT 1) x`,
        ),
        /42501.*permission denied for function definer_/,
      );
      await client.query('CREATE TEMPORARY TABLE mine (id int, who text)');
      assert.match(
        await said(
          client,
          `CREATE TRIGGER behind AFTER INSERT ON mine FOR EACH STATEMENT EXECUTE FUNCTION stage_data.behind_${oid}('${oid}_i', 'insert')`,
        ),
        /42501.*permission denied for schema stage_data/,
      );
    }
    assert.equal(await shown(await connect(session, boss)), []);
  });

  test('an owner makes nothing in the schema of the copy', async () => {
    await (await connect(await newSession(), boss)).query(`INSERT INTO asked VALUES (11, 'y')`);
    assert.match(await copyOf('asked'), /definer_/);
    const client = await past(owner);
    const text = `CREATE FUNCTION ${overlays}.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'`;
    assert.is((await rejects(client.query(text))).code, '42501');
  });
});
