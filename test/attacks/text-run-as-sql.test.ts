/**
 * Functions that run a text as SQL, or read relations by their names: no catalog shows what the text does. They are refused when a
 * statement calls them. What they do in the definition of a table is detected before COMMIT, whatever the rights of the role.
 */
import { assert, suite } from '../helpers/suite.ts';
import { probe } from './probed-database.ts';

const run = (text: string) => `query_to_xml('${text}', true, false, '')`;

const schema = `
CREATE TABLE victim (id int);
CREATE FUNCTION writes() RETURNS text LANGUAGE plpgsql AS $$BEGIN INSERT INTO public.victim VALUES (1); RETURN 'x'; END$$;
CREATE FUNCTION writes_by_path() RETURNS text LANGUAGE plpgsql AS $$BEGIN INSERT INTO victim VALUES (1); RETURN 'x'; END$$;
CREATE FUNCTION writes_query() RETURNS tsquery LANGUAGE sql AS $$SELECT public.writes()::tsquery$$;
CREATE VIEW writing AS SELECT public.writes();
CREATE TABLE queried (id int PRIMARY KEY, v text CHECK (${run('select public.writes()')} IS NOT NULL));
CREATE TABLE by_path (id int PRIMARY KEY, v text CHECK (public.writes_by_path() IS NOT NULL));
CREATE TABLE viewed (id int PRIMARY KEY, v text CHECK (table_to_xml('public.writing', true, false, '') IS NOT NULL));
CREATE TABLE rewritten (id int PRIMARY KEY, v text
  CHECK (ts_rewrite('a'::tsquery, 'select public.writes_query(), public.writes_query()') IS NOT NULL));
CREATE TABLE defaulted (id int PRIMARY KEY, v text, w text DEFAULT ${run('select public.writes()')}::text);
CREATE DOMAIN queried_domain AS text CHECK (${run('select public.writes()')} IS NOT NULL);
CREATE TABLE domained (id int PRIMARY KEY, v queried_domain);
CREATE TABLE policed (id int PRIMARY KEY, v text);
ALTER TABLE policed ENABLE ROW LEVEL SECURITY; ALTER TABLE policed FORCE ROW LEVEL SECURITY;
CREATE POLICY seen ON policed FOR SELECT USING (true);
CREATE POLICY made ON policed FOR INSERT WITH CHECK (${run('select public.writes()')} IS NOT NULL);
CREATE TABLE notifying (id int PRIMARY KEY, v text CHECK (${run(`select pg_notify(''ch'', ''x'')`)} IS NOT NULL));
CREATE TABLE plain (id int PRIMARY KEY, v text);
`;

const definitions = [
  ...['queried', 'by_path', 'viewed', 'rewritten', 'defaulted', 'domained', 'policed', 'notifying'],
];

const notify = `'select ''a''::text, ''b''::text, pg_notify(''ch'', ''x'')::text'`;

/** Calls that run a text, as values of one column. */
const calls: readonly string[] = [
  `(SELECT count(*) FROM crosstab(${notify}) AS ct(a text, b text))`,
  `(SELECT count(*) FROM public.crosstab2(${notify}))`,
  `(SELECT count(*) FROM crosstab(${notify}, 'select 1') AS ct(a text, b text))`,
  `((${notify}::text).crosstab2)`,
  `(SELECT count(*) FROM connectby('(select ''1''::text as id, coalesce(pg_notify(''ch'', ''y'')::text, ''0'') as pid) q', 'id', 'pid', '0', 1) AS x(k text, p text, l int))`,
  `(SELECT count(*) FROM xpath_table('id', 'x', '(select 1 as id, ''<a/>'' || pg_notify(''ch'', ''z'') as x) q', '/a', 'true') AS t(id int, a text))`,
  `(SELECT count(*) FROM ts_stat('select to_tsvector(pg_notify(''ch'', ''x'')::text)'))`,
  run(`select pg_notify(''ch'', ''x'')`),
];

suite('text that is run as SQL', (test) => {
  const probed = probe(test, schema, 'CREATE EXTENSION tablefunc; CREATE EXTENSION xml2;');

  const ways: Readonly<Record<string, (call: string, index: number) => string>> = {
    'a read': (call) => `SELECT ${call}`,
    'a staged write': (call, index) => `INSERT INTO plain SELECT ${index}, (${call})::text`,
  };
  for (const [what, statement] of Object.entries(ways)) {
    test(`is refused in ${what}`, async () => {
      await probed.everyWay(calls.map(statement), ({ way, codes, changes }) => {
        assert.equal(changes, [], way);
        assert.equal(
          codes,
          calls.map(() => '0A000'),
          way,
        );
      });
    });
  }

  const inDefinitions = async () => {
    const inserts = definitions.flatMap((table) => [
      `INSERT INTO ${table} (id, v) VALUES (1, 'a')`,
      `INSERT INTO ${table} (id, v) SELECT g, 'a' FROM generate_series(4, 6) g`,
    ]);
    await probed.everyWay(inserts, ({ way, codes, changes, answers }) => {
      assert.equal(changes, [], way);
      assert.is(codes.length, inserts.length, `${way}: ${answers.join('\n')}`);
      // In a transaction of the client, the first attempts may get an error that asks for a retry, but not for ever.
      const again = codes.filter((code) => code === '40001').length;
      assert.ok(again <= (way.endsWith('block') ? 1 : 0), `${way}: ${again}`);
    });
  };
  test('does nothing in the definitions of tables', inDefinitions, { timeout: 300_000 });
});

/** No definition depends on the function: only the text names it. */
const onlyByText = `
CREATE TABLE victim (id int);
CREATE FUNCTION writes() RETURNS text LANGUAGE plpgsql AS $$BEGIN INSERT INTO public.victim VALUES (1); RETURN 'x'; END$$;
CREATE TABLE queried (id int PRIMARY KEY, v text CHECK (${run('select public.writes()')} IS NOT NULL));
`;

suite('text that a check runs with rights which the role has not', (test) => {
  const probed = probe(test, onlyByText);

  test('writes nothing, however often it is tried', async () => {
    const inserts = Array.from(
      { length: 10 },
      (_, id) => `INSERT INTO queried VALUES (${id}, 'a')`,
    );
    await probed.everyWay(inserts, ({ way, codes, changes }) => {
      assert.equal(changes, [], way);
      assert.equal(
        codes,
        inserts.map(() => '0A000'),
        way,
      );
    });
  });
});
