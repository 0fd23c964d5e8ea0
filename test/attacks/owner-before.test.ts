/** Attempts to get more by a BEFORE trigger that runs with the rights of its function's owner than the trigger itself gives. */
import type pg from 'pg';
import { createRole, dropRoles, outcomeOf, testRole } from '../helpers/both-ways.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

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
CREATE TABLE secrets (id int PRIMARY KEY, what text); INSERT INTO secrets VALUES (1, 'the secret');
CREATE TABLE asked (id int PRIMARY KEY, who text, what text);
CREATE TABLE seen (id int PRIMARY KEY);
GRANT SELECT ON asked, seen TO ${clerk.name}, ${boss.name}, ${heir.name};
GRANT ALL ON asked TO ${boss.name}; GRANT INSERT ON asked TO ${heir.name}; GRANT UPDATE (what) ON asked TO ${heir.name};
CREATE FUNCTION clean() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.what = 'writes' THEN INSERT INTO seen VALUES (NEW.id); END IF;
  IF NEW.who = 'x' THEN NEW.who := 'cleaned'; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER a_clean BEFORE INSERT OR UPDATE ON asked FOR EACH ROW EXECUTE FUNCTION clean();
CREATE FUNCTION show() RETURNS trigger ${path} AS $$
BEGIN
  NEW.what := CASE WHEN NEW.who = 'x' OR EXISTS (SELECT FROM seen) THEN (SELECT what FROM secrets) ELSE 'nothing' END;
  RAISE NOTICE 'shows %', NEW.what;
  RETURN NEW;
END $$;
CREATE TRIGGER b_show BEFORE INSERT OR UPDATE ON asked FOR EACH ROW EXECUTE FUNCTION show();
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'tells'; RETURN NULL; END $$;
CREATE TRIGGER c_tell AFTER INSERT OR UPDATE ON asked FOR EACH ROW EXECUTE FUNCTION tell();
CREATE TYPE evil AS ENUM ('evil');
CREATE FUNCTION evil_text(evil) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'cast by %', current_user; RETURN 'cast'; END $$;
CREATE TABLE cast_rows (id int PRIMARY KEY, what text); GRANT ALL ON cast_rows TO ${boss.name};
CREATE FUNCTION cast_rows() RETURNS trigger ${path} AS $$ DECLARE r record; BEGIN SELECT NEW.id, 'evil'::evil INTO r; RETURN r; END $$;
CREATE TRIGGER cast_rows BEFORE INSERT ON cast_rows FOR EACH ROW EXECUTE FUNCTION cast_rows();
RESET ROLE`;

suite('attacks by BEFORE triggers with SECURITY DEFINER', (test) => {
  let proxied: Proxied;
  let oid: number;
  let overlays: string;
  const heard: string[] = [];
  const listening = (client: pg.Client) => {
    heard.length = 0;
    client.on('notice', ({ message = '' }) => heard.push(message));
    return client;
  };
  const connect = async (session: string, { name, password } = clerk) =>
    listening(await proxied.connect(proxied.daemon.clientUrl(session, name, password)));
  const past = async ({ name, password } = clerk) =>
    listening(await proxied.connect(proxied.database.urlFor(name, password)));
  const newSession = () => proxied.daemon.newSession({ reads: 'staged' });
  const said = async (client: pg.Client, text: string) =>
    JSON.stringify(await outcomeOf(client, text));
  /** Returns what the diff says of the triggers of a table. */
  const unstaged = async (session: string, table = 'asked') => {
    const { body } = await proxied.daemon.call('GET', `/sessions/${session}/diff`);
    return body.tables[table].triggers.map((each: { unstaged: string | null }) => each.unstaged);
  };
  const beyond = `runs with its owner's rights, and the session has rows of asked that the client could not write`;
  test.before(async () => {
    proxied = await startProxied('SELECT 1');
    const { query } = proxied.database;
    await query(roles.map((role) => createRole(role)).join(''));
    await query(schema);
    const [row] = await query<{ oid: number; schema: number }>(
      `SELECT 'asked'::regclass::oid, 'public'::regnamespace::oid AS schema`,
    );
    oid = Number(row?.oid);
    overlays = `stage_overlay_${row?.schema}`;
  });
  test.after(async () => {
    await dropRoles(proxied, roles);
    await proxied.stop();
  });

  test('it fires for those who may write', async () => {
    const session = await newSession();
    const client = await connect(session, boss);
    await client.query(`INSERT INTO asked VALUES (1, 'y'), (2, 'x')`);
    assert.equal(heard, ['shows nothing', 'shows nothing', 'tells', 'tells']);
    assert.equal(await unstaged(session), [null, null, null]);
    assert.match(await said(client, 'SELECT * FROM secrets'), /42501/);
  });

  test('it fires for no role that could not write, nor do those beside and behind it', async () => {
    for (const change of [
      `INSERT INTO asked VALUES (3, 'x', 'given')`,
      `INSERT INTO asked VALUES (3, 'x', 'given') ON CONFLICT DO NOTHING`,
      `INSERT INTO asked VALUES (3, 'x', 'given') ON CONFLICT (id) DO UPDATE SET who = 'x'`,
      `MERGE INTO asked a USING (VALUES (3, 'x', 'given')) v(id, who, what) ON a.id = v.id WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.who, v.what)`,
      `DO $$ BEGIN INSERT INTO asked VALUES (3, 'x', 'given'); END $$`,
    ]) {
      const session = await newSession();
      const client = await connect(session);
      await client.query(change);
      assert.equal(heard, [], change);
      const { rows } = await client.query('SELECT * FROM asked');
      assert.equal(rows, [{ id: 3, who: 'x', what: 'given' }], change);
      const withShow = `fires together with b_show, which ${beyond}`;
      assert.equal(await unstaged(session), [withShow, beyond, withShow], change);
      // it does not fire for others in this session either
      const other = await connect(session, boss);
      await other.query(`UPDATE asked SET who = 'x' WHERE id = 3`);
      assert.equal(heard, [], change);
    }
  });

  test('a right to some columns is not enough', async () => {
    const client = await connect(await newSession(), heir);
    await client.query(`INSERT INTO asked VALUES (4, 'x')`);
    assert.equal(heard.splice(0), ['shows nothing', 'tells']);
    await client.query(`UPDATE asked SET what = 'x'`);
    assert.equal(heard, []);
  });

  test('what a trigger before it stages without the right ends the statement', async () => {
    const client = await connect(await newSession(), boss);
    const answer = await said(client, `INSERT INTO asked VALUES (5, 'y', 'writes')`);
    assert.match(answer, /0A000.*cannot stage what triggers of \\"asked\\" do with their owners/);
    assert.equal(heard, []);
  });

  test('no cast of a user runs with the rights of the service', async () => {
    const client = await connect(await newSession(), boss);
    const { query } = proxied.database;
    await client.query(`INSERT INTO cast_rows VALUES (1, 'given')`);
    // with it from the beginning, no trigger of the database would fire
    await query('CREATE CAST (evil AS text) WITH FUNCTION evil_text AS ASSIGNMENT');
    await client.query(`INSERT INTO cast_rows VALUES (2, 'given')`);
    assert.equal(heard, []);
    await query('DROP CAST (evil AS text)');
  });

  test('past the proxy nobody calls or attaches its parts', async () => {
    const session = await newSession();
    await (await connect(session, boss)).query(`INSERT INTO asked VALUES (6, 'y')`);
    for (const role of [clerk, boss]) {
      const client = await past(role);
      await client.query(`SET stage.session = '${session.slice(5)}'`);
      await client.query('CREATE TEMPORARY TABLE mine (id int, who text, what text)');
      for (const [text, answer] of [
        [`SELECT ${overlays}.definer_${oid}_2(ROW(7, 'x', ''), NULL, 'INSERT')`, /42501.*definer_/],
        [`SELECT stage_data.fire_insert_${oid}_2(ROW(7, 'x', ''), NULL, '(7,x,)')`, /42501/],
        ...[`stage_data.fired_insert_${oid}_2`, 'stage.decide_firing'].map(
          (name) =>
            [
              `CREATE TRIGGER t BEFORE INSERT ON mine FOR EACH ROW EXECUTE FUNCTION ${name}('${oid}')`,
              /42501.*permission denied for/,
            ] as const,
        ),
        [`SELECT stage.demand_firing(${oid})`, /42501.*function demand_firing/],
      ] as const)
        assert.match(await said(client, text), answer, text);
    }
    assert.equal(heard, []);
  });

  test('past the proxy no setting of a client is the row for which it fires', async () => {
    const session = await newSession();
    await (await connect(session, boss)).query(`INSERT INTO asked VALUES (8, 'y')`);
    const forged = [
      [`stage.run_${oid}`, '(9,x,)'],
      [`stage.made_${oid}`, '='],
      [`stage.unfired_${oid}`, ''],
    ] as const;
    const set = (names: readonly (readonly [string, string])[]) =>
      names.map(([name, value]) => `set_config('${name}', '${value}', true)`).join(' || ');
    for (const role of [boss, clerk])
      for (const names of [forged, forged.slice(0, 2), [forged[0], forged[2]], [forged[2]]]) {
        const client = await past(role);
        await client.query(`SET stage.session = '${session.slice(5)}'`);
        await client.query('BEGIN');
        await client.query(
          `SELECT stage.begin_statement('', '[]', '[]', '{}', current_setting('search_path'))`,
        );
        await client.query(`SELECT ${set(names as typeof forged)}`);
        await said(
          client,
          `INSERT INTO ${overlays}.asked SELECT 9, 'y', ${set(names as typeof forged)}`,
        );
        await client.query('ROLLBACK');
        assert.not.match(heard.join(), role === clerk ? /shows/ : /secret/);
      }
  });
});
