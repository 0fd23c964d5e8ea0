/**
 * dblink opens its own connections, beyond the transactions of the proxy. It is refused to everybody by name. Inside a function of a user
 * it is that user's connection, as SECURITY.md states, and `stage doctor` names who may call it.
 */
import pg from 'pg';
import { examine } from '../../src/daemon/doctor/examine.ts';
import { createDatabase } from '../../src/db/database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import type { AttackedDatabase, AttackerRole } from './attacked-database.ts';
import { startAttacked } from './attacked-database.ts';
import { fingerprint } from './fingerprint.ts';

const roles: readonly AttackerRole[] = ['superuser', 'owner', 'reader'];

/** Returns functions around a call that writes over another connection. */
const functions = (call: string) => `CREATE EXTENSION dblink;
CREATE FUNCTION far() RETURNS int LANGUAGE plpgsql AS $$BEGIN PERFORM ${call}; RETURN 1; END$$;
CREATE FUNCTION far_definer() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT public.far()';
CREATE FUNCTION far_stable() RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN public.far(); END';`;

/** Returns every function of the extension, and calls in places where a name is hard to see. */
const byName = (call: string, others: readonly string[]) => [
  `SELECT ${call}`,
  `SELECT public.${call}`,
  `SELECT "dblink_exec"${call.slice('dblink_exec'.length)}`,
  `SELECT U&"dblink\\005fexec"${call.slice('dblink_exec'.length)}`,
  `WITH x AS MATERIALIZED (SELECT ${call}) TABLE x`,
  `SELECT 1 WHERE (SELECT ${call}) IS NULL`,
  `UPDATE item SET name = ${call}`,
  `INSERT INTO item VALUES (77, ${call})`,
  `MERGE INTO item USING (SELECT ${call} AS x) s ON false WHEN NOT MATCHED THEN INSERT VALUES (77, s.x)`,
  `PREPARE far AS SELECT ${call}`,
  `EXPLAIN ANALYZE SELECT ${call}`,
  `COPY (SELECT ${call}) TO STDOUT`,
  `DECLARE far CURSOR FOR SELECT ${call}`,
  ...others,
];

suite('dblink', (test) => {
  let attacked: AttackedDatabase;
  let before: string[];
  let call: string;
  let others: string[];
  const clients: pg.Client[] = [];
  test.before(async () => {
    attacked = await startAttacked();
    const { database } = attacked;
    const { host, port, name, user, password } = database;
    const login = `host=${host} port=${port} dbname=${name} user=${user} password=${password || 'none'}`;
    call = `dblink_exec('${login}', 'INSERT INTO public.victim VALUES (77)')`;
    await database.query(functions(call));
    others = (
      await database.query<{ name: string; types: string[] }>(
        `SELECT p.proname AS name, p.proargtypes::regtype[]::text[] AS types FROM pg_proc p
         JOIN pg_depend d ON d.objid = p.oid AND d.refclassid = 'pg_extension'::regclass
         JOIN pg_extension e ON e.oid = d.refobjid WHERE e.extname = 'dblink' AND p.proname <> 'dblink_fdw_validator'`,
      )
    ).map(
      ({ name, types }) => `SELECT ${name}(${types.map((type) => `NULL::${type}`).join(', ')})`,
    );
    before = await fingerprint(database);
  });
  test.after(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await attacked.stop();
  });

  const connect = async (role: AttackerRole) => {
    const client = new pg.Client({ connectionString: await attacked.session(role, 'production') });
    await client.connect();
    clients.push(client);
    return client;
  };

  for (const role of roles) {
    test(`is refused by name to the ${role}`, async () => {
      const client = await connect(role);
      assert.ok(others.length > 25);
      for (const statement of byName(call, others)) {
        assert.is((await rejects(client.query(statement))).code, '0A000', statement);
        assert.is((await rejects(client.query({ text: statement, name: '' }))).code, '0A000');
      }
      assert.equal(await fingerprint(attacked.database), before);
    });

    test(`is refused in volatile functions of staged writes to the ${role}`, async () => {
      const client = await connect(role);
      for (const name of ['far', 'far_definer']) {
        const refused = await rejects(client.query(`UPDATE item SET price = ${name}()`));
        assert.is(refused.code, '0A000', name);
        assert.match((refused as pg.DatabaseError).hint ?? '', /allow_functions/);
      }
      assert.equal(await fingerprint(attacked.database), before);
    });
  }

  test('is named by the doctor, with the functions that lend it', async () => {
    const open = () => createDatabase({ url: attacked.database.url });
    const db = open();
    const login = new URL(await attacked.session('reader', 'production'));
    const settings = { maxConnections: null, conflictIgnoreColumns: [] };
    const found = await examine({ db, open, settings }, login.username).finally(db.close);
    const about = (name: string) => found.find((finding) => finding.name === name)?.subjects ?? [];
    assert.ok(about('client_remote').includes('public.dblink_exec(text,text)'));
    assert.ok(about('client_remote').includes('public.dblink_send_query(text,text)'));
    assert.ok(about('client_definers').includes('public.far_definer()'));
  });

  test('inside a function of a user is beyond us, as SECURITY.md says', async () => {
    const reader = await connect('reader');
    await reader.query('SELECT far_definer()');
    const superuser = await connect('superuser');
    await superuser.query('UPDATE item SET price = far_stable() WHERE id = 1');
    const rows = await attacked.database.query('TABLE victim');
    assert.equal(rows, [{ id: 77 }, { id: 77 }]);
  });
});
