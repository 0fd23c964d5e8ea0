/**
 * Calls that are not spelled as calls: operators, aggregates and casts over functions with effects. The called function decides, in reads
 * and in staged writes, whatever calls it.
 */
import pg from 'pg';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { b, e, p, runScript, s } from '../helpers/wire-script.ts';
import { probe } from './probed-database.ts';

const schema = `
CREATE TABLE plain (id int PRIMARY KEY, v text); CREATE TABLE sampled (id int PRIMARY KEY, system int);
CREATE TABLE drawn (id serial PRIMARY KEY, v text); INSERT INTO drawn VALUES (DEFAULT, 'a');
CREATE FUNCTION writes(text) RETURNS text LANGUAGE plpgsql AS $$BEGIN INSERT INTO public.plain VALUES (99); RETURN $1; END$$;
CREATE OPERATOR public.~@~ (leftarg = regclass, rightarg = bigint, function = setval);
CREATE OPERATOR public.!!! (rightarg = bigint, function = pg_try_advisory_lock);
CREATE OPERATOR public.~#~ (leftarg = text, rightarg = text, function = pg_notify);
CREATE OPERATOR public.+ (leftarg = text, rightarg = text, function = pg_notify);
CREATE OPERATOR public.!#! (rightarg = oid, function = lo_create);
CREATE DOMAIN public.heard AS text CHECK (pg_notify('ch', VALUE) IS NOT NULL);
CREATE TYPE public.pair AS (v heard, w int);
CREATE DOMAIN public.short AS text CHECK (length(VALUE) < 9);
CREATE TYPE public.mood AS ENUM ('good');
CREATE FUNCTION upper_of(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT upper($1)';
CREATE OPERATOR public.^^^ (rightarg = text, function = upper_of);
CREATE AGGREGATE public.locks(bigint) (sfunc = int8pl, stype = bigint, initcond = '4720', finalfunc = pg_try_advisory_lock);

CREATE AGGREGATE public.max_of(bigint) (sfunc = int8larger, stype = bigint);
CREATE VIEW telling AS SELECT pg_notify('ch', 'x')::text AS v;
CREATE VIEW over_telling AS WITH w AS (SELECT v FROM telling) SELECT v FROM w;
CREATE VIEW locking AS SELECT locks(g)::text AS v FROM generate_series(1, 2) g;
CREATE VIEW casting AS SELECT 'x'::text::heard AS v;
CREATE TABLE guarded (v text); INSERT INTO guarded VALUES ('a'); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY guard ON guarded USING (pg_try_advisory_lock(4714));
CREATE VIEW shown AS SELECT g.v, count(*), now() FROM plain g GROUP BY g.v;
CREATE VIEW replaced AS SELECT 'x'::text AS v;
`;

const bySuperuser = `
CREATE EXTENSION dblink; CREATE EXTENSION tablefunc;
CREATE FUNCTION public.tabled(text) RETURNS SETOF record LANGUAGE c IMMUTABLE AS '$libdir/tablefunc', 'crosstab';
CREATE FUNCTION public.tell(text, text) RETURNS void LANGUAGE internal IMMUTABLE AS 'pg_notify';
CREATE FUNCTION public.exec(text, text) RETURNS text LANGUAGE c IMMUTABLE AS '$libdir/dblink', 'dblink_exec';
CREATE OPERATOR public.~~~~ (leftarg = text, rightarg = text, function = dblink_exec);
CREATE AGGREGATE public.remote(text) (sfunc = dblink_exec, stype = text, initcond = 'dbname=none');
CREATE AGGREGATE public.moving(text) (sfunc = textcat, stype = text, initcond = '', msfunc = dblink_exec, minvfunc = dblink_exec, mstype = text, minitcond = 'dbname=none');
CREATE CAST (bigint AS boolean) WITH FUNCTION pg_try_advisory_lock(bigint);
GRANT ALL ON FUNCTION public.tell(text, text), public.exec(text, text) TO PUBLIC;
`;

/** Expressions whose function must not be called in any statement. */
const harmful: readonly string[] = [
  '!!! 4712::bigint',
  '4712::bigint OPERATOR(pg_catalog.+) (!!! 4712::bigint)::int',
  'OPERATOR(public.!!!) 4712::bigint',
  `'ch'::text ~#~ 'x'::text`,
  `'ch'::text + 'x'::text`,
  `'ch'::text ~#~ ANY (ARRAY['x', 'y']) IS NULL`,
  '!#! 0::oid',
  `'x'::heard`,
  `'{x}'::heard[]`,
  `CAST(ROW('x', 1) AS pair)`,
  `jsonb_populate_record(NULL::pair, '{"v": "x"}')`,
  `'dbname=none'::text ~~~~ 'select 1'`,
  `'dbname=none' ~~~~ ANY (ARRAY['select 1'])`,
  `(SELECT locks(g) FROM generate_series(1, 2) g)`,
  `(SELECT remote('select 1'))`,
  `(SELECT remote('select 1') FILTER (WHERE true))`,
  `(SELECT moving(g::text) OVER (ORDER BY g ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM generate_series(1, 3) g LIMIT 1)`,
  '4713::bigint::boolean',
  'CAST(4713::bigint AS bool)',
  `tell('ch', 'x')`,
  '(SELECT v FROM telling)',
  '(SELECT count(*) FROM public.over_telling)',
  '(SELECT v FROM locking)',
  '(SELECT v FROM casting)',
  '(SELECT v FROM guarded)',
  `exec('dbname=none', 'select 1')`,
  `(SELECT count(*) FROM tabled('select ''a''::text, ''b''::text, pg_notify(''ch'', ''x'')::text') AS t(a text, b text))`,
];

/** The same with functions that only compute. */
const harmless: readonly string[] = [
  `^^^ 'a'`,
  '(SELECT max_of(g) FROM generate_series(1, 2) g)',
  '1 - 1',
  '4713::text::int',
  `'a' || 'b'`,
  `'x'::short`,
  `'{x}'::short[]`,
  `'good'::mood`,
  '(SELECT max(v) FROM shown)',
];

const written = (expression: string, index: number) =>
  `INSERT INTO plain SELECT ${index}, (${expression})::text`;

suite('calls that are not spelled as calls', (test) => {
  const probed = probe(test, schema, bySuperuser);

  const ways: Readonly<Record<string, (expression: string, index: number) => string>> = {
    'a read': (expression) => `SELECT ${expression}`,
    'the condition of a read': (expression) =>
      `SELECT 1 FROM drawn WHERE (${expression})::text = 'x'`,
    'a staged write': written,
    'what a staged write returns': (expression, index) =>
      `INSERT INTO plain VALUES (${index}) RETURNING (${expression})::text`,
    'what an ON CONFLICT infers an index from': (expression, index) =>
      `INSERT INTO plain VALUES (${index}) ON CONFLICT ((${expression})) WHERE (${expression})::text = 'x' DO NOTHING`,
  };
  for (const [where, statement] of Object.entries(ways)) {
    test(`do nothing in ${where}`, async () => {
      const statements = harmful.map(statement);
      await probed.everyWay(statements, ({ way, codes, changes, answers }) => {
        assert.equal(changes, [], way);
        assert.ok(codes.length >= statements.length, `${way}: ${answers.join('\n')}`);
      });
    });
  }

  test('set no sequence in a staged write, nor beside a key that is drawn', async () => {
    const statements = [
      `INSERT INTO plain SELECT 77, ('drawn_id_seq'::regclass ~@~ 5000::bigint)::text`,
      `SELECT nextval('drawn_id_seq'), ('drawn_id_seq'::regclass ~@~ 6000::bigint)`,
    ];
    await probed.everyWay(statements, ({ way, codes, changes }) => {
      assert.equal(changes, [], way);
      assert.ok(codes.length >= 2, way);
    });
  });

  test('do nothing where a value becomes one of a parameter', async () => {
    const statements = ['PREPARE told (heard) AS SELECT $1', `EXECUTE told ('x')`];
    await probed.everyWay(statements, ({ way, changes }) => assert.equal(changes, [], way));
  });

  test('run where they only compute', async () => {
    const statements = [...harmless.map((each) => `SELECT ${each}`), ...harmless.map(written)];
    await probed.everyWay(statements, ({ way, codes, changes }) => {
      assert.equal(changes, [], way);
      assert.equal(codes, [], way);
    });
  });

  test('do nothing where the client gives a parameter such a type', async () => {
    const [row] = await probed.database.query<{ oid: number }>(
      `SELECT 'heard'::regtype::oid::int AS oid`,
    );
    const types = [Number(row?.oid)];
    const messages = ['SELECT $1', `INSERT INTO plain VALUES (1, ($1)::text)`].flatMap((text) => [
      ...[p(text, '', types), b(['x']), e(), s],
    ]);
    const answers = await runScript(await probed.url('superuser', 'production'), messages);
    assert.is(answers.filter((answer) => / C=0A000 /.test(answer)).length, 2, answers.join('\n'));
  });

  test('are not taken for columns called like functions that no expression can call', async () => {
    const client = new pg.Client({ connectionString: await probed.url('superuser', 'staged') });
    await client.connect();
    try {
      await client.query('INSERT INTO sampled VALUES (1, 2)');
      await client.query('UPDATE sampled t SET system = abs(t.system)');
      const { rows } = await client.query(
        'SELECT t.system FROM sampled t WHERE t.system IS NOT NULL',
      );
      assert.equal(rows, [{ system: 2 }]);
    } finally {
      await client.end();
    }
  });

  test('do nothing where they were made after the connection began', async () => {
    const url = await probed.url('superuser', 'production');
    const [reader, writer] = [0, 1].map(() => new pg.Client({ connectionString: url }));
    const refused = async (client: pg.Client | undefined, text: string) =>
      assert.is((await rejects(client?.query(text) as Promise<unknown>)).code, '0A000', text);
    const write = 'INSERT INTO plain SELECT 77, v FROM replaced';
    const prepared = (id: number) => ({
      ...{
        name: 'prepared',
        text: `INSERT INTO plain VALUES ($1, ('ch'::text <?> 'x'::text)::text)`,
        values: [id],
      },
    });
    await probed.database.query(
      'CREATE OPERATOR public.<?> (leftarg = text, rightarg = text, function = textcat)',
    );
    try {
      await reader?.connect();
      await writer?.connect();
      await reader?.query('TABLE replaced');
      await writer?.query(write);
      await writer?.query(prepared(78));
      await probed.database.query(
        `SELECT pg_stat_force_next_flush();
        CREATE OPERATOR public.<!> (leftarg = text, rightarg = text, function = pg_notify);
        DROP OPERATOR public.<?> (text, text);
        CREATE OPERATOR public.<?> (leftarg = text, rightarg = text, function = pg_notify);
        CREATE OR REPLACE VIEW replaced AS SELECT pg_notify('ch', 'x')::text AS v;`,
      );
      // Every login makes the service check again.
      const other = new pg.Client({ connectionString: await probed.url('reader', 'production') });
      await other.connect();
      await other.end();
      await refused(reader, `SELECT 'ch'::text <!> 'x'::text`);
      await refused(reader, 'TABLE replaced');
      assert.is((await rejects(writer?.query(prepared(79)) as Promise<unknown>)).code, '0A000');
      await refused(writer, write);
    } finally {
      await reader?.end();
      await writer?.end();
    }
  });
});
