/** Attempts to get more by the copy of a function with SECURITY DEFINER than the function itself gives. */
import { assert, rejects, suite } from '../helpers/suite.ts';
import { b, connectWire, e, exchange, p, s } from '../helpers/wire-script.ts';
import { definerFrame } from './definer-frame.ts';
import { boss, clerk, heir, kin, owner } from './definer-schema.ts';

const functions = [
  ...['by_table', 'by_view', 'by_function', 'by_definer', 'in_sql', 'declared', 'by_update'],
  'by_trigger',
];

suite('attacks by functions with SECURITY DEFINER', (test) => {
  const { proxied, connect, newSession, said, copyOf } = definerFrame(test);

  test('rows that a role could not write decide nothing', async () => {
    for (const change of [
      `INSERT INTO admins VALUES ('${clerk.name}')`,
      `INSERT INTO admins VALUES ('${clerk.name}') ON CONFLICT DO NOTHING`,
      `DO $$ BEGIN INSERT INTO admins VALUES ('${clerk.name}'); END $$`,
      `MERGE INTO admins a USING (VALUES ('${clerk.name}')) v(who) ON a.who = v.who WHEN NOT MATCHED THEN INSERT VALUES (v.who, 1)`,
    ]) {
      const client = await connect(await newSession());
      for (const name of functions)
        assert.match(
          await said(client, `SELECT ${name}()`),
          /42501|\[null\]|\[\\"x\\"\]|"rows":\[\]/,
        );
      await client.query(change);
      const notices: string[] = [];
      client.on('notice', ({ message = '' }) => notices.push(message));
      for (const name of functions) {
        const outcome = await said(client, `SELECT ${name}()`);
        assert.match(outcome, /0A000.*the client could not write/, `${change}: ${name}`);
        assert.not.match(outcome + notices.join(), /the secret/);
      }
    }
  });

  test('a role with rights to some columns does not choose rows past the proxy', async () => {
    const session = await newSession();
    await (await connect(session, boss)).query(`INSERT INTO admins VALUES ('${heir.name}', 0)`);
    const client = await connect(session, heir);
    await client.query(`UPDATE admins SET level = 7 WHERE who = '${heir.name}'`);
    assert.match(await said(client, 'SELECT by_view()'), /the client could not write/);
  });

  test('what a role may write counts, and what another one may write', async () => {
    const session = await newSession();
    const client = await connect(session);
    await (await connect(session, boss)).query(`INSERT INTO admins VALUES ('${clerk.name}')`);
    for (const name of functions.filter((each) => each !== 'by_trigger'))
      assert.match(await said(client, `SELECT ${name}()`), /the secret/, name);
  });

  test('a row that a trigger of production would refuse decides nothing', async () => {
    const session = await newSession();
    const client = await connect(session);
    await (await connect(session, boss)).query(`INSERT INTO guarded VALUES ('${clerk.name}')`);
    assert.match(await said(client, 'SELECT by_guarded()'), /the client could not write/);
  });

  test('rows of two connections are kept apart', async () => {
    const session = await newSession();
    const [first, second] = [await connect(session), await connect(session)];
    await first.query('BEGIN');
    assert.match(await said(first, 'SELECT by_table()'), /not allowed/);
    await first.query('ROLLBACK; BEGIN');
    await first.query('SELECT moving(1)');
    await second.query('SET lock_timeout = 200');
    const change = `INSERT INTO admins VALUES ('${clerk.name}')`;
    assert.is((await rejects(second.query(change))).code, '55P03');
    await first.query('COMMIT');
    await second.query('BEGIN');
    await second.query(change);
    await first.query('SET lock_timeout = 200');
    assert.is((await rejects(first.query('SELECT by_table()'))).code, '55P03');
    await second.query('ROLLBACK');
  });

  test('a copy is called by those who may call its function, past the proxy, too', async () => {
    const session = await newSession();
    assert.match(await said(await connect(session, boss), 'SELECT withheld()'), /the secret/);
    assert.match(await said(await connect(session), 'SELECT withheld()'), /42501/);
    const client = await proxied().connect(proxied().database.urlFor(clerk.name, clerk.password));
    await client.query(`SET stage.session = '${session.slice(5)}'`);
    await client.query(`SET stage.by_right = 'on'`);
    const copy = await copyOf('withheld');
    assert.match(await said(client, `SELECT ${copy}()`), /42501/);
    await proxied().database.query(`GRANT EXECUTE ON FUNCTION withheld() TO ${clerk.name}`);
    assert.match(await said(client, `SELECT ${copy}()`), /42501/);
    assert.match(await said(await connect(session), 'SELECT withheld()'), /the secret/);
    const renewed = await copyOf('withheld');
    await proxied().database.query(`REVOKE EXECUTE ON FUNCTION withheld() FROM ${clerk.name}`);
    assert.match(await said(client, `SELECT ${renewed}()`), /ST001/);
    assert.match(await said(await connect(session), `SELECT ${renewed}()`), /error/);
  });

  test('a role past the proxy stages no row as one that it may write', async () => {
    const session = await newSession();
    await said(await connect(session), 'SELECT by_table()');
    const copy = await copyOf('by_table');
    const client = await proxied().connect(proxied().database.urlFor(clerk.name, clerk.password));
    const [row] = await proxied().database.query<{ oid: number }>(
      `SELECT 'public'::regnamespace::oid`,
    );
    await client.query(`SET stage.session = '${session.slice(5)}'`);
    for (const [name, value] of [
      ['by_right', 'on'],
      ['origin', 'trigger'],
      ['called', 'on'],
    ])
      await client.query(`SET stage.${name} = '${value}'`);
    await client.query('BEGIN');
    await client.query(`SELECT stage.begin_statement('', '[]', '[]', '{}', stage.name_context())`);
    await client.query(`SET LOCAL stage.by_right = 'on'`);
    await client.query(`INSERT INTO stage_overlay_${row?.oid}.admins VALUES ('${clerk.name}')`);
    assert.match(await said(client, `SELECT ${copy}()`), /the client could not write/);
    await client.query('ROLLBACK');
    assert.is(
      (await rejects(client.query(`SELECT stage.note_tables('${session.slice(5)}', '{}', true)`)))
        .code,
      '42501',
    );
  });

  test('a function that changes between Parse and Execute', async () => {
    const wire = await connectWire(
      proxied().daemon.clientUrl(await newSession(), clerk.name, clerk.password),
    );
    const bound = [b(['1'], 'f'), e(), s];
    const answers: string[] = [];
    const change = (text: string) => proxied().database.query(`ALTER FUNCTION moving(int) ${text}`);
    try {
      const send = async (messages: readonly Buffer[]) => {
        answers.push((await exchange(wire, ...messages)).join('\n'));
      };
      await send([p('SELECT moving($1)', 'f', [23]), s]);
      await send(bound);
      await change(`OWNER TO ${heir.name}`);
      await send(bound);
      await change('SECURITY INVOKER');
      await send(bound);
      await change('SECURITY DEFINER');
      await proxied().database.query(`REVOKE INSERT ON asked FROM ${heir.name}`);
      await send(bound);
    } finally {
      wire.close();
      await proxied().database.query(`ALTER FUNCTION moving(int) OWNER TO ${owner.name}`);
    }
    const [, first, second, third, fourth] = answers;
    assert.match(String(first), new RegExp(`1${owner.name}`));
    assert.match(String(second), new RegExp(`1${heir.name}`));
    assert.match(String(third), /C=42501/);
    assert.match(String(fourth), /C=42501/);
  });

  test('an owner replaces no copy', async () => {
    await said(await connect(await newSession()), 'SELECT by_table()');
    const client = await proxied().connect(proxied().database.urlFor(owner.name, owner.password));
    const copy = await copyOf('by_table');
    const text = `CREATE OR REPLACE FUNCTION ${copy}() RETURNS text LANGUAGE sql AS 'SELECT NULL::text'`;
    assert.is((await rejects(client.query(text))).code, '42501');
  });

  test('rights that the service must not give', async () => {
    const client = await connect(await newSession());
    for (const name of ['of_superuser', 'of_service'])
      assert.match(await said(client, `SELECT ${name}()`), /25006/, name);
    assert.match(await said(client, 'SELECT with_path()'), /the secret/);
    assert.match(
      await said(client, 'DO $$ BEGIN PERFORM of_service(); END $$'),
      /runs with its owner's rights, which are those of the service/,
    );
  });

  test('functions that only read count what the client may write', async () => {
    const session = await newSession();
    const client = await connect(session, boss);
    await client.query(`INSERT INTO admins VALUES ('${clerk.name}')`);
    assert.match(await said(client, 'SELECT count_admins()'), /\[\\"1\\"\]/);
    assert.match(await said(client, 'SELECT counts()'), /\[\\"11\\"\]/);
    assert.match(await said(client, 'INSERT INTO hooked VALUES (1, 7) RETURNING n'), /\[\\"7\\"\]/);
  });

  test('policies that apply to an owner by now', async () => {
    const client = await connect(await newSession(), boss);
    assert.match(await said(client, 'SELECT past_policies(1)'), /\[1\]/);
    await proxied().database.query(`REVOKE ${owner.name} FROM ${kin.name}`);
    assert.match(await said(client, 'SELECT past_policies(2)'), /0A000.*has policies/);
  });

  test('default privileges give nobody a copy', async () => {
    const client = await connect(await newSession(), boss);
    await proxied().database.query(
      `ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO ${clerk.name}`,
    );
    await proxied().database.query(`ALTER FUNCTION withheld() COST 99`);
    assert.match(await said(client, 'SELECT withheld()'), /25006/);
    await proxied().database.query(
      `ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM ${clerk.name}`,
    );
  });

  test('names in schemas of the client are found as they are directly', async () => {
    const client = await connect(await newSession());
    await proxied().database.query(`CREATE SCHEMA evil AUTHORIZATION ${clerk.name};
      CREATE TABLE evil.secrets (id int PRIMARY KEY, what text); ALTER TABLE evil.secrets OWNER TO ${clerk.name};
      CREATE FUNCTION evil.min(text) RETURNS text LANGUAGE sql AS 'SELECT $1'; ALTER FUNCTION evil.min(text) OWNER TO ${clerk.name}`);
    await client.query('SET search_path = evil, public');
    // the owner may not use the schema
    assert.match(await said(client, 'SELECT without_path()'), /42501|25006|the secret/);
    await proxied().database.query(`GRANT USAGE ON SCHEMA evil TO ${owner.name}`);
    assert.match(await said(client, 'SELECT without_path()'), /42501|25006/);
  });

  test('a body in BEGIN ATOMIC calls what it is bound to', async () => {
    const session = await newSession();
    const client = await connect(session, boss);
    await client.query(`INSERT INTO admins VALUES ('${heir.name}')`);
    await proxied().database.query(`CREATE SCHEMA near AUTHORIZATION ${boss.name};
      CREATE FUNCTION near.array_length(text[], int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'heard %', $1; END $$;
      GRANT USAGE ON SCHEMA near TO PUBLIC`);
    await client.query('SET search_path = pg_catalog, near, public');
    assert.match(await said(client, 'SELECT bound()'), /"\[1\]"/);
    const copies = `SELECT FROM pg_proc WHERE proname = 'bound' AND pronamespace::regnamespace::text ~ '^stage_function_'`;
    assert.is((await proxied().database.query(copies)).length, 1);
    await client.query('SET search_path = public');
    assert.match(await said(client, 'SELECT bound_with_text()'), /the secret/);
    assert.match(
      await said(client, 'DO $$ BEGIN PERFORM bound_with_text(); DELETE FROM admins; END $$'),
      /calls functions with no search_path of their own/,
    );
  });
});
