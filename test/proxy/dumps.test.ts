/** Dumps of a session's data: pg_dump, and the statements that it sends first. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type pg from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'production');
  CREATE VIEW pairs AS SELECT id, v FROM t`;

const sqlstateOf = (query: Promise<unknown>) =>
  query.then(
    () => null,
    (error: pg.DatabaseError) => error.code,
  );

suite('proxy: dumps', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());

  const connected = async (reads: 'production' | 'staged') =>
    proxied.connect(await proxied.session(reads));

  const one = async (client: pg.Client, text: string, extended = false) =>
    (await client.query({ text, rowMode: 'array', ...(extended ? { values: [] } : {}) })).rows[0];

  test('let a setting be set by its name in the catalog', async () => {
    const client = await connected('staged');
    for (const extended of [false, true]) {
      const set = (value: string, name: string) =>
        one(
          client,
          `SELECT set_config(name, '${value}', false) FROM pg_settings WHERE name = '${name}'`,
          extended,
        );
      assert.equal(await set("it''s", 'application_name'), ["it's"]);
      assert.equal(await one(client, 'SHOW application_name'), ["it's"]);
      assert.is(await set('x', 'no_such_setting'), undefined);
    }
  });

  test('set no setting in that way that the service relies on, whatever the words mean', async () => {
    const { database } = proxied;
    await database.query(`CREATE SCHEMA trap; GRANT USAGE ON SCHEMA trap TO PUBLIC;
      CREATE VIEW trap.pg_settings AS SELECT text 'default_transaction_read_only' AS name;
      CREATE FUNCTION trap.always(text, text) RETURNS bool IMMUTABLE LANGUAGE sql AS 'SELECT true';
      CREATE OPERATOR trap.= (LEFTARG = text, RIGHTARG = text, FUNCTION = trap.always)`);
    const client = await connected('staged');
    for (const text of [
      `SELECT set_config(name, 'off', false) FROM pg_settings WHERE name = 'default_transaction_read_only'`,
      `SELECT set_config(name, 'x', false) FROM pg_settings WHERE name = 'stage.session'`,
      `SELECT set_config(name, 'off', false) FROM trap.pg_settings WHERE name = 'application_name'`,
      `SELECT set_config(name, 'off', false) FROM pg_settings WHERE name OPERATOR(trap.=) 'application_name'`,
      `SELECT set_config(name, 'off', false) FROM pg_settings WHERE name <> 'application_name'`,
      `SELECT set_config(name, 'off', false) FROM pg_settings, t WHERE name = 'application_name'`,
      `SELECT set_config(name, v, false) FROM pg_settings WHERE name = 'application_name'`,
      `SELECT set_config(name, 'off', false) FROM pg_settings`,
      `WITH pg_settings AS (SELECT 'role'::text AS name) SELECT set_config(name, 'off', false) FROM pg_settings WHERE name = 'application_name'`,
    ]) {
      assert.is(await sqlstateOf(client.query(text)), '0A000', text);
    }
    await client.query('SET search_path = trap, pg_catalog');
    await client.query(
      "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name = 'application_name'",
    );
    assert.equal(await one(client, 'SHOW application_name'), ['off']);
    const { rows } = await client.query(
      "SELECT setting FROM pg_catalog.pg_settings WHERE pg_settings.name OPERATOR(pg_catalog.=) 'default_transaction_read_only'",
    );
    assert.equal(rows, [{ setting: 'on' }]);
  });

  test('lock tables as every SELECT does, and in no other mode', async () => {
    for (const reads of ['production', 'staged'] as const) {
      const client = await connected(reads);
      for (const begin of ['BEGIN', 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY']) {
        await client.query(begin);
        const { command } = await client.query(
          'LOCK TABLE public.t, ONLY pairs IN ACCESS SHARE MODE',
        );
        assert.is(command, 'LOCK');
        const held = await proxied.database.query(
          `SELECT mode FROM pg_locks WHERE relation = 'public.t'::regclass AND mode = 'AccessShareLock' AND granted`,
        );
        assert.ok(held.length > 0);
        await client.query('ROLLBACK');
      }
      const alone = client.query('LOCK TABLE t IN ACCESS SHARE MODE');
      assert.is(await sqlstateOf(alone), '25P01');
      for (const mode of ['', 'IN ROW SHARE MODE', 'IN SHARE MODE', 'IN ACCESS EXCLUSIVE MODE']) {
        assert.is(await sqlstateOf(client.query(`BEGIN; LOCK TABLE t ${mode}`)), '0A000', mode);
        await client.query('ROLLBACK');
      }
    }
  });

  test('come out of pg_dump with what is staged in them', async () => {
    const run = promisify(execFile);
    const version = await run('pg_dump', ['--version']).catch(() => ({ stdout: '0' }));
    const [server] = await proxied.database.query<{ major: number }>(
      "SELECT current_setting('server_version_num')::int / 10000 AS major",
    );
    // pg_dump refuses a newer server before it queries anything.
    const major = Number(/\d+/.exec(version.stdout)?.[0]);
    if (major < Number(server?.major)) return assert.ok(server);
    const id = await proxied.daemon.newSession({ reads: 'staged' });
    const url = proxied.daemon.clientUrl(id);
    const client = await proxied.connect(url);
    await client.query(
      "INSERT INTO t VALUES (2, 'staged'); UPDATE t SET v = 'changed' WHERE id = 1",
    );
    const { stdout } = await run('pg_dump', ['--exclude-schema=stage*', '--dbname', url]);
    assert.match(stdout, 'CREATE TABLE public.t');
    assert.match(stdout, '\n1\tchanged\n2\tstaged\n');
    assert.not.match(stdout, 'stage_overlay');
  });

  test('tell a transaction that it may write', async () => {
    const client = await connected('staged');
    const shown = (extended = false) =>
      one(client, "SELECT current_setting('transaction_read_only')", extended);
    for (const [begin, answer] of [
      ['BEGIN', 'off'],
      ['BEGIN READ ONLY', 'on'],
      ['BEGIN READ WRITE', 'off'],
    ] as const) {
      await client.query(begin);
      await client.query('SELECT count(*) FROM t');
      assert.equal([await shown(), await shown(true)], [[answer], [answer]], begin);
      await client.query('ROLLBACK');
    }
    const { fields } = await client.query(
      'SELECT pg_catalog.current_setting(\'Transaction_Read_Only\') AS "Access"',
    );
    assert.is(fields[0]?.name, 'Access');
  });
});
