/** Bodies of functions: the names in them, their places, and the bodies with other names. */
import { readFunctionBody } from '../../src/sql/functions/function-body.ts';
import { loadParser } from '../../src/sql/parser/parser.ts';
import { assert, suite } from '../helpers/suite.ts';

const head = 'f(a int) RETURNS int';

/** Replaces each relation and function that the body names with `<name>`. */
async function marked(language: 'sql' | 'plpgsql', text: string): Promise<string | null> {
  const body = await readFunctionBody({ language, head, body: text });
  if (body === null) return null;
  const { relations, called } = body.uses;
  const places = [...relations, ...called.filter(({ name }) => name.startsWith('f'))];
  const replacements = places.map(({ start, end, name }) => ({ start, end, text: `<${name}>` }));
  // A text that is not a name could not be parsed again.
  const names = replacements.map((each) => ({ ...each, text: each.text.replace(/\W/g, '_') }));
  const made = await body.replaced(names);
  return made === null ? null : made.toString();
}

/** Bodies in which the names t and f are replaced where they are in capitals here. */
const plpgsql: readonly string[] = [
  'BEGIN RETURN (SELECT max(t.x) FROM T); END',
  'DECLARE t int := (SELECT x FROM T); BEGIN RETURN t; END',
  `BEGIN -- SELECT x FROM t\n RAISE NOTICE 'SELECT x FROM t'; /* FROM t */ RETURN (SELECT x FROM T); END`,
  'DECLARE n int; BEGIN SELECT x INTO STRICT n FROM T WHERE a = n; SELECT x FROM T INTO n; RETURN n; END',
  'DECLARE n int; m int; BEGIN SELECT x, y INTO n, m FROM T, public.T b; RETURN n; END',
  'BEGIN PERFORM F(x) FROM T; perform F(1); RETURN F((SELECT x FROM T)); END',
  'DECLARE n int[]; BEGIN n[1] := (SELECT x FROM T); n[2] = F(1); RETURN n[1]; END',
  'DECLARE r t%ROWTYPE; BEGIN FOR r IN SELECT * FROM T LOOP r.x := 1; END LOOP; FOR r IN SELECT * FROM T LOOP NULL; END LOOP; RETURN 1; END',
  'DECLARE c CURSOR (k int) FOR SELECT x FROM T WHERE x = k; BEGIN FOR r IN c(F(1)) LOOP RETURN r.x; END LOOP; END',
  `BEGIN IF EXISTS (SELECT FROM T) THEN RETURN 1; ELSIF (SELECT true FROM T) THEN RETURN 2; END IF;
   CASE F(a) WHEN 1, 2 THEN RETURN F(3); ELSE NULL; END CASE;
   WHILE F(1) > 2 LOOP EXIT WHEN (SELECT x > 1 FROM T); END LOOP;
   RETURN (SELECT x FROM T); EXCEPTION WHEN no_data_found THEN RETURN (SELECT x FROM T); END`,
  `BEGIN RETURN (SELECT x FROM "T" WHERE 'é' = 'ü' || (SELECT x FROM T)); END`,
];

const beyond: readonly string[] = [
  `BEGIN EXECUTE concat('SELECT x FROM t'); RETURN 1; END`,
  `BEGIN RETURN QUERY EXECUTE 'SELECT x FROM ' || a; END`,
  `DECLARE r record; BEGIN FOR r IN EXECUTE format('SELECT %s', a) LOOP NULL; END LOOP; END`,
  'DECLARE c refcursor; BEGIN OPEN c FOR EXECUTE $$SELECT $$ || current_user; END',
  `BEGIN EXECUTE format('SELECT x FROM %I', a); RETURN 1; END`,
  `BEGIN EXECUTE 'VACUUM t'; RETURN 1; END`,
  `BEGIN EXECUTE 'INSERT INTO t VALUES (1)'; RETURN 1; END`,
  `BEGIN EXECUTE format('SELECT x%L FROM t', a); RETURN 1; END`,
  `BEGIN EXECUTE format('SELECT ''%L'' FROM t', a); RETURN 1; END`,
  `BEGIN EXECUTE format('SELECT 1 -- %L', a); RETURN 1; END`,
  `BEGIN EXECUTE format('SELECT %L', (SELECT x FROM t)); RETURN 1; END`,
  `BEGIN EXECUTE format('SELECT %L', f(1)); RETURN 1; END`,
  `BEGIN EXECUTE format('SELECT %5s', 'a'); RETURN 1; END`,
  `BEGIN EXECUTE quote_ident(a); RETURN 1; END`,
  `BEGIN EXECUTE format('SELECT U&%L FROM t', a); RETURN 1; END`,
  `BEGIN EXECUTE 'SELECT x FROM t'; RETURN 1; EXCEPTION WHEN OTHERS THEN RETURN 2; END`,
  `DECLARE q text := 'SELECT 1'; BEGIN q := 'SELECT x FROM t'; EXECUTE q; RETURN 1; END`,
  'BEGIN INSERT INTO t VALUES (1); RETURN 1; END',
  'BEGIN WITH d AS (DELETE FROM t RETURNING x) SELECT x FROM d; END',
  'BEGIN CALL p(); END',
  'BEGIN COMMIT; END',
  'BEGIN SET LOCAL search_path = x; RETURN (SELECT x FROM t); END',
  'BEGIN RETURN (SELECT x FROM t FOR UPDATE); END',
  'BEGIN RETURN (SELECT f(t) FROM t); END',
  'BEGIN RETURN (SELECT f(y) FROM t y); END',
  'BEGIN RETURN (SELECT ctid FROM t); END',
  'DECLARE n int[]; BEGIN n[f(2)] := 1; RETURN n[1]; END',
  'BEGIN this is no body; END',
];

/** This body is parsed, but its names cannot be replaced: the text is not what PL/pgSQL makes of it. */
const unplaced = 'BEGIN CASE a WHEN (SELECT x FROM t) THEN RETURN 1; ELSE RETURN 2; END CASE; END';

suite('bodies of functions', (test) => {
  test.before(() => loadParser());

  for (const body of plpgsql) {
    test(body, async () => {
      const written = body.replace(/\bT\b(?!")/g, 't').replace(/\bF\(/g, 'f(');
      const made = await marked('plpgsql', written);
      const wanted = body
        .replaceAll('"T"', '"Q"')
        .replaceAll('public.T', '_t_')
        .replace(/\bT\b/g, '_t_')
        .replace(/\bF\(/g, '_f_(')
        .replaceAll('"Q"', '_T_');
      assert.is(made, wanted);
    });
  }

  for (const body of [...beyond, unplaced]) {
    test(`not: ${body}`, async () => {
      assert.is(await marked('plpgsql', body), null);
    });
  }

  test('texts of triggers', async () => {
    const facts = { names: { tg_table_name: "o'dd" }, arguments: ['a'] };
    const named = async (body: string) => {
      const head = 'f() RETURNS trigger';
      const read = await readFunctionBody({ language: 'plpgsql', body, head, facts });
      return read?.uses.relations.map(({ name }) => name);
    };
    const run = (expression: string) => `EXECUTE ${expression}; RETURN NULL; END`;
    const table = run("format('SELECT x FROM %I', TG_TABLE_NAME)");
    assert.equal(await named(`BEGIN ${table}`), ["o'dd"]);
    assert.equal(await named(`BEGIN ${run("'SELECT x FROM ' || TG_ARGV[0]")}`), ['a']);
    assert.is(await named(`BEGIN ${run("'SELECT x FROM ' || TG_ARGV[1]")}`), undefined);
    assert.is(await named(`BEGIN ${run("'SELECT x FROM ' || TG_RELNAME")}`), undefined);
    assert.equal(await named(`BEGIN ${run("format('SELECT %L FROM t', lower(NEW.x))")}`), ['t']);
    for (const text of [
      "format('SELECT U&%L FROM t', NEW.x)",
      "format('SELECT %L FROM t', random())",
    ])
      assert.is(await named(`BEGIN ${run(text)}`), undefined, text);
    assert.is(await named(`DECLARE tg_table_name text := 'b'; BEGIN ${table}`), undefined);
  });

  test('texts with names that are known when they run', async () => {
    const named = async (text: string) => {
      const body = `BEGIN EXECUTE ${text}; RETURN NULL; END`;
      const read = await readFunctionBody({ language: 'plpgsql', body, head });
      return read?.uses.relations.map(({ name }) => name);
    };
    for (const text of [
      "format('SELECT %I FROM t', a)",
      "format('SELECT sum(%1$I) FROM t WHERE (%1$I) > 0 ORDER BY %1$I', lower(a))",
      "'SELECT ' || quote_ident(a) || ' FROM t'",
    ])
      assert.equal(await named(text), ['t'], text);
    for (const text of [
      "format('SELECT t.%I FROM t', a)",
      "format('SELECT %I(1) FROM t', a)",
      "format('SELECT x AS %I FROM t', a)",
      "format('SELECT x FROM t JOIN u USING (%I)', a)",
      "format('SELECT %I.x FROM t', a)",
      "format('SELECT x FROM t -- %I', a)",
      "format('SELECT %I FROM %I', a, a)",
      "format('SELECT %I FROM t', (SELECT x FROM t))",
      "format('SELECT %I FROM', a)",
    ])
      assert.is(await named(text), undefined, text);
  });

  test('bodies in SQL', async () => {
    const made = await marked('sql', 'SELECT f(1); SELECT x, s.f(2) FROM s.t, t WHERE t.x = 1;');
    assert.is(made, 'SELECT _f_(1); SELECT x, _f_(2) FROM _t_, _t_ WHERE t.x = 1;');
    for (const body of ['DELETE FROM t', 'SELECT 1; SELECT x FROM t FOR SHARE', 'VACUUM', 'SELEC'])
      assert.is(await marked('sql', body), null, body);
  });
});
