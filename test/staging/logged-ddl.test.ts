/**
 * Event triggers write to a table when the service makes the target of a MERGE inside the client's transaction (PostgreSQL 15 and 16): the
 * commit check lets their rows pass, and no row that anything else has written to the same table.
 */
import type pg from 'pg';
import { serverMajor } from '../helpers/database.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE plain (id int PRIMARY KEY);
CREATE TABLE second (id int PRIMARY KEY);
CREATE TABLE ddl_log (id int GENERATED ALWAYS AS IDENTITY, tag text, PRIMARY KEY (id, tag)) PARTITION BY LIST (tag);
CREATE TABLE ddl_log_rest PARTITION OF ddl_log DEFAULT;
CREATE FUNCTION log_ddl() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER AS
  $$BEGIN INSERT INTO public.ddl_log (tag) VALUES (tg_tag); END$$;
CREATE EVENT TRIGGER log_ddl ON ddl_command_end EXECUTE FUNCTION log_ddl();`;

const own = `INSERT INTO public.ddl_log (tag) VALUES ('own')`;

/** Statements of a transaction; `merge` and `again` stand for the targets of MERGEs into the two tables. */
const kept: readonly string[] = [
  'merge',
  'merge; again; merge',
  'SAVEPOINT a; merge; RELEASE a; again',
  `SAVEPOINT a; ${own}; ROLLBACK TO a; merge; again`,
  `SAVEPOINT a; merge; ROLLBACK TO a; merge; again`,
];
const refused: readonly string[] = [
  own,
  `merge; ${own}`,
  `${own}; merge`,
  `${own}; merge; again`,
  `merge; ${own}; again`,
  `merge; SAVEPOINT a; ${own}; RELEASE a; again`,
  `merge; UPDATE public.ddl_log SET tag = 'other'`,
  'merge; DELETE FROM public.ddl_log',
  'merge; DELETE FROM public.ddl_log_rest WHERE id = 1',
  'merge; TRUNCATE public.ddl_log',
  // as many rows as event triggers have written
  `merge; TRUNCATE public.ddl_log; INSERT INTO public.ddl_log (tag) SELECT 'own' FROM generate_series(1,
    (SELECT max(e.value::int) FROM jsonb_each_text(stage.logged('secret')) e))`,
  `merge; INSERT INTO public.second VALUES (1)`,
  `${own}; SELECT stage.note_logged('secret', '{}'); merge`,
  `${own}; SELECT stage.note_logged('guessed', stage.locked_writes()); merge`,
  `merge; ${own}; SELECT stage.note_logged('guessed', stage.locked_writes())`,
  `merge; ${own}; SELECT set_config('stage.logged', concat_ws(' ', split_part(current_setting('stage.logged'), ' ', 1), stage.locked_writes()), true)`,
  `SAVEPOINT a; merge; ROLLBACK TO a; ${own}; merge`,
];

const major = await serverMajor();

suite('what event triggers log inside a transaction that is staged', (test) => {
  let staging: StagingDatabase;
  let client: pg.Client;
  test.before(async () => {
    staging = await createStagingDatabase(schema);
    client = await staging.connect(await staging.open());
  });
  test.after(async () => {
    await client.end();
    await staging.close();
  });
  test.afterEach(async () => {
    await client.query('ROLLBACK');
  });

  const oidOf = async (table: string) => {
    const [row] = await staging.database.query<{ oid: number }>(
      `SELECT '${table}'::regclass::oid::int AS oid`,
    );
    return Number(row?.oid);
  };
  const run = async (script: string) => {
    const [plain, second] = [await oidOf('plain'), await oidOf('second')];
    await client.query('BEGIN');
    for (const each of script.split('; ')) {
      if (each === 'merge') await client.query(`SELECT stage.merge_target(${plain}, 'secret')`);
      else if (each === 'again')
        await client.query(`SELECT stage.merge_target(${second}, 'secret')`);
      else await client.query(each);
    }
  };
  // what a rollback to a savepoint has undone of the catalogs is known to the proxy alone
  const check = () =>
    client.query(`SELECT stage.refuse_written_outside('secret', stage.catalog_writes())`);

  // from PostgreSQL 17 on MERGE runs on the overlay itself, and the service makes nothing inside the client's transaction
  test('makes a target where MERGE needs one', async () => {
    const [row] = await staging.database.query(
      `SELECT to_regproc('stage_data.merge_target_' || 'plain'::regclass::oid) IS NOT NULL AS made`,
    );
    assert.equal(row, { made: major < 17 });
  });
  for (const script of major < 17 ? kept : []) {
    test(`keeps the rows: ${script}`, async () => {
      const count = 'SELECT count(*)::int AS rows FROM public.ddl_log';
      const [before] = await staging.database.query<{ rows: number }>(count);
      await run(script);
      await check();
      const { rows } = await client.query<{ rows: number }>(count);
      assert.ok(Number(rows[0]?.rows) > Number(before?.rows));
    });
  }
  for (const script of major < 17 ? refused : []) {
    test(`keeps nothing else: ${script}`, async () => {
      await run(script);
      assert.match((await rejects(check())).message, /"public.(ddl_log|second)/);
    });
  }
});
