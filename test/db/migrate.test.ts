/** The schema of the service: it is created once, by the first daemon, printed for an administrator, and never downgraded. */
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { createDatabase } from '../../src/db/database.ts';
import { migrate, printMigrations } from '../../src/db/migrate.ts';
import { listSql } from '../../src/db/sql-file.ts';
import type { StageError } from '../../src/errors.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { createTestDatabase } from '../helpers/database.ts';
import { auditIndexes, logChecks } from '../helpers/earlier-schema.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const objects = `
  SELECT 'table ' || c.relname AS object FROM pg_class c WHERE c.relnamespace = 'stage'::regnamespace AND c.relkind = 'r'
  UNION ALL
  SELECT 'function ' || p.proname FROM pg_proc p WHERE p.pronamespace = 'stage'::regnamespace
  ORDER BY 1`;

/** Restores the letters that origins of rows were before they were words. */
const originsAsLetters = `
  ALTER TYPE stage.apply_run ALTER ATTRIBUTE origin TYPE "char"; DROP TYPE stage.row_origin;`;

const session = '00000000-0000-0000-0000-000000000001';
const mutation = (id: number) => `
  INSERT INTO stage.mutation (id, session, statement, operation, relation, table_name, query, params, affected_rows)
  VALUES (${id}, '${session}', ${id}, 'INSERT', 1, 't', '', '[]', 1)`;

suite('migrations', (test) => {
  let database: TestDatabase;
  let services: Database[];
  const service = (url = database.url) => {
    const created = createDatabase({ url });
    services.push(created);
    return created;
  };
  test.beforeEach(async () => {
    database = await createTestDatabase({ template: 'empty' });
    services = [];
  });
  test.afterEach(async () => {
    await Promise.all(services.map((each) => each.close()));
    await database.drop();
  });

  test('two daemons may start at once', async () => {
    await Promise.all([migrate(service()), migrate(service()), migrate(service())]);
    const [row] = await database.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM stage.migration',
    );
    assert.ok((row?.count ?? 0) >= 2);
  });

  test('what is printed makes the same schema, which a daemon then takes as it is', async () => {
    await migrate(service());
    const made = await database.query(objects);
    const other = await createTestDatabase({ template: 'empty' });
    try {
      await other.query(printMigrations());
      assert.equal(await other.query(objects), made);
      await migrate(service(other.url));
      assert.equal(await other.query(objects), made);
    } finally {
      await Promise.all(services.splice(0).map((each) => each.close()));
      await other.drop();
    }
  });

  test('are numbered one after the other', () => {
    const numbers = listSql('migrations').map((name) => Number(/^\d{6}(?=_)/.exec(name)));
    assert.equal(
      numbers,
      numbers.map((_, index) => index + 1),
    );
  });

  test('a function whose text changed is made anew', async () => {
    await migrate(service());
    await database.query(`UPDATE stage.function SET hash = '' WHERE name = 'display_value.sql'`);
    await database.query(
      `CREATE OR REPLACE FUNCTION stage.display_value(p_value text) RETURNS text LANGUAGE sql AS 'SELECT $1'`,
    );
    await migrate(service());
    const [row] = await database.query<{ shown: string }>(
      'SELECT stage.display_value(NULL) AS shown',
    );
    assert.is(row?.shown, 'null');
  });

  test('who staged before it was recorded is not known, and who stages afterwards is', async () => {
    await migrate(service());
    await database.query(`${originsAsLetters} ${auditIndexes} ${logChecks}
      ALTER TABLE stage.mutation DROP COLUMN role, DROP COLUMN ended;
      ALTER TABLE stage.audit DROP COLUMN texts;
      ALTER TABLE stage.parked_change DROP COLUMN texts;
      ALTER TABLE stage.parked_table DROP COLUMN reasons;
      DROP TABLE stage.event, stage.event_head;
      DROP FUNCTION stage.refuse_event_change();
      ALTER TABLE stage.session DROP COLUMN round, DROP COLUMN edits, DROP COLUMN edited, DROP COLUMN edited_at, DROP COLUMN earlier_authors, DROP COLUMN request_key, DROP COLUMN request_hash,
        DROP COLUMN reverts;
      DROP TABLE stage.identity, stage.binding, stage.former_relation, stage.rebinding, stage.release, stage.discard;
      ALTER TABLE stage.mutation ADD FOREIGN KEY (session) REFERENCES stage.session;
      ALTER TABLE stage.overlay DROP COLUMN moving, ADD COLUMN parked boolean NOT NULL DEFAULT false;
      ALTER TABLE stage.staged_view DROP COLUMN namespace, DROP COLUMN table_name;
      ALTER TABLE stage.staged_view RENAME COLUMN staged_views TO twins;
      ALTER TABLE stage.staged_view RENAME TO twin;
      ALTER TABLE stage.staged_function RENAME TO function_twin;
      DELETE FROM stage.migration WHERE number >= 10;
      INSERT INTO stage.session (id, project_id, metadata, reads, conflict_scope)
      VALUES ('${session}', 'default', '{}', 'production', 'row');
      ${mutation(1)}`);
    await migrate(service());
    await database.query(mutation(2));
    const rows = await database.query(
      'SELECT role = session_user AS own FROM stage.mutation ORDER BY id',
    );
    assert.equal(rows, [{ own: null }, { own: true }]);
  });

  test('functions that no file defines any more are dropped', async () => {
    await migrate(service());
    const made = await database.query(objects);
    await database.query(`
      CREATE FUNCTION stage.is_stale(p_relation oid, p_stamp text DEFAULT NULL) RETURNS boolean LANGUAGE sql AS 'SELECT true';
      CREATE PROCEDURE stage.former() LANGUAGE sql AS 'SELECT 1';
      INSERT INTO stage.function VALUES ('former.sql', '');`);
    await migrate(service());
    assert.equal(await database.query(objects), made);
    assert.equal(await database.query(`SELECT FROM stage.function WHERE name = 'former.sql'`), []);
  });

  test('whoever holds a table of the schema is told, and nobody waits behind the migration for long', async () => {
    await migrate(service());
    await database.query(`${logChecks} DELETE FROM stage.migration WHERE number >= 24`);
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE stage.mutation IN ROW EXCLUSIVE MODE');
    const [row] = (await holder.query('SELECT pg_backend_pid() AS pid')).rows;
    const refused = rejects<StageError>(migrate(service()));
    const outcome = { isOver: false };
    const end = () => {
      outcome.isOver = true;
    };
    void refused.then(end, end);
    try {
      // A writer that waits behind the migration, at most half as long as a statement of the service may.
      while (!outcome.isOver)
        await database.query(
          `SET lock_timeout = '5s'; BEGIN; LOCK TABLE stage.mutation IN ROW EXCLUSIVE MODE; COMMIT`,
        );
    } finally {
      await holder.end();
    }
    const error = await refused;
    assert.is(error.code, 'upstream_unavailable');
    assert.match(error.message, new RegExp(`in use by process ${row.pid} \\(idle in transaction`));
    await migrate(service());
    const [newest] = await database.query<{ number: number }>(
      'SELECT max(number) AS number FROM stage.migration',
    );
    assert.is(newest?.number, listSql('migrations').length);
  });

  test('a mutation log that is there is kept, and held to what it was held to', async () => {
    await migrate(service());
    await database.query(`${logChecks}
      DELETE FROM stage.migration WHERE number >= 24;
      ${mutation(1)}`);
    await migrate(service());
    assert.equal(
      await database.query('SELECT operation, params, affected_rows FROM stage.mutation'),
      [{ operation: 'INSERT', params: [], affected_rows: '1' }],
    );
    for (const change of [`operation = 'TRUNCATE'`, 'affected_rows = 0', `params = '{}'`]) {
      const error = await rejects(database.query(`UPDATE stage.mutation SET ${change}`));
      assert.is(error.code, '23514', change);
    }
  });

  test('staged views that are there are known by the names under which they were made', async () => {
    await migrate(service());
    await database.query(`
      CREATE VIEW seen AS SELECT 1 AS a; CREATE VIEW written AS SELECT 1 AS a; CREATE SCHEMA stage_overlay_2200;
      DO $$ BEGIN
        EXECUTE format('CREATE FUNCTION stage_data.staged_view_%s() RETURNS int LANGUAGE sql AS ''SELECT 1''', 'seen'::regclass::oid);
        EXECUTE format('CREATE VIEW stage_overlay_2200.seen AS SELECT stage_data.staged_view_%s()', 'seen'::regclass::oid);
      END $$; ${originsAsLetters} ${auditIndexes} ${logChecks}
      ALTER TABLE stage.mutation DROP COLUMN ended;
      ALTER TABLE stage.staged_view DROP COLUMN namespace, DROP COLUMN table_name;
      DELETE FROM stage.migration WHERE number >= 19;
      ALTER TABLE stage.overlay ADD COLUMN parked boolean NOT NULL DEFAULT false;
      INSERT INTO stage.staged_view (relation, stamp, plain, staged_views)
      SELECT oid, '', '{}', '{}' FROM unnest(ARRAY['seen'::regclass::oid, 'written'::regclass, 1]) oid;
      ALTER VIEW seen RENAME TO renamed`);
    await migrate(service());
    assert.equal(
      await database.query(
        'SELECT namespace::int, table_name FROM stage.staged_view ORDER BY relation',
      ),
      [
        { namespace: 0, table_name: '' },
        { namespace: 2200, table_name: 'seen' },
        { namespace: 2200, table_name: 'written' },
      ],
    );
  });

  test('a newer schema, or one of another build, is refused', async () => {
    await migrate(service());
    await database.query(`UPDATE stage.migration SET hash = 'other' WHERE number = 1`);
    assert.is(((await rejects(migrate(service()))) as StageError).code, 'schema_too_new');
    await database.query(`INSERT INTO stage.migration VALUES (999, '000999_later.sql', 'x')`);
    const error = (await rejects(migrate(service()))) as StageError;
    assert.is(error.code, 'schema_too_new');
    assert.match(error.message, /999/);
    assert.match(String(error.hint), /Start the release that upgraded it \(\d+\.\d+\.\d+\)/);
  });

  test('an account without the right to create is told so', async () => {
    const role = `weak_${database.name.slice(-12)}`;
    await database.query(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`);
    try {
      const error = (await rejects(migrate(service(database.urlFor(role, role))))) as StageError;
      assert.is(error.code, 'forbidden');
      assert.match(error.message, /permission denied for database/);
    } finally {
      await Promise.all(services.splice(0).map((each) => each.close()));
      await database.query(`DROP ROLE ${role}`);
    }
  });
});
