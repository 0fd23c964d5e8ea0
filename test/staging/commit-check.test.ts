/** The commit check: no transaction that wrote outside the service's schemas passes, and every one that only staged does. */
import type pg from 'pg';
import { serverMajor } from '../helpers/database.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE plain (id int PRIMARY KEY, code text UNIQUE DEFERRABLE INITIALLY DEFERRED, big text);
CREATE TABLE heir () INHERITS (plain);
CREATE TABLE root (id int, k int, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
CREATE TABLE leaf PARTITION OF root FOR VALUES IN (1);
CREATE SEQUENCE numbers;
CREATE MATERIALIZED VIEW copied AS SELECT id FROM plain;
CREATE VIEW shown AS SELECT id, code FROM plain;
CREATE FUNCTION writes() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
  'BEGIN INSERT INTO public.plain VALUES (800); RETURN 1; END';
CREATE FUNCTION harmless() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE PROCEDURE holds() LANGUAGE plpgsql AS
  $$BEGIN EXECUTE 'DECLARE held CURSOR WITH HOLD FOR SELECT public.writes()'; END$$;
`;
const data = `INSERT INTO plain SELECT g, g FROM generate_series(1, 5) g; INSERT INTO root VALUES (1, 1)`;

/** The relation that the error names as written, by the statement that writes. */
const written: Readonly<Record<string, RegExp>> = {
  'INSERT INTO public.plain VALUES (700)': /"public.plain"/,
  "UPDATE public.plain SET code = 'x' WHERE id = 1": /"public.(plain|heir)"/,
  'DELETE FROM ONLY public.plain WHERE id = 1': /"public.plain"/,
  'MERGE INTO public.plain p USING (VALUES (1)) v(id) ON v.id = p.id WHEN MATCHED THEN DELETE':
    /"public.(plain|heir)"/,
  "COPY public.plain (id) FROM PROGRAM 'echo 700'": /"public.plain"/,
  'TRUNCATE public.plain CASCADE': /"public.(plain|heir)/,
  'TRUNCATE public.root': /"public.(root|leaf)/,
  'INSERT INTO public.heir VALUES (700)': /"public.heir/,
  'INSERT INTO public.root VALUES (2, 1)': /"public.(root|leaf)/,
  'DELETE FROM public.leaf': /"public.leaf/,
  'INSERT INTO public.shown VALUES (700)': /"public.plain"/,
  'SELECT public.writes()': /"public.plain"/,
  'REFRESH MATERIALIZED VIEW public.copied': /"public.copied"/,
  'SAVEPOINT a; INSERT INTO public.plain VALUES (700); RELEASE a': /"public.plain"/,
  'DO $$BEGIN PERFORM public.writes(); PERFORM 1 / 0; EXCEPTION WHEN division_by_zero THEN PERFORM public.writes(); END$$':
    /"public.plain"/,
  'SET LOCAL track_counts = off; INSERT INTO public.plain VALUES (700); SET LOCAL track_counts = on':
    /"public.plain"/,
  'SET LOCAL session_replication_role = replica; DELETE FROM ONLY public.plain': /"public.plain"/,
  'ANALYZE public.plain': /"public.(plain|heir)"/,
  'REINDEX TABLE public.plain': /"public.plain"/,
  'CREATE TEMP TABLE kept AS SELECT 1': /"pg_class"/,
  'CREATE TABLE public.made (id int)': /"public.made/,
  'CREATE TABLE public.made AS SELECT 1': /"public.made/,
  'CREATE TABLE public.made (id int); DROP TABLE public.made': /a relation that it dropped/,
  'CREATE TABLE stage_data.made (id int)': /"pg_/,
  'CREATE INDEX ON public.plain (big)': /"public.plain/,
  'CREATE VIEW public.made AS SELECT 1': /"pg_/,
  'CREATE SEQUENCE public.made': /"(public.made|pg_)/,
  'ALTER SEQUENCE public.numbers RESTART': /"public.numbers"/,
  'CREATE SCHEMA made': /"pg_namespace"/,
  "CREATE FUNCTION public.made() RETURNS int LANGUAGE sql AS 'SELECT 1'": /"pg_proc"/,
  'ALTER FUNCTION public.harmless() VOLATILE': /"pg_proc"/,
  'DROP FUNCTION public.harmless()': /"pg_proc"/,
  'CREATE TYPE public.made AS ENUM ()': /"pg_(type|enum)"/,
  'CREATE DOMAIN public.made AS int': /"pg_type"/,
  'CREATE OPERATOR public.=== (leftarg = int, rightarg = int, function = int4eq)': /"pg_operator"/,
  'CREATE CAST (public.plain AS int) WITHOUT FUNCTION': /"pg_cast"|physically compatible/,
  'CREATE PUBLICATION made': /"pg_publication"/,
  'CREATE STATISTICS public.made ON id, code FROM public.plain': /"public.plain|pg_statistic_ext/,
  'CREATE RULE made AS ON DELETE TO public.plain DO INSTEAD NOTHING': /"public.plain"/,
  'CREATE POLICY made ON public.plain': /"public.plain"/,
  'ALTER TABLE public.plain ADD COLUMN made int': /"public.(plain|heir)/,
  'ALTER TABLE public.plain DISABLE TRIGGER ALL': /"(public.plain|pg_)/,
  'DROP TABLE public.heir': /a relation that it dropped/,
  'GRANT SELECT ON public.plain TO PUBLIC': /"pg_class"/,
  'REVOKE EXECUTE ON FUNCTION public.writes() FROM PUBLIC': /"pg_proc"/,
  "COMMENT ON COLUMN public.plain.id IS 'made'": /"(public.plain|pg_description)"/,
  "COMMENT ON TABLESPACE pg_default IS 'made'": /"pg_shdescription"/,
  'CREATE ROLE stage_test_made': /"pg_authid"/,
  "ALTER ROLE CURRENT_USER SET application_name = 'made'": /"pg_db_role_setting"/,
  "ALTER ROLE CURRENT_USER VALID UNTIL 'infinity'": /"pg_authid"/,
  'ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC': /"pg_default_acl"/,
  "SELECT lo_from_bytea(0, 'made')": /"pg_largeobject/,
  'DELETE FROM pg_catalog.pg_description': /"pg_description"/,
};

/** Transactions of which only staged rows remain. */
const staged: Readonly<Record<string, readonly string[]>> = {
  'nothing at all': [],
  'an insert': [`INSERT INTO plain VALUES (600, '600')`],
  'an update': [`UPDATE plain SET big = code WHERE id < 3`],
  'a deletion': ['DELETE FROM plain WHERE id = 5'],
  'rows of a partitioned table': ['INSERT INTO root VALUES (6, 1)', 'UPDATE root SET id = id + 10'],
  'values that are stored out of line': [
    `UPDATE plain SET big = (SELECT string_agg(md5(g::text), '') FROM generate_series(1, 2000) g) WHERE id = 2`,
  ],
  'keys that are drawn': [`INSERT INTO plain SELECT 1000 + nextval('numbers'), 'drawn'`],
  'locks of rows': [
    'SELECT FROM public.plain FOR UPDATE',
    'SELECT FROM public.heir FOR KEY SHARE',
    `UPDATE plain SET big = '' WHERE id = 3`,
  ],
  'a code that is taken for a while': [
    `INSERT INTO plain VALUES (601, '1')`,
    `UPDATE plain SET code = '601' WHERE id = 601`,
  ],
  'names that are quoted': ['SET LOCAL quote_all_identifiers = on', `UPDATE plain SET big = ''`],
  'what a savepoint took back': [
    'SAVEPOINT a',
    'INSERT INTO public.plain VALUES (700)',
    'ROLLBACK TO a',
    `UPDATE plain SET big = '' WHERE id = 4`,
    'DO $$BEGIN INSERT INTO public.plain VALUES (700); PERFORM 1 / 0; EXCEPTION WHEN division_by_zero THEN END$$',
  ],
};

suite('the look before COMMIT', (test) => {
  let staging: StagingDatabase;
  let client: pg.Client;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
    client = await staging.connect(await staging.open());
  });
  test.after(async () => {
    await client.end();
    await staging.close();
  });
  test.afterEach(async () => {
    await client.query('ROLLBACK');
  });

  const look = async (values: readonly unknown[] = []) => {
    const places = values.map((_, index) => `$${index + 1}`).join(', ');
    const text = `SELECT stage.refuse_written_outside(${places}) AS counted`;
    return (await client.query<{ counted: string | null }>(text, [...values])).rows[0]?.counted;
  };
  const stage = async (statement: string) => {
    const enter = `SELECT stage.begin_statement('', '[]', '[]', '{}', current_setting('search_path'))`;
    await client.query(enter);
    await client.query(statement);
  };
  /** Stages something in its own transaction. */
  const stageAndCommit = async () => {
    await client.query('BEGIN');
    await stage(`UPDATE plain SET big = 'staged' WHERE id = 1`);
    assert.is(await look(), '0');
    await client.query('COMMIT');
  };

  for (const [statement, what] of Object.entries(written)) {
    test(`sees ${statement}`, async () => {
      const physically = statement.includes('CREATE CAST');
      for (const level of ['READ COMMITTED', 'SERIALIZABLE']) {
        await client.query(`BEGIN ISOLATION LEVEL ${level}`);
        await stage(`UPDATE plain SET big = 'staged' WHERE id = 1`);
        const outcome = client.query(statement).then(() => look());
        const error = await rejects(outcome);
        assert.match(error.message, what, `${level}: ${error.message}`);
        if (!physically) assert.is(error.code, '0A000');
        await client.query('ROLLBACK');
        // the next transaction is not blamed for what the failed one has counted
        await stageAndCommit();
      }
    });
  }

  for (const [what, statements] of Object.entries(staged)) {
    test(`lets pass ${what}`, async () => {
      for (const level of ['READ COMMITTED', 'REPEATABLE READ']) {
        await client.query(`BEGIN ISOLATION LEVEL ${level}`);
        for (const statement of statements) await stage(statement);
        const counted = await look();
        assert.ok(counted === '0' || statements.length === 0);
        await client.query('ROLLBACK');
      }
    });
  }

  test('sees writes to tables that are newer than the snapshot', async () => {
    for (const level of ['REPEATABLE READ', 'SERIALIZABLE']) {
      await client.query(`BEGIN ISOLATION LEVEL ${level}`);
      await client.query('SELECT FROM plain');
      await staging.database.query('CREATE TABLE newer (id int)');
      await client.query('INSERT INTO public.newer VALUES (1)');
      assert.match((await rejects(look())).message, /"public.newer"/);
      await client.query('ROLLBACK');
      await staging.database.query('DROP TABLE newer');
    }
  });

  test('sees an update of no rows beside what is staged', async () => {
    await client.query('BEGIN');
    await stage(`UPDATE plain SET big = 'staged' WHERE id = 1`);
    await client.query('UPDATE ONLY public.plain SET id = 1 WHERE false');
    assert.match((await rejects(look())).message, /"public.plain"/);
  });

  test('leaves what is deferred to COMMIT, which cannot write then', async () => {
    await client.query('BEGIN');
    await stage(`INSERT INTO plain VALUES (602, '1')`);
    await look();
    assert.is((await rejects(client.query('COMMIT'))).code, '23505');
  });

  test('finds the cursor that COMMIT would run', async () => {
    await client.query('BEGIN');
    await client.query('CALL holds()');
    assert.match((await rejects(look())).message, /WITH HOLD/);
  });

  test('leaves the transaction READ ONLY', async () => {
    await client.query('BEGIN');
    await stage(`UPDATE plain SET big = 'staged' WHERE id = 1`);
    await look();
    const refusal = await rejects(client.query('INSERT INTO public.plain VALUES (700)'));
    assert.is(refusal.code, '25006');
  });

  test('cannot be done without counters', async () => {
    await client.query('BEGIN');
    await stage(`UPDATE plain SET big = 'staged' WHERE id = 1`);
    await client.query('SET LOCAL track_counts = off');
    assert.match((await rejects(look())).message, /^cannot tell/);
  });

  test('does not depend on how strings are written', async () => {
    const other = await staging.connect(await staging.open());
    await other.query('SET standard_conforming_strings = off; BEGIN');
    await other.query('INSERT INTO public.plain VALUES (700)');
    try {
      const refusal = await rejects(other.query('SELECT stage.refuse_written_outside()'));
      assert.match(refusal.message, /"public.plain"/);
    } finally {
      await other.end();
    }
  });

  test('takes what earlier transactions wrote for theirs alone', async () => {
    const made = `CREATE FUNCTION public.made() RETURNS int LANGUAGE sql AS 'SELECT 1'`;
    await client.query(`BEGIN; ${made}; ROLLBACK AND CHAIN`);
    const { rows } = await client.query(`SELECT stage.note_counted('secret')`);
    assert.ok(Number(rows[0].note_counted) > 0);
    await stage(`UPDATE plain SET big = 'staged' WHERE id = 1`);
    assert.is(await look(['secret']), rows[0].note_counted);
    await client.query(`ROLLBACK; BEGIN; ${made}; ROLLBACK AND CHAIN`);
    await client.query(`SELECT stage.note_counted('secret')`);
    await client.query(made);
    await client.query('SAVEPOINT a');
    assert.match((await rejects(look(['secret']))).message, /"pg_proc"/);
    await client.query(`ROLLBACK TO a; SELECT stage.note_counted('guessed')`);
    assert.match((await rejects(look(['secret']))).message, /"pg_proc"/);
  });

  test('lets pass what makes the table that MERGE runs on, and nothing beside it', async () => {
    const [row] = await staging.database.query<{ oid: number }>(
      `SELECT 'plain'::regclass::oid::int AS oid`,
    );
    // from PostgreSQL 17 on MERGE runs on the overlay itself
    const merge = `SELECT stage.merge_target(${row?.oid}, 'secret') AS counted`;
    if ((await serverMajor()) >= 17) {
      assert.is((await rejects(client.query(merge))).code, '42883');
      return;
    }
    const mergeOnce = async () => {
      const { rows } = await client.query<{ counted: string }>(merge);
      await client.query(`INSERT INTO pg_temp._stage_merge_${row?.oid} VALUES (1)`);
      await stage(`UPDATE plain SET big = 'staged' WHERE id = 1`);
      return Number(rows[0]?.counted);
    };
    await client.query('BEGIN');
    assert.ok((await mergeOnce()) > 0);
    assert.is(await mergeOnce(), 0, 'it is there');
    await look(['secret']);
    await client.query(`COMMIT AND CHAIN; SET TRANSACTION READ WRITE`);
    await client.query(`SELECT stage.note_counted('secret')`);
    const counted = await mergeOnce();
    await client.query('SAVEPOINT a');
    await client.query(`CREATE FUNCTION public.made() RETURNS int LANGUAGE sql AS 'SELECT 1'`);
    assert.match((await rejects(look(['secret']))).message, /written to "pg_/);
    await client.query('ROLLBACK');
    await client.query('BEGIN');
    await client.query('SAVEPOINT a');
    assert.is(await mergeOnce(), counted);
    await client.query('ROLLBACK TO a');
    await stage(`UPDATE plain SET big = 'staged' WHERE id = 1`);
    await look(['secret', counted]);
    await client.query('COMMIT');
    await stageAndCommit();
  });

  test('knows every table of the catalogs', async () => {
    const missing = await staging.database.query(
      `SELECT c.relname FROM pg_class c JOIN pg_proc p ON p.oid = 'stage.catalog_writes'::regproc
       WHERE c.relkind = 'r' AND c.relnamespace = 'pg_catalog'::regnamespace
         AND c.oid::text <> ALL (regexp_split_to_array(p.prosrc, '[^0-9]+'))`,
    );
    assert.equal(missing, []);
  });
});
