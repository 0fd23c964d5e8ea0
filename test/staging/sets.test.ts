/**
 * Rows that are inserted or changed as a set, by roles that connect past the proxy: they can do no more than row by row, and leave the same
 * rows.
 */
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { enter, refused } from '../helpers/past-proxy.ts';
import type { TestRole } from '../helpers/roles.ts';
import { createRole } from '../helpers/roles.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE top (id int PRIMARY KEY);
CREATE TABLE item (id int PRIMARY KEY, code text NOT NULL UNIQUE, n int DEFAULT 1 CHECK (n < 100), up int REFERENCES top);
CREATE TABLE numbered (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, word text);
CREATE TABLE guarded (id int PRIMARY KEY, owner text);
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON guarded USING (owner = current_user);
CREATE TABLE computed (id int PRIMARY KEY, twice int GENERATED ALWAYS AS (id * 2) STORED);
CREATE TABLE keyless (n int);
CREATE DOMAIN short AS text CHECK (length(value) < 4);
CREATE TABLE of_domain (id int PRIMARY KEY, s short);
CREATE TABLE loose (id int PRIMARY KEY, n int UNIQUE NULLS NOT DISTINCT);
CREATE TABLE base (id int PRIMARY KEY);
CREATE TABLE derived () INHERITS (base);
CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE ranged (id int PRIMARY KEY, r int4range, EXCLUDE USING gist (r WITH &&));`;
const data =
  'INSERT INTO top VALUES (1); INSERT INTO item VALUES (1, $$taken$$, 1, 1), (2, $$gone$$, 1, 1)';

suite('rows put in as a set', (test) => {
  let staging: StagingDatabase;
  let reader: TestRole;
  let inserter: TestRole;
  let filler: TestRole;
  let updater: TestRole;
  let stranger: TestRole;
  let overlay: string;
  let load: string;
  let changes: string;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
    const [row] = await staging.database.query<{ oid: number }>(
      `SELECT 'public'::regnamespace::oid`,
    );
    overlay = `stage_overlay_${row?.oid}`;
    load = `stage_load_${row?.oid}`;
    changes = `stage.changes_${await oidOf('item')}`;
    reader = await createRole(staging.database, 'GRANT SELECT ON item, top, numbered TO $role');
    inserter = await createRole(staging.database, 'GRANT UPDATE, DELETE ON item TO $role');
    filler = await createRole(staging.database, 'GRANT SELECT, INSERT ON item, top TO $role');
    updater = await createRole(staging.database, 'GRANT SELECT, UPDATE ON item, top TO $role');
    stranger = await createRole(staging.database);
  });
  test.after(async () => {
    for (const role of [reader, inserter, filler, updater, stranger]) await role.drop();
    await staging.close();
  });

  test('only tables whose rows can be judged together take them', async () => {
    const found = await staging.database.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = '${load}'::regnamespace OR relname LIKE 'changes\\_%' ORDER BY relname`,
    );
    const changes = await Promise.all(
      ['item', 'top'].map(async (name) => `changes_${await oidOf(name)}`),
    );
    assert.equal(
      found.map(({ name }) => name),
      [...changes.sort(), 'item', 'top'],
    );
  });

  test('what is in order leaves the rows that are left row by row', async () => {
    const rows = `SELECT g, 'c' || g, CASE WHEN g % 3 = 0 THEN g END, nullif(g % 2, 0) FROM generate_series(11, 30) g`;
    const both = await Promise.all([staging.open(), staging.open()]);
    const views = [
      [`${overlay}.item`, `${overlay}.item`],
      [`${load}.item`, changes],
    ] as const;
    for (const [at, [item, changed]] of views.entries()) {
      const client = await enter(reader, both[at] as string);
      await client.query(`INSERT INTO ${item} ${rows}`);
      await client.query(`INSERT INTO ${item} (id, code) VALUES (40, 'last')`);
      await client.query(`UPDATE ${changed} SET n = n + 1 WHERE code = 'taken'`);
      await client.query(`DELETE FROM ${changed} WHERE code = 'gone'`);
      await client.query('COMMIT');
    }
    const [one, other] = await Promise.all(both.map((session) => staged(session)));
    assert.is(one?.rows.length, 23);
    assert.equal(one, other);
  });

  async function staged(session: string) {
    const oid = await oidOf('item');
    const uuid = `'${session.slice(5)}'`;
    const [{ found: columns } = { found: '' }] = await staging.database.query<{ found: string }>(
      `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS found FROM pg_attribute
       WHERE attrelid = 'stage_data.shadow_${oid}'::regclass AND attnum > 0 AND attname NOT IN ('_stage_seq', '_stage_session', '_stage_mutation')`,
    );
    const rows = await staging.database.query(
      `SELECT ${columns}, dense_rank() OVER (ORDER BY _stage_mutation) AS mutation FROM stage_data.shadow_${oid}
       WHERE _stage_session = ${uuid} ORDER BY _stage_seq`,
    );
    const log = await staging.database.query(
      `SELECT operation, table_name, affected_rows FROM stage.mutation WHERE session = ${uuid} ORDER BY id`,
    );
    return { rows, log };
  }

  test('no row is staged that row by row would not be', async () => {
    const session = await staging.open();
    await staging.stage(
      session,
      `INSERT INTO item VALUES (7, 'own', 1, 1); DELETE FROM item WHERE id = 2`,
    );
    const client = await enter(reader, session);
    const attempts = [
      `(id, code) VALUES (8, NULL)`,
      `(code) VALUES ('x')`,
      `VALUES (8, 'x', 100)`,
      `VALUES (8, 'x', 1, 77)`,
      `VALUES (1, 'x')`,
      `VALUES (8, 'taken')`,
      `VALUES (7, 'x')`,
      `VALUES (8, 'own')`,
      // the session's own tombstone has the key, which can only be taken row by row
      `VALUES (2, 'x')`,
      `VALUES (8, 'x'), (8, 'y')`,
      `VALUES (8, 'x'), (9, 'x')`,
      `VALUES (9, 'y', 1), (8, 'x', 100)`,
      `VALUES (9, 'y', 1, 1), (8, 'x', 1, 77)`,
    ].map((rows) => `INSERT INTO ${load}.item ${rows}`);
    const changing = [
      'n = 100',
      "n = 1 WHERE code IN ('own')",
      'n = 100 WHERE false OR id < 5',
    ].map((set) => `UPDATE ${changes} SET ${set}`);
    await refused(client, [...attempts, ...changing], ['ST004', '23505', '23503']);
    await refused(client, [`DELETE FROM ${changes} WHERE id IN (7)`], ['23505']);
    await client.query('COMMIT');
    assert.is(await staging.stagedRows(session), 2);
  });

  test('nothing but the columns of the table can be given, and nothing read', async () => {
    const client = await enter(reader, await staging.open());
    const oid = await oidOf('item');
    await refused(
      client,
      [
        `INSERT INTO ${load}.item (id, code, _stage_session) VALUES (8, 'x', gen_random_uuid())`,
        `INSERT INTO ${load}.item (id, code, _stage_head) VALUES (8, 'x', false)`,
        `INSERT INTO ${load}.item VALUES (8, 'x', 1, 1, 5)`,
      ],
      ['42703', '42601'],
    );
    await refused(
      client,
      [
        `SELECT * FROM ${load}.item`,
        `UPDATE ${load}.item SET n = 1`,
        `DELETE FROM ${load}.item`,
        `INSERT INTO ${changes} (id, code) VALUES (8, 'x')`,
        ...['id = 8', `code = 'x'`, 'up = 1', 'n = 1, id = 8'].map(
          (set) => `UPDATE ${changes} SET ${set}`,
        ),
        `DELETE FROM stage.changes_${await oidOf('top')}`,
        `TRUNCATE ${changes}`,
        `DROP RULE stage_update ON ${changes}`,
        `CREATE OR REPLACE RULE stage_update AS ON UPDATE TO ${changes} DO INSTEAD NOTHING`,
        `INSERT INTO stage.updated_${oid} (id, code) VALUES (8, 'x')`,
        `INSERT INTO stage.deleted_${oid} (id, code) VALUES (8, 'x')`,
        `COPY stage.updated_${oid} (id, code) FROM STDIN`,
        `SELECT id FROM stage.deleted_${oid}`,
        `ALTER TABLE stage.updated_${oid} DETACH PARTITION stage.rows_${oid}`,
        'SELECT stage.report_affected(5)',
        `INSERT INTO ${load}.item VALUES (8, 'x') RETURNING id`,
        `INSERT INTO ${load}.item VALUES (8, 'x') ON CONFLICT (id) DO NOTHING`,
        `INSERT INTO stage.rows_${oid} (id, code, _stage_head) VALUES (8, 'x', true)`,
        `INSERT INTO stage.rows_${oid} VALUES (8, 'x', 1, 1, 5)`,
        `SELECT id FROM stage.rows_${oid}`,
        `UPDATE stage.rows_${oid} SET n = 1`,
        `DELETE FROM stage.rows_${oid}`,
        `TRUNCATE stage.rows_${oid}`,
        `INSERT INTO stage.rows_${oid} (id, code) VALUES (8, 'x') RETURNING id`,
        `INSERT INTO stage.rows_${oid} (id, code) VALUES (8, 'x') ON CONFLICT (id) DO NOTHING`,
        `COPY stage.rows_${oid} FROM STDIN`,
        `COPY stage.rows_${oid} (id, code, _stage_session) FROM STDIN`,
        `COPY stage.rows_${oid} (id, code) TO STDOUT`,
        `INSERT INTO stage_data.shadow_${oid} (id, code) VALUES (8, 'x')`,
        `COPY ${load}.item (id, code) FROM STDIN`,
        `TRUNCATE ${load}.item`,
        `ALTER VIEW ${load}.item ALTER n SET DEFAULT 2`,
        `CREATE TRIGGER t BEFORE INSERT ON stage.rows_${oid} FOR EACH ROW EXECUTE FUNCTION stage.raise_changed()`,
        `ALTER TABLE stage.rows_${oid} DISABLE TRIGGER ALL`,
        `ALTER TABLE stage.rows_${oid} DETACH PARTITION stage_data.shadow_${oid}`,
        `SET LOCAL session_replication_role = replica`,
      ],
      ['42501', '42P10', '42809'],
    );
  });

  test('who may not insert a row into the table puts none in', async () => {
    for (const role of [inserter, stranger]) {
      const client = await enter(role, await staging.open());
      await refused(
        client,
        [
          `INSERT INTO ${load}.item VALUES (8, 'x')`,
          `INSERT INTO ${load}.item VALUES (1, 'taken')`,
          `INSERT INTO ${load}.item SELECT 8, 'x' WHERE false`,
        ],
        ['42501'],
      );
    }
  });

  test('who may not change a row of the table changes none', async () => {
    const update = `UPDATE ${changes} SET n = 2 WHERE code = 'taken'`;
    const remove = `DELETE FROM ${changes} WHERE code = 'taken'`;
    for (const [role, attempts] of [
      [filler, [update, remove]],
      [updater, [remove]],
      [stranger, [update, remove, `UPDATE ${changes} SET n = 2 WHERE false`]],
    ] as const)
      await refused(await enter(role, await staging.open()), attempts, ['42501']);
    const client = await enter(updater, await staging.open());
    await client.query(update);
  });

  test('a proposed session takes none, whatever a client pretends', async () => {
    const session = await staging.open();
    await staging.stage(session, `INSERT INTO item VALUES (200, 'two hundred')`);
    await proposeSession(staging.service, session);
    const client = await enter(reader, session);
    const writes = [
      `INSERT INTO ${load}.item VALUES (300, 'late')`,
      `UPDATE ${changes} SET n = 5 WHERE code = 'taken'`,
      `DELETE FROM ${changes} WHERE code = 'taken'`,
    ];
    await refused(client, writes, ['25006']);
    const oid = await oidOf('item');
    for (const key of ['i', 'u', 'd'].map((operation) => `${oid}_${operation}`))
      await client.query(
        `SET stage.statement = '7'; SET stage.statement_${key} = '7'; SET stage.mutation_${key} = '7'; SET stage.start_${key} = '7'; SET stage.check_later = 'on'`,
      );
    await refused(client, writes, ['25006']);
    assert.is(await staging.stagedRows(session), 1);
  });

  test('a setting that is changed under way takes no row past the judges', async () => {
    const [own, other] = [await staging.open(), await staging.open()];
    const client = await enter(reader, own);
    const key = `${await oidOf('item')}_i`;
    const jump = (name: string, setting: string, value: string) =>
      client.query(`CREATE OR REPLACE FUNCTION pg_temp.${name}(text) RETURNS text LANGUAGE plpgsql VOLATILE AS
        $$BEGIN PERFORM set_config('${setting}', '${value}', false); RETURN $1; END$$`);
    await jump('away', 'stage.session', other.slice(5));
    await jump('back', 'stage.session', own.slice(5));
    await jump('mutate', `stage.mutation_${key}`, '7');
    await jump('start', `stage.start_${key}`, '9000000000000000');
    const calls = [
      `CASE id WHEN 1 THEN pg_temp.away(code) ELSE pg_temp.back(code) END`,
      `CASE id WHEN 2 THEN pg_temp.mutate(code) ELSE code END`,
      `CASE id WHEN 2 THEN pg_temp.start(code) ELSE code END`,
    ];
    // each once for the row of production with id 1, then for the one with id 2
    const put = (call: string) =>
      `INSERT INTO ${load}.item SELECT id + 50, ${call} || 'x', 1, 1 FROM (SELECT * FROM ${overlay}.item ORDER BY id OFFSET 0) i`;
    await refused(client, calls.map(put), ['ST004']);
    await jump('mutate', `stage.mutation_${key.replace('_i', '_u')}`, '7');
    await jump('start', `stage.start_${key.replace('_i', '_u')}`, '9000000000000000');
    const change = (call: string) => `UPDATE ${changes} SET n = 5 WHERE ${call} = code`;
    await refused(client, calls.map(change), ['ST004']);
    await client.query('ROLLBACK');
    assert.is(await staging.stagedRows(own, other), 0);
  });

  test('a trigger of the client puts none in', async () => {
    const session = await staging.open();
    const client = await enter(reader, session);
    await client.query(`CREATE TEMP TABLE t (x int);
      CREATE FUNCTION pg_temp.put() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO ${load}.item VALUES (300, 'in', 1, 1); RETURN NULL; END$$;
      CREATE TRIGGER put AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION pg_temp.put();
      SET stage.mutation = '7'`);
    await refused(client, ['INSERT INTO t VALUES (1)'], ['ST004']);
  });

  async function oidOf(table: string): Promise<number> {
    const [row] = await staging.database.query<{ oid: number }>(`SELECT '${table}'::regclass::oid`);
    return Number(row?.oid);
  }
});
