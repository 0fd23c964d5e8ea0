/**
 * MERGE beside event triggers that log DDL. PostgreSQL 15 and 16 run it on a temporary table, for which these fire: their rows are kept, and
 * a row that a client adds to them is not.
 */
import type pg from 'pg';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE item (id int PRIMARY KEY, v int); INSERT INTO item VALUES (1, 1), (2, 2);
CREATE TABLE other (id int PRIMARY KEY, v int); INSERT INTO other VALUES (1, 1);
CREATE TABLE ddl_log (id int GENERATED ALWAYS AS IDENTITY, tag text, PRIMARY KEY (id, tag)) PARTITION BY LIST (tag);
CREATE TABLE ddl_log_rest PARTITION OF ddl_log DEFAULT;
CREATE TABLE ddl_copy (id int, tag text);
CREATE FUNCTION copied() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN INSERT INTO public.ddl_copy SELECT NEW.*; RETURN NULL; END';
CREATE TRIGGER copied AFTER INSERT ON ddl_log FOR EACH ROW EXECUTE FUNCTION copied();
CREATE FUNCTION log_ddl() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN INSERT INTO public.ddl_log (tag) VALUES (tg_tag); END $$;
CREATE EVENT TRIGGER log_ddl ON ddl_command_end EXECUTE FUNCTION log_ddl();
CREATE EVENT TRIGGER log_drop ON sql_drop EXECUTE FUNCTION log_ddl();
CREATE FUNCTION harmless(v int) RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN v + 1; END';
CREATE FUNCTION anything(text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN EXECUTE $1; END';
CREATE FUNCTION log_own(v int) RETURNS int STABLE LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.anything('INSERT INTO public.ddl_log (tag) VALUES (''own'')'); RETURN v; END $$;
CREATE FUNCTION hide_own(v int) RETURNS int STABLE LANGUAGE plpgsql AS $$ BEGIN
  PERFORM public.log_own(v), set_config('stage.logged_before', stage.locked_writes()::text, true); RETURN v; END $$;
CREATE FUNCTION copy_own(v int) RETURNS int STABLE LANGUAGE plpgsql AS
  $$ BEGIN PERFORM public.anything('UPDATE public.ddl_copy SET tag = ''own'''); RETURN v; END $$;`;

const merge = (table: string, set = 's.v') =>
  `MERGE INTO ${table} t USING (VALUES (1, 10), (7, 70)) s(id, v) ON t.id = s.id
   WHEN MATCHED THEN UPDATE SET v = ${set} WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v)`;

suite('MERGE beside event triggers that log', (test) => {
  let proxied: Proxied;
  let client: pg.Client;
  test.before(async () => {
    proxied = await startProxied(schema);
  });
  test.after(() => proxied.stop());
  test.beforeEach(async () => {
    client = await proxied.connect(await proxied.session('staged'));
  });

  const staged = async (table: string) => {
    const { rows } = await client.query<{ v: number }>(`SELECT v FROM ${table} ORDER BY id`);
    return rows.map(({ v }) => v);
  };
  const own = async () =>
    proxied.database.query(
      `SELECT tag FROM ddl_log WHERE tag = 'own' UNION ALL SELECT tag FROM ddl_copy WHERE tag = 'own'`,
    );

  test('stages by itself, in blocks, with parameters, and in chains', async () => {
    assert.is((await client.query(merge('item'))).rowCount, 2);
    await client.query(merge('item', '$1::int'), [11]);
    assert.equal(await staged('item'), [11, 2, 11]);
    await client.query('BEGIN');
    await client.query(merge('item', '$1::int'), [12]);
    await client.query(merge('other', '$1::int'), [12]);
    await client.query('COMMIT AND CHAIN');
    await client.query(merge('other', 'harmless(s.v)'));
    await client.query(merge('item', 'harmless($1)'), [13]);
    await client.query('COMMIT AND CHAIN');
    await client.query('UPDATE item SET v = harmless(v) WHERE id = 2');
    await client.query('COMMIT');
    assert.equal(
      [await staged('item'), await staged('other')],
      [
        [14, 3, 14],
        [11, 71],
      ],
    );
  });

  test('stages what savepoints leave', async () => {
    await client.query('BEGIN');
    await client.query(merge('item'));
    await client.query('SAVEPOINT a');
    await client.query(merge('other'));
    await client.query('ROLLBACK TO a');
    await client.query('UPDATE item SET v = harmless(v) WHERE id = 2');
    await client.query('COMMIT');
    assert.equal([await staged('item'), await staged('other')], [[10, 3, 70], [1]]);
    await client.query('BEGIN');
    await client.query('SAVEPOINT a');
    await client.query(merge('item', '-1'));
    await rejects(client.query('SELECT 1 / 0'));
    await client.query('ROLLBACK TO a');
    await client.query(merge('other', '-2'));
    await client.query('ROLLBACK TO a');
    await client.query(merge('other', '-3'));
    await client.query('COMMIT');
    assert.equal(
      [await staged('item'), await staged('other')],
      [
        [10, 3, 70],
        [-3, 70],
      ],
    );
  });

  test('keeps the rows of the event triggers alone', async () => {
    // the statement itself is refused, not only its COMMIT
    const isRefused = async (write: string) => {
      const error = await rejects<Error & { code: string }>(client.query(write));
      assert.is(error.code, '0A000', write);
      assert.match(error.message, /makes a function write to "public.ddl_/);
    };
    for (const name of ['log_own', 'hide_own', 'copy_own']) {
      const writes = [
        merge('item', `${name}(s.v)`),
        `UPDATE item SET v = ${name}(v)`,
        `INSERT INTO other SELECT ${name}(9)`,
      ];
      for (const write of writes) {
        await isRefused(write);
        await client.query(`BEGIN; ${merge('other')}`);
        await isRefused(write);
        await client.query('ROLLBACK');
      }
    }
    assert.equal(await own(), []);
  });
});
