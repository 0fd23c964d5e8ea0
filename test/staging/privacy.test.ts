/** The staged rows and sessions that a role past the proxy can see and change, with and without the right to read. */
import type pg from 'pg';
import type { StageError } from '../../src/errors.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `CREATE TABLE item (id int PRIMARY KEY, code text NOT NULL UNIQUE, n int NOT NULL DEFAULT 1)`;
const data = `INSERT INTO item SELECT g, g::text FROM generate_series(1, 5) g`;
const secret = 'known to one session only';

/** The tables that list the stand-ins and their origins. */
const registries = [
  // numbers of the database and of the server, which are public
  'stage.identity',
  'stage.overlay',
  // the tables of the caller's own session
  'stage.own_table',
  'stage.staged_function',
  'stage.staged_view',
  'stage.tree',
];

suite('privacy of sessions', (test) => {
  let staging: StagingDatabase;
  let reader: TestRole;
  let stranger: TestRole;
  let overlay: string;
  let upsert: string;
  let foreign: string;
  let own: string;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
    const [row] = await staging.database.query<{ oid: number }>(
      `SELECT 'public'::regnamespace::oid`,
    );
    overlay = `stage_overlay_${row?.oid}.item`;
    upsert = `stage_upsert_${row?.oid}`;
    reader = await createRole(staging.database, 'GRANT SELECT ON item TO $role');
    stranger = await createRole(staging.database);
    foreign = await staging.open();
    own = await staging.open();
    await staging.stage(foreign, `INSERT INTO item VALUES (100, '${secret}', 0)`);
    await staging.stage(own, `UPDATE item SET n = 2 WHERE id = 1`);
  });
  test.after(async () => {
    await reader.drop();
    await stranger.drop();
    await staging.close();
  });

  async function enter(role: TestRole, session = own): Promise<pg.Client> {
    const client = await role.connect();
    await client.query(`SET stage.session = '${session.slice(5)}'`);
    await client.query('BEGIN');
    await client.query(
      `SELECT stage.begin_statement('', '[]', '[]', '{}', current_setting('search_path'))`,
    );
    return client;
  }

  test('no condition of a client is tried on rows of another session', async () => {
    const client = await enter(reader);
    const heard: string[] = [];
    client.on('notice', ({ message }) => heard.push(String(message)));
    await client.query('SET enable_indexscan = off; SET enable_bitmapscan = off');
    await client.query(`CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql
      IMMUTABLE COST 1e-45 AS 'BEGIN RAISE NOTICE ''%'', $1; RETURN true; END'`);
    for (const condition of ['code::int > 0', '1 / n > 0', 'pg_temp.leak(code)']) {
      const { rows } = await client.query(`SELECT count(*) FROM ${overlay} WHERE ${condition}`);
      assert.is(Number(rows[0].count), condition === '1 / n > 0' ? 4 : 5, condition);
    }
    assert.equal([...new Set(heard)].sort(), ['1', '2', '3', '4', '5']);
  });

  test('nothing but the overlays can be named', async () => {
    for (const role of [reader, stranger]) {
      const client = await role.connect();
      const { rows } = await client.query<{ name: string }>(
        `SELECT oid::regclass::text AS name FROM pg_class
         WHERE relnamespace IN ('stage'::regnamespace, 'stage_data'::regnamespace) AND relkind IN ('r', 'v', 'S')`,
      );
      // the views that change rows as a set, and for ON CONFLICT, belong to an overlay, too; the lists are of the connection's own statements
      const isOpen = (name: string) =>
        /^stage\.((changes|conflict)_\d+|pg_prepared_statements|pg_cursors)$/.test(name);
      const denied = rows.filter(
        ({ name }) => !isOpen(name) && !registries.includes(name.replaceAll('"', '')),
      );
      assert.ok(denied.length > 6);
      for (const { name } of denied) {
        assert.is((await rejects(client.query(`TABLE ${name}`))).code, '42501', name);
      }
    }
  });

  test('the locks of rows are none for who may not read the table', async () => {
    const lock = overlay.replace('item', `lock_${await itemOid()}`);
    const seen = lock.replace('lock_', 'seen_');
    const ofReader = await enter(reader);
    const { rows } = await ofReader.query(
      `SELECT ${seen}(1) > 0 AS one, ${seen}(100) > 0 AS other`,
    );
    assert.equal(rows, [{ one: true, other: false }]);
    await ofReader.query(`SELECT ${lock}(1, ${seen}(1))`);
    const ofStranger = await enter(stranger);
    assert.equal((await ofStranger.query(`SELECT ${seen}(1)::int AS seen`)).rows, [{ seen: 0 }]);
    assert.is((await rejects(ofStranger.query(`SELECT ${lock}(1, 0)`))).code, '42501');
  });

  test('the audit is out of reach, its guards too', async () => {
    const statements = ['audit', 'approval', 'audit_head'].flatMap((table) => [
      `UPDATE stage.${table} SET hash = hash`,
      `DELETE FROM stage.${table}`,
      `TRUNCATE stage.${table}`,
      `INSERT INTO stage.${table} SELECT * FROM stage.${table}`,
      `DROP TABLE stage.${table}`,
      `ALTER TABLE stage.${table} DISABLE TRIGGER ALL`,
      `ALTER TABLE stage.${table} RENAME TO x`,
      `DROP TRIGGER append_only ON stage.${table}`,
      `CREATE TRIGGER x BEFORE INSERT ON stage.${table} EXECUTE FUNCTION stage.refuse_change()`,
    ]);
    const others = [
      'DROP FUNCTION stage.refuse_change() CASCADE',
      `CREATE OR REPLACE FUNCTION stage.refuse_change() RETURNS trigger LANGUAGE sql AS 'SELECT NULL'`,
      'DROP SCHEMA stage CASCADE',
      'SET session_replication_role = replica',
      `SELECT stage.approve_session(gen_random_uuid(), NULL, NULL, '', false, NULL, NULL)`,
    ];
    for (const role of [reader, stranger]) {
      const client = await role.connect();
      for (const statement of [...statements, ...others]) {
        assert.is((await rejects(client.query(statement))).code, '42501', statement);
      }
    }
  });

  test('statistics of staged rows are not shown', async () => {
    await staging.database.query('ANALYZE');
    const client = await reader.connect();
    const { rows } = await client.query(`SELECT * FROM pg_stats WHERE schemaname ~ '^stage'`);
    assert.equal(
      rows.filter(
        ({ schemaname, tablename }) => !registries.includes(`${schemaname}.${tablename}`),
      ),
      [],
    );
  });

  test('no view of the server shows rows or ids of another session', async () => {
    await staging.database.query('ANALYZE');
    const uuid = foreign.slice(5).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    for (const role of [reader, stranger]) {
      const client = await role.connect();
      const { rows: views } = await client.query<{ name: string }>(
        `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind IN ('v', 'r') AND relnamespace = 'pg_catalog'::regnamespace
         AND has_table_privilege(oid, 'SELECT')`,
      );
      assert.ok(views.length > 100);
      for (const { name } of views) {
        const search = `SELECT FROM ${name} v WHERE strpos(v::text, $1) + strpos(v::text, $2) + strpos(v::text, $3) > 0`;
        const found = client.query(search, [secret, foreign.slice(5), uuid]).then(
          ({ rows }) => rows.length,
          ({ code }) => code,
        );
        // relations that need more rights than to read them
        assert.ok([0, '42501'].includes(await found), `${name}: ${await found}`);
      }
    }
  });

  test('what another role runs is not shown', async () => {
    const client = await reader.connect();
    const { rows } = await client.query(
      `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND usename <> current_user
       AND query <> '<insufficient privilege>'`,
    );
    assert.equal(rows, []);
  });

  test('a role without any right on a table learns nothing of it', async () => {
    const client = await enter(stranger);
    const attempts = [
      `SELECT * FROM ${overlay}`,
      `INSERT INTO ${overlay} VALUES (1, 'taken?')`,
      `INSERT INTO ${overlay} VALUES (9, '3')`,
      `UPDATE ${overlay} SET n = 1`,
      `DELETE FROM ${overlay}`,
      `INSERT INTO ${upsert}.item VALUES (1, 'x')`,
      `SELECT * FROM ${upsert}.item`,
      `SELECT ${upsert}.collision_${await itemOid()}(ROW(1, 'x', 1)::${upsert}.item, NULL, false)`,
    ];
    for (const attempt of attempts) {
      await client.query('SAVEPOINT a');
      const error = await rejects(client.query(attempt));
      await client.query('ROLLBACK TO a');
      assert.is(error.code, '42501', `${attempt}: ${error.message}`);
      assert.not.match(JSON.stringify(error), /Key \(|taken|known/);
    }
  });

  test('every function that runs with the rights of the service is a trigger, or guarded', async () => {
    const reachable = await staging.database.query<{ name: string }>(
      `SELECT p.oid::regproc::text AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
       WHERE p.prosecdef AND n.nspname ~ '^stage' AND has_function_privilege('${stranger.name}', p.oid, 'EXECUTE')
         AND has_schema_privilege('${stranger.name}', n.oid, 'USAGE') AND p.prorettype <> 'trigger'::regtype`,
    );
    const oid = await itemOid();
    assert.equal(reachable.map(({ name }) => name).sort(), [
      // whether rows of the caller's own session count in policies
      'stage.counts_own_rows',
      // modes of the running transaction, which neither show nor stage anything
      'stage.defer_constraints',
      // raises an error, or does nothing
      'stage.end_tripwire',
      // names a table of the caller's own session, or does nothing
      'stage.enter_definer',
      // only rows that lack their cause: no other transaction sees them
      'stage.give_up_row',
      'stage.has_parked',
      // whether a table has an overlay, in a SERIALIZABLE transaction
      'stage.is_cold',
      // only rows of the caller's own session
      'stage.lock_newest_row',
      // whether functions with their owners' rights read the rows of the caller's own session
      'stage.may_read_as_owner',
      'stage.merge_target',
      ...['lock', 'seen'].map((part) => overlay.replace('item', `${part}_${oid}`)),
      `${upsert}.collision_${oid}`,
    ]);
  });

  test('no trigger of a client runs with the rights of the service', async () => {
    const client = await enter(reader);
    await client.query(`CREATE TEMP TABLE _stage_merge_${await itemOid()} (id int);
      CREATE FUNCTION pg_temp.seize() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN DELETE FROM public.item; RETURN NULL; END';
      CREATE TRIGGER seize BEFORE TRUNCATE ON _stage_merge_${await itemOid()} EXECUTE FUNCTION pg_temp.seize()`);
    await client.query('SAVEPOINT a');
    const error = await rejects(client.query(`SELECT stage.merge_target(${await itemOid()})`));
    // from PostgreSQL 17 on MERGE needs no such table, and the function does not exist
    assert.match(error.code ?? '', /^(42501|42883)$/, error.message);
    await client.query('COMMIT');
    assert.is((await staging.database.query('SELECT FROM item')).length, 5);
  });

  test('a proposed session takes no rows, whatever a client pretends', async () => {
    const session = await proposed();
    const client = await enter(reader, session);
    const insert = `INSERT INTO ${overlay} VALUES (300, 'late')`;
    await client.query('SAVEPOINT a');
    assert.is((await rejects(client.query(insert))).code, '25006');
    await client.query('ROLLBACK TO a');
    const key = `${await itemOid()}_i`;
    await client.query(
      `SET stage.statement = '7'; SET stage.statement_${key} = '7'; SET stage.mutation_${key} = '7'; SET stage.start_${key} = '7'`,
    );
    assert.is(
      (await rejects(client.query(insert))).code,
      '25006',
      'not the first of its statement',
    );
    await client.query('ROLLBACK TO a');
    await client.query(`SET stage.mutation = '7'; CREATE TEMP TABLE t (x int);
      CREATE FUNCTION pg_temp.late() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN ${insert}; RETURN NULL; END$$;
      CREATE TRIGGER late AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION pg_temp.late()`);
    const nested = await rejects(client.query('INSERT INTO t VALUES (1)'));
    assert.is(nested.code, '25006', 'inside a trigger');
    assert.is(await staging.stagedRows(session), 1);
  });

  test('rows that were smuggled into a proposed session are not approved', async () => {
    const session = await proposed();
    const client = await enter(reader);
    await client.query(`CREATE FUNCTION pg_temp.jump(text) RETURNS text LANGUAGE plpgsql STABLE AS
      $$BEGIN PERFORM set_config('stage.session', '${session.slice(5)}', false); RETURN $1; END$$`);
    await client.query(`INSERT INTO ${overlay} SELECT 400, pg_temp.jump('smuggled') OFFSET 0`);
    await client.query('COMMIT');
    assert.is(await staging.stagedRows(session), 2, 'the session was changed under way');
    const approval = approveSession(staging.service, session, { approvedBy: null, digest: null });
    assert.is((await rejects<StageError>(approval)).code, 'staged_after_proposal');
    assert.equal(await staging.database.query('SELECT FROM item WHERE id IN (200, 400)'), []);
  });

  async function proposed(): Promise<string> {
    const session = await staging.open();
    await staging.stage(session, `INSERT INTO item VALUES (200, 'two hundred')`);
    await proposeSession(staging.service, session);
    return session;
  }

  async function itemOid(): Promise<number> {
    const [row] = await staging.database.query<{ oid: number }>(`SELECT 'item'::regclass::oid`);
    return Number(row?.oid);
  }
});
