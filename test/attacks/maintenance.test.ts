/**
 * Maintenance in code that reads run. PostgreSQL runs ANALYZE, REINDEX and CLUSTER in READ ONLY transactions, but they write to the
 * catalogs, as on PostgreSQL 15 the creation of a large object does. The code is called by its name, or by an object over it.
 */
import { assert, suite } from '../helpers/suite.ts';
import { probe } from './probed-database.ts';

const commands: Readonly<Record<string, string>> = {
  analyzes: 'ANALYZE public.kept',
  reindexes: 'REINDEX TABLE public.kept',
  clusters: 'CLUSTER public.kept USING kept_pkey',
  makes: 'SELECT pg_catalog.lo_create(0)',
};

/** Returns a function that runs ANALYZE. */
const analyzing = (signature: string, result: string, given: string) =>
  `CREATE FUNCTION ${signature} RETURNS ${result} LANGUAGE plpgsql SECURITY DEFINER AS $$BEGIN EXECUTE 'ANALYZE public.kept'; RETURN ${given}; END$$;`;

const schema = `
CREATE TABLE kept (id int PRIMARY KEY, v text); INSERT INTO kept SELECT g, g FROM generate_series(1, 20) g;
CREATE FUNCTION computes() RETURNS int LANGUAGE plpgsql AS $$BEGIN RETURN (SELECT count(*) FROM public.kept); END$$;
${Object.entries(commands)
  .map(
    ([name, command]) =>
      `CREATE FUNCTION ${name}() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS $$BEGIN EXECUTE '${command}'; RETURN 1; END$$;`,
  )
  .join('\n')}
CREATE FUNCTION declares() RETURNS int LANGUAGE plpgsql AS $$BEGIN EXECUTE 'DECLARE left_open CURSOR WITH HOLD FOR SELECT analyzes()'; RETURN 1; END$$;
CREATE FUNCTION declares_scroll() RETURNS int LANGUAGE plpgsql AS $$BEGIN EXECUTE 'DECLARE left_open SCROLL CURSOR WITH HOLD FOR SELECT analyzes()'; RETURN 1; END$$;
CREATE FUNCTION declares_by_sql() RETURNS int LANGUAGE sql AS 'DECLARE left_open CURSOR WITH HOLD FOR SELECT analyzes(); SELECT 1';
CREATE FUNCTION declares_again() RETURNS int LANGUAGE plpgsql AS $$BEGIN EXECUTE 'CLOSE own'; EXECUTE 'DECLARE own CURSOR WITH HOLD FOR SELECT analyzes()'; RETURN 1; END$$;
CREATE VIEW analyzed AS SELECT analyzes() AS n;
CREATE VIEW behind AS SELECT n FROM analyzed;
CREATE TABLE guarded (id int PRIMARY KEY); INSERT INTO guarded VALUES (1);
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY guard ON guarded USING (analyzes() = id);
CREATE VIEW over_guarded AS SELECT id FROM guarded;
${analyzing('of_text(text)', 'text', '$1')}
${analyzing('is_good(text)', 'boolean', 'true')}
${analyzing('name_of(kept)', 'text', 'NULL')}
${analyzing('abs(text)', 'text', '$1')}
${analyzing('same(text, int)', 'boolean', 'true')}
${analyzing('next_of(text, kept)', 'text', `'x'`)}
CREATE OPERATOR ^^^ (rightarg = text, function = of_text);
CREATE OPERATOR = (leftarg = text, rightarg = int, function = same);
CREATE DOMAIN good AS text CHECK (is_good(VALUE));
CREATE AGGREGATE max(kept) (sfunc = next_of, stype = text);`;

suite('maintenance in functions of reads', (test) => {
  const probed = probe(test, schema);

  test('is undone, in blocks and outside of them', async () => {
    const reads = Object.keys(commands).flatMap((name) => [
      `SELECT ${name}()`,
      `SELECT 1 FROM kept WHERE id = ${name}()`,
    ]);
    await probed.everyWay(reads, ({ way, codes, changes, answers }) => {
      assert.equal(changes, [], way);
      assert.is(codes.length, reads.length, `${way}: ${answers.join('\n')}`);
    });
  });

  const uncalled: readonly string[] = [
    'TABLE analyzed',
    'SELECT count(*) FROM public.behind b',
    'COPY (TABLE behind) TO STDOUT',
    'EXPLAIN ANALYZE TABLE behind',
    'WITH w AS (TABLE behind) TABLE w',
    'TABLE over_guarded',
    'TABLE guarded',
    'COPY guarded TO STDOUT',
    `SELECT ^^^ 'a'::text`,
    `SELECT CASE 'a'::text WHEN 1 THEN 2 END`,
    `SELECT 1 FROM kept WHERE v IN (SELECT 1)`,
    `SELECT 1 FROM (VALUES ('a')) a(x) JOIN (VALUES (1)) b(x) USING (x)`,
    `SELECT 1 FROM (VALUES ('a')) a(x) NATURAL JOIN (VALUES (1)) b(x)`,
    `SELECT nullif('a'::text, 1)`,
    `SELECT 'a'::good`,
    `SELECT '{a}'::good[]`,
    'SELECT k.name_of FROM kept k',
    `SELECT abs('x'::text)`,
    'SELECT max(k) FROM kept k',
  ];

  test('is undone where nothing names the function', async () => {
    await probed.everyWay(uncalled, ({ way, codes, changes, answers }) => {
      assert.equal(changes, [], way);
      // Policies do not apply to a superuser.
      const unheld = way.startsWith('superuser') ? 2 : 0;
      assert.is(codes.length, uncalled.length - unheld, `${way}: ${answers.join('\n')}`);
    });
  });

  test('is undone where the query is that of a cursor', async () => {
    const reads = ['SELECT analyzes()', ...uncalled.slice(0, 1), `SELECT ^^^ 'a'::text`];
    const declared = reads.flatMap((read, at) => [
      `DECLARE c${at} CURSOR WITH HOLD FOR ${read}`,
      `FETCH ALL FROM c${at}`,
    ]);
    await probed.everyWay(declared, ({ way, changes }) => assert.equal(changes, [], way));
  });

  test('is refused where a function declares the cursor, also under the name of one of the client', async () => {
    const declared = ['declares', 'declares_scroll', 'declares_by_sql'];
    const own = 'DECLARE own CURSOR WITH HOLD FOR SELECT 1';
    const transactions = [
      ...declared.map((name) => [`SELECT ${name}()`]),
      ...declared.map((name) => [own, `SELECT ${name}()`]),
      [own, 'SELECT declares_again()'],
    ];
    const statements = [
      ...declared.map((name) => `SELECT ${name}()`),
      ...transactions.flatMap((each) => ['BEGIN READ ONLY', ...each, 'COMMIT', 'ROLLBACK']),
      `BEGIN READ ONLY; ${own}; SELECT declares_again(); COMMIT`,
      `${own}; SELECT declares_again()`,
    ];
    await probed.everyWay(statements, ({ way, codes, changes, answers }) => {
      assert.equal(changes, [], way);
      assert.ok(codes.length >= declared.length, `${way}: ${answers.join('\n')}`);
    });
  });

  test('leaves a cursor of the client alone in which only the server computes', async () => {
    const statements = [
      'BEGIN READ ONLY',
      'DECLARE own CURSOR WITH HOLD FOR SELECT 76 + id AS n FROM kept WHERE id < 2',
      'DECLARE second SCROLL CURSOR WITH HOLD FOR SELECT 78 AS n',
      'SELECT computes()',
      'COMMIT',
      'FETCH ALL FROM own',
      'FETCH ALL FROM second',
      'CLOSE ALL',
    ];
    await probed.everyWay(statements, ({ way, codes, changes, answers }) => {
      assert.equal(changes, [], way);
      if (way.endsWith('block')) return;
      assert.equal(codes, [], `${way}: ${answers.join('\n')}`);
      const rows = answers.filter((answer) => /^D .*(77|78)/.test(answer));
      assert.is(rows.length, 2, `${way}: ${answers.join('\n')}`);
    });
  });

  // The operands' types would decide, but only the analysis of the statement finds them.
  test('costs a statement that may name an operator over code no more than a cursor WITH HOLD', async () => {
    const byOperator = 'SELECT id FROM kept WHERE id = 1';
    const statements = [byOperator, 'UPDATE kept SET v = id WHERE id = 1', byOperator];
    const refused = `DECLARE c CURSOR WITH HOLD FOR ${byOperator}`;
    await probed.everyWay([...statements, refused], ({ way, codes, changes, answers }) => {
      assert.equal(changes, [], way);
      assert.equal(codes, ['0A000'], `${way}: ${answers.join('\n')}`);
    });
  });

  test('is undone where the statement is prepared, or not the only one', async () => {
    const reads = [
      'PREPARE look AS SELECT analyzes()',
      'EXECUTE look',
      'EXECUTE look',
      'PREPARE shown AS TABLE behind',
      'EXECUTE shown',
      'SELECT 1',
      'SELECT analyzes(), computes()',
    ];
    await probed.everyWay(reads, ({ way, changes }) => assert.equal(changes, [], way));
  });

  test('leaves reads alone that only read, and what is staged after them', async () => {
    const statements = [
      'SELECT computes()',
      'SELECT computes()',
      `INSERT INTO kept VALUES (99, 'x')`,
    ];
    await probed.everyWay(['SELECT makes()', ...statements], ({ way, codes, changes }) => {
      assert.equal(changes, [], way);
      assert.is(codes.length, 1, way);
    });
  });
});
