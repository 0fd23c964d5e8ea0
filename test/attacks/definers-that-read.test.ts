/** Attempts to change by staged rows what functions with SECURITY DEFINER show that only read. */
import type pg from 'pg';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { b, connectWire, e, exchange, p, s } from '../helpers/wire-script.ts';
import { definerFrame } from './definer-frame.ts';
import { boss, chief, clerk, heir, owner } from './definer-schema.ts';

const path = 'SECURITY DEFINER SET search_path = public, pg_temp';
const mine = `SELECT EXISTS (SELECT FROM admins WHERE who = session_user)`;
const readers = `
SET ROLE ${owner.name};
CREATE FUNCTION shown() RETURNS text LANGUAGE sql ${path} AS $$ SELECT min(what) FROM secrets WHERE (${mine}) $$;
CREATE FUNCTION shown_by_view() RETURNS text LANGUAGE plpgsql STABLE ${path} AS $$
BEGIN RETURN (SELECT min(what) FROM secrets WHERE EXISTS (SELECT FROM chiefs WHERE who = session_user)); END $$;
CREATE FUNCTION shown_by_function() RETURNS text LANGUAGE sql STABLE ${path} AS 'SELECT min(what) FROM secrets WHERE is_admin()';
CREATE FUNCTION shown_by_guarded() RETURNS text LANGUAGE sql ${path} AS
  'SELECT min(what) FROM secrets WHERE EXISTS (SELECT FROM guarded WHERE who = session_user)';
CREATE FUNCTION asks() RETURNS text LANGUAGE sql STABLE AS 'SELECT concat(shown(), (SELECT count(*) FROM admins))';
CREATE FUNCTION asks_only() RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN asks(); END';
CREATE FUNCTION withheld_reader() RETURNS text LANGUAGE sql ${path} AS 'SELECT min(what) FROM secrets WHERE EXISTS (SELECT FROM admins)';
REVOKE ALL ON FUNCTION withheld_reader() FROM PUBLIC; GRANT EXECUTE ON FUNCTION withheld_reader() TO ${boss.name};
CREATE FUNCTION asks_withheld() RETURNS text LANGUAGE sql STABLE AS 'SELECT concat(withheld_reader(), (SELECT count(*) FROM admins))';
CREATE FUNCTION free_reader() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT min(what) FROM secrets WHERE EXISTS (SELECT FROM admins)';
CREATE FUNCTION replaced_reader() RETURNS bigint LANGUAGE sql STABLE ${path} AS 'SELECT count(*) FROM admins';
CREATE TABLE jobs (id int PRIMARY KEY, n int); INSERT INTO jobs VALUES (1, 0);
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs TO ${clerk.name};
RESET ROLE;
CREATE FUNCTION superuser_reader() RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT min(what) FROM secrets WHERE EXISTS (SELECT FROM admins)';
ALTER FUNCTION superuser_reader() OWNER TO ${chief.name};
`;
const direct = ['shown', 'shown_by_view', 'shown_by_function'];

suite('attacks by functions with SECURITY DEFINER that only read', (test) => {
  const { proxied, connect, newSession, said, copyOf } = definerFrame(test, readers);
  const insert = `INSERT INTO admins VALUES ('${clerk.name}')`;

  test('rows that a role could not write decide nothing, and production is read', async () => {
    for (const change of [insert, `DO $$ BEGIN ${insert}; END $$`]) {
      const client = await connect(await newSession());
      const readAll = async (own: number) => {
        for (const name of direct)
          assert.match(await said(client, `SELECT ${name}()`), /\[null\]/, name);
        for (const name of ['asks', 'asks_only'])
          assert.match(
            await said(client, `SELECT ${name}()`),
            new RegExp(`\\[\\\\"${own}\\\\"\\]`),
          );
      };
      await readAll(0);
      await client.query(change);
      // what runs with the rights of the client shows the row
      await readAll(1);
      assert.match(
        await said(client, 'UPDATE jobs SET n = 1 WHERE shown() IS NOT NULL'),
        /shown\(\) cannot be run in a staged session/,
      );
      assert.match(
        await said(client, 'UPDATE jobs SET n = 1 WHERE shown_by_view() IS NOT NULL'),
        /UPDATE 0/,
      );
      assert.match(await said(client, 'UPDATE jobs SET n = length(asks()) RETURNING n'), /\[1\]/);
    }
  });

  test('what a role may write counts, and what another one may write', async () => {
    const session = await newSession();
    const client = await connect(session);
    await (await connect(session, boss)).query(insert);
    for (const name of direct)
      assert.match(await said(client, `SELECT ${name}()`), /the secret/, name);
    for (const name of ['asks', 'asks_only'])
      assert.match(await said(client, `SELECT ${name}()`), /the secret1/, name);
    const count = await said(client, `UPDATE jobs SET n = 1 WHERE shown_by_view() IS NOT NULL`);
    assert.match(count, /UPDATE 1/);
  });

  test('rows of a role with rights to some columns, and those that a trigger would refuse', async () => {
    const session = await newSession();
    await (await connect(session, boss)).query(`INSERT INTO admins VALUES ('${heir.name}', 0)`);
    const client = await connect(session, heir);
    await client.query(`UPDATE admins SET level = 7 WHERE who = '${heir.name}'`);
    assert.match(await said(client, 'SELECT shown_by_view()'), /\[null\]/);
    const other = await newSession();
    await (await connect(other, boss)).query(`INSERT INTO guarded VALUES ('${clerk.name}')`);
    assert.match(await said(await connect(other), 'SELECT shown_by_guarded()'), /\[null\]/);
  });

  test('rows that come while a statement is prepared, or a cursor open', async () => {
    const client = await connect(await newSession());
    const prepared = { name: 'r', text: 'SELECT shown_by_view() AS shown, replaced_reader() AS n' };
    assert.equal((await client.query(prepared)).rows, [{ shown: null, n: '0' }]);
    await client.query('BEGIN');
    await client.query('DECLARE c CURSOR FOR SELECT shown() FROM generate_series(1, 3)');
    await client.query(insert);
    assert.match(
      await said(client, 'FETCH 1 FROM c'),
      /\[null\]|0A000.*the client could not write/,
    );
    await client.query('ROLLBACK');
    await client.query(insert);
    assert.equal((await client.query(prepared)).rows, [{ shown: null, n: '0' }]);
  });

  test('rows that come between statements of one message', async () => {
    const session = await newSession();
    // the table has a row that counts
    await (await connect(session, boss)).query(`INSERT INTO admins VALUES ('${heir.name}')`);
    const client = await connect(session);
    const read = 'SELECT shown(), (SELECT count(*) FROM admins)';
    const answers: unknown = await client.query({
      text: `${read}; ${insert}; ${read}`,
      rowMode: 'array',
    });
    const rows = (answers as pg.QueryArrayResult[]).map((each) => each.rows);
    assert.equal(rows, [[[null, '1']], [], [[null, '2']]]);
  });

  test('rows of two connections are kept apart', async () => {
    const session = await newSession();
    const [first, second] = [await connect(session), await connect(session)];
    await first.query('BEGIN');
    assert.match(await said(first, 'SELECT shown()'), /\[null\]/);
    await second.query('SET lock_timeout = 200');
    assert.is((await rejects(second.query(insert))).code, '55P03');
    await first.query('COMMIT');
    await second.query('BEGIN');
    await second.query(insert);
    await first.query('SET lock_timeout = 200');
    assert.is((await rejects(first.query('SELECT shown()'))).code, '55P03');
    await second.query('COMMIT');
    assert.match(await said(first, 'SELECT shown()'), /\[null\]/);
  });

  test('a copy is called by those who may call its function, past the proxy, too', async () => {
    const session = await newSession();
    await (await connect(session, boss)).query(insert);
    const client = await connect(session);
    for (const name of ['withheld_reader', 'asks_withheld']) {
      assert.match(await said(await connect(session, boss), `SELECT ${name}()`), /the secret/);
      assert.match(await said(client, `SELECT ${name}()`), /42501/);
    }
    const past = await proxied().connect(proxied().database.urlFor(clerk.name, clerk.password));
    await past.query(`SET stage.session = '${session.slice(5)}'`);
    assert.match(await said(past, `SELECT ${await copyOf('withheld_reader')}()`), /42501/);
    assert.match(await said(past, `SELECT ${await copyOf('asks_withheld')}()`), /42501/);
  });

  test('a copy past the proxy shows nothing by rows that a role could not write', async () => {
    const session = await newSession();
    const client = await connect(session);
    await client.query('SELECT shown()');
    const copy = await copyOf('shown');
    await client.query(insert);
    const past = await proxied().connect(proxied().database.urlFor(clerk.name, clerk.password));
    await past.query(`SET stage.session = '${session.slice(5)}'`);
    const [row] = await proxied().database.query<{ oid: number }>(`SELECT 'shown'::regproc::oid`);
    await past.query(`SET stage.definer_${row?.oid} = 'on'`);
    assert.match(await said(past, `SELECT ${copy}()`), /0A000.*reads.*the client could not write/);
  });

  test('a function that changes between Parse and Execute', async () => {
    const session = await newSession();
    await (await connect(session, boss)).query(insert);
    const wire = await connectWire(proxied().daemon.clientUrl(session, clerk.name, clerk.password));
    const answers: string[] = [];
    const change = (text: string) => proxied().database.query(text);
    const send = async (...messages: readonly Buffer[]) => {
      answers.push((await exchange(wire, ...messages)).join('\n'));
    };
    try {
      await send(p('SELECT replaced_reader()', 'f'), s);
      await send(b([], 'f'), e(), s);
      await change('ALTER FUNCTION replaced_reader() SECURITY INVOKER');
      await change(`REVOKE SELECT ON admins FROM ${clerk.name}`);
      await send(b([], 'f'), e(), s);
      await change('ALTER FUNCTION replaced_reader() SECURITY DEFINER');
      await send(b([], 'f'), e(), s);
      await change('REVOKE EXECUTE ON FUNCTION replaced_reader() FROM PUBLIC');
      await send(b([], 'f'), e(), s);
    } finally {
      wire.close();
      await change(`GRANT SELECT ON admins TO ${clerk.name}`);
    }
    const [, first, second, third, fourth] = answers;
    assert.match(String(first), /D .*1/);
    assert.match(String(second), /C=42501/);
    assert.match(String(third), /D .*1/);
    assert.match(String(fourth), /C=42501/);
  });

  test('names in schemas of the client are found as they are directly', async () => {
    const session = await newSession();
    await (await connect(session, boss)).query(insert);
    const client = await connect(session);
    await proxied().database.query(`CREATE SCHEMA evil AUTHORIZATION ${clerk.name};
      CREATE TABLE evil.admins (who text PRIMARY KEY); ALTER TABLE evil.admins OWNER TO ${clerk.name}`);
    const direct = await proxied().connect(proxied().database.urlFor(clerk.name, clerk.password));
    for (const each of [client, direct]) await each.query('SET search_path = evil, public');
    await client.query(`INSERT INTO evil.admins VALUES ('x')`);
    // the owner may not use the schema: production reads its own table, which is empty
    const text = 'SELECT free_reader()';
    assert.match(await said(client, text), /\[null\]/);
    assert.match(await said(direct, text), /\[null\]/);
    assert.match(await said(client, 'SELECT superuser_reader()'), /\[null\]/);
  });
});
