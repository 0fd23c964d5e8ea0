/** Relation names: their places, which of them are CTEs, and which is a write's target. */
import { loadParser } from '../../src/sql/parser/parser.ts';
import { assert, suite } from '../helpers/suite.ts';
import { onlyStatement, queryIn, refusalOf, relationsOf, slice } from './verdict-summary.ts';

/** How a name is written, and its meaning. */
const names: readonly (readonly [written: string, meaning: string])[] = [
  ['users', 'users'],
  ['Users', 'users'],
  ['"Users"', 'Users'],
  ['"a""b"', 'a"b'],
  ['"a.b"', 'a.b'],
  ['_x$1', '_x$1'],
  ['tästé', 'tästé'],
  ['TÄST', 'tÄst'],
  ['テーブル', 'テーブル'],
  ['"😀 x"', '😀 x'],
  ['U&"d\\0061ta"', 'data'],
  ['u&"\\+01F600"', '😀'],
  ['U&"\\D83D\\DE00"', '😀'],
  ['U&"a\\\\b"', 'a\\b'],
  ['U&"a!0062""c" UESCAPE \'!\'', 'ab"c'],
  ['U&"a!!b"/* x */uescape -- y\n \'!\'', 'a!b'],
  ['"constructor"', 'constructor'],
  ['__proto__', '__proto__'],
  ['public.users', 'public.users'],
  ['Public . "Users"', 'public.Users'],
  ['public/* . */./* "x" */users', 'public.users'],
  ['public -- x\n . -- y\r\n users', 'public.users'],
  ['"a.b"."c""d"', 'a.b.c"d'],
  ['U&"s\\0061" UESCAPE \'\\\' . U&"b"', 'sa.b'],
  ['a/* /* b */ . c */.b', 'a.b'],
];

/** A statement, and its relations in order: `[TARGET ][only ][schema.]name=text`. */
const cases: readonly (readonly [sql: string, relations: readonly string[]])[] = [
  ['SELECT 1', []],
  ['SELECT * FROM a, b AS x, (SELECT * FROM c) y', ['a=a', 'b=b', 'c=c']],
  [
    'SELECT * FROM a JOIN (b LEFT JOIN c ON true) ON EXISTS (SELECT 1 FROM d)',
    ['a=a', 'b=b', 'c=c', 'd=d'],
  ],
  [
    'SELECT (SELECT max(x) FROM a) FROM b ORDER BY (SELECT 1 FROM c) LIMIT (SELECT 2 FROM d)',
    ['a=a', 'b=b', 'c=c', 'd=d'],
  ],
  ['SELECT * FROM ONLY a, ONLY (b), c *', ['only a=a', 'only b=b', 'c=c']],
  ['TABLE ONLY a', ['only a=a']],
  ['SELECT * FROM a TABLESAMPLE system (1), LATERAL f(a.x), b', ['a=a', 'b=b']],
  ['SELECT * FROM db.s.a', ['s.a=s.a']],
  ['SELECT * FROM "d b" . s . /* x */ "A" AS a', ['s.A=s . /* x */ "A"']],
  ['INSERT INTO db.s.a SELECT 1', ['INSERT s.a=s.a']],
  ["SELECT 'a'::regclass, nextval('b'), a.b FROM c a", ['c=c']],
  [
    "SELECT * FROM f(1), ROWS FROM (g(2)) AS a, XMLTABLE('/' PASSING (SELECT x FROM b) COLUMNS c int)",
    ['b=b'],
  ],
  [
    'SELECT a FROM a GROUP BY (SELECT 1 FROM b) HAVING (SELECT true FROM c) WINDOW w AS (ORDER BY (SELECT 1 FROM d))',
    ['a=a', 'b=b', 'c=c', 'd=d'],
  ],
  ['SELECT * FROM a FOR UPDATE OF a', ['a=a']],
  ['VALUES ((SELECT 1 FROM a)), (2)', ['a=a']],
  [
    'SELECT ARRAY(SELECT 1 FROM a), x IN (SELECT 1 FROM b), x = ANY (SELECT 1 FROM c) FROM d',
    ['a=a', 'b=b', 'c=c', 'd=d'],
  ],
  [
    'SELECT CASE WHEN EXISTS (SELECT 1 FROM a) THEN (SELECT 1 FROM b) ELSE (SELECT 1 FROM c) END',
    ['a=a', 'b=b', 'c=c'],
  ],
  [
    'SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM a)) OVER (PARTITION BY (SELECT 1 FROM b))',
    ['a=a', 'b=b'],
  ],
  [
    'SELECT x[(SELECT 1 FROM a)], ((SELECT r FROM b)).c, f(y => (SELECT 1 FROM c))',
    ['a=a', 'b=b', 'c=c'],
  ],
  [
    "SELECT JSON_ARRAY(SELECT 1 FROM a), JSON_OBJECT('k': (SELECT 1 FROM b)), JSON_ARRAYAGG(x) FROM c",
    ['a=a', 'b=b', 'c=c'],
  ],
  ['SELECT * FROM a UNION SELECT * FROM b EXCEPT (SELECT * FROM c)', ['a=a', 'b=b', 'c=c']],
  ['COPY s.a (x, y) TO STDOUT', ['s.a=s.a']],
  ['COPY (SELECT * FROM a) TO STDOUT', ['a=a']],
  ['EXPLAIN ANALYZE SELECT * FROM a', ['a=a']],
  ['PREPARE p AS INSERT INTO a SELECT * FROM b', ['INSERT a=a', 'b=b']],
  ['DECLARE c CURSOR FOR SELECT * FROM a', ['a=a']],
  // Writes.
  [
    'INSERT INTO a (x) VALUES ((SELECT 1 FROM b)) RETURNING (SELECT 1 FROM c)',
    ['INSERT a=a', 'b=b', 'c=c'],
  ],
  ['INSERT INTO a SELECT * FROM a', ['INSERT a=a', 'a=a']],
  [
    'UPDATE ONLY a AS x SET y = (SELECT 1 FROM b) FROM c, a WHERE EXISTS (SELECT 1 FROM d) RETURNING (SELECT 1 FROM e)',
    ['UPDATE only a=a', 'b=b', 'c=c', 'a=a', 'd=d', 'e=e'],
  ],
  [
    'UPDATE a SET (x, y, z) = (SELECT 1, 2, 3 FROM b), w[(SELECT 1 FROM c)] = 1',
    ['UPDATE a=a', 'b=b', 'c=c'],
  ],
  [
    'DELETE FROM ONLY (a) USING b, c WHERE x IN (SELECT 1 FROM d) RETURNING *',
    ['DELETE only a=a', 'b=b', 'c=c', 'd=d'],
  ],
  [
    'WITH x AS (INSERT INTO a VALUES (1) RETURNING *), y AS (UPDATE b SET c = 1), z AS (DELETE FROM d) SELECT * FROM x',
    ['INSERT a=a', 'UPDATE b=b', 'DELETE d=d'],
  ],
  // Names of CTEs.
  ['WITH a AS (SELECT 1) SELECT * FROM a', []],
  ['WITH a AS (SELECT 1) SELECT * FROM "a", A, s.a, b', ['s.a=s.a', 'b=b']],
  ['WITH "A" AS (SELECT 1) SELECT * FROM A', ['a=A']],
  ['WITH a AS (SELECT * FROM a) SELECT * FROM a', ['a=a']],
  ['WITH RECURSIVE a AS (SELECT * FROM a) SELECT * FROM a', []],
  ['WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM a, b', ['b=b']],
  ['WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a, b', []],
  ['WITH a AS (SELECT 1) SELECT * FROM b WHERE x IN (SELECT 1 FROM a)', ['b=b']],
  ['SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) x, a', ['a=a']],
  [
    'SELECT * FROM a UNION (WITH a AS (SELECT 1) SELECT * FROM a) UNION SELECT * FROM a',
    ['a=a', 'a=a'],
  ],
  ['WITH a AS (SELECT 1) SELECT * FROM a UNION SELECT * FROM a ORDER BY (SELECT 1 FROM a)', []],
  [
    'WITH a AS (WITH b AS (SELECT * FROM a) SELECT * FROM a, b) SELECT * FROM a, b',
    ['a=a', 'a=a', 'b=b'],
  ],
  [
    'WITH a AS (SELECT 1) SELECT * FROM (WITH b AS (SELECT * FROM a), a AS (SELECT * FROM b) SELECT * FROM a) x',
    [],
  ],
  ['WITH a AS (SELECT 1) SELECT * FROM (WITH a AS (SELECT * FROM a) SELECT * FROM a) x', []],
  [
    'WITH a AS (SELECT 1) INSERT INTO a SELECT * FROM a RETURNING (SELECT 1 FROM a)',
    ['INSERT a=a'],
  ],
  ['INSERT INTO a WITH a AS (SELECT * FROM a) SELECT * FROM a', ['INSERT a=a', 'a=a']],
  [
    'INSERT INTO a WITH a AS (SELECT 1) SELECT * FROM a RETURNING (SELECT 1 FROM a)',
    ['INSERT a=a', 'a=a'],
  ],
  [
    'WITH a AS (SELECT 1) UPDATE a SET x = 1 FROM a AS y WHERE EXISTS (SELECT 1 FROM a)',
    ['UPDATE a=a'],
  ],
  ['WITH a AS (SELECT 1) DELETE FROM a USING a AS y', ['DELETE a=a']],
  [
    'WITH a AS (DELETE FROM a RETURNING *), b AS (INSERT INTO b SELECT * FROM a) SELECT * FROM a, b',
    ['DELETE a=a', 'INSERT b=b'],
  ],
  [
    'WITH RECURSIVE a AS (INSERT INTO a SELECT * FROM b RETURNING *), b AS (DELETE FROM b RETURNING *) TABLE a',
    ['INSERT a=a', 'DELETE b=b'],
  ],
  [
    'WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SEARCH DEPTH FIRST BY n SET o CYCLE n SET c TO 1 DEFAULT 2 USING p SELECT * FROM t, x',
    ['x=x'],
  ],
  [
    'WITH a AS (SELECT 1) SELECT * FROM f((SELECT x FROM a)), LATERAL (SELECT * FROM a, b) y',
    ['b=b'],
  ],
  ['EXPLAIN WITH a AS (SELECT * FROM a) TABLE a', ['a=a']],
  [
    'WITH constructor AS (SELECT 1) SELECT * FROM constructor, __proto__, "toString"',
    ['__proto__=__proto__', 'toString="toString"'],
  ],
];

/** A statement, and its column references that are qualified with a schema: `schema.table=text of the schema and dot`. */
const qualified: readonly (readonly [sql: string, qualifiers: readonly string[]])[] = [
  ['SELECT a, t.a, t.* FROM s.t', []],
  ['SELECT s.t.a, S . "t" . a, s.t.* FROM s.t', ['s.t=s.', 's.t=S . ', 's.t=s.']],
  ['SELECT s.t.a[1], (s.t.b).c, count(s.t.d) FROM s.t', ['s.t=s.', 's.t=s.', 's.t=s.']],
  ['SELECT db.s.t.a FROM db.s.t', ['s.t=s.']],
  [
    'UPDATE s.t SET a = s.t.a + 1 WHERE U&"s" /* x */ .t.b RETURNING s.t.*',
    ['s.t=s.', 's.t=U&"s" /* x */ .', 's.t=s.'],
  ],
  ['INSERT INTO s.t SELECT * FROM u WHERE s.u.a ORDER BY s.u.b', ['s.u=s.', 's.u=s.']],
];

suite('sql: relations', (test) => {
  test.before(loadParser);

  for (const [written, meaning] of names) {
    test(`reads the name ${JSON.stringify(written)}`, () => {
      for (const sql of [
        `SELECT * FROM ${written}`,
        `DELETE FROM ${written} WHERE x`,
        `SELECT 'é' FROM(${written} JOIN x ON true)`,
      ]) {
        const { text, verdict } = onlyStatement(sql);
        const [relation] = queryIn(verdict).relations;
        if (!relation) throw new Error('no relation');
        assert.is(slice(text, relation), written);
        assert.is(
          [relation.schema, relation.name].filter((part) => part !== null).join('.'),
          meaning,
        );
      }
    });
  }

  test('leaves a name of more than 63 bytes to the server, which cuts it in the encoding of the database', () => {
    for (const [written, name] of [
      ['x'.repeat(70), 'x'.repeat(70)],
      [`"${'é'.repeat(40)}"`, 'é'.repeat(40)],
      [`U&"${'\\00e9'.repeat(40)}"`, 'é'.repeat(40)],
      [`y${'😀'.repeat(16)}`, `y${'😀'.repeat(16)}`],
    ]) {
      const { text, verdict } = onlyStatement(`SELECT * FROM ${written} AS t`);
      const [relation] = queryIn(verdict).relations;
      if (!relation) throw new Error('no relation');
      assert.equal([slice(text, relation), relation.name], [written, name]);
    }
  });

  test('counts from the start of the statement, not of the query string', () => {
    const [, second] = ['SELECT é FROM a;', '  /* ü */ SELECT * FROM "é", b'];
    const { text, verdict } = onlyStatement(`${second}`);
    assert.equal(
      queryIn(verdict).relations.map((relation) => slice(text, relation)),
      ['"é"', 'b'],
    );
  });

  test('refuses a name that it cannot read', () => {
    assert.match(refusalOf('SELECT * FROM U&"a!0062" UESCAPE E\'!\'').message, /cannot read/);
    assert.match(refusalOf('SELECT * FROM U&"a!0062" UESCAPE $$!$$').message, /cannot read/);
  });

  for (const [sql, relations] of cases) {
    test(sql, () => assert.equal(relationsOf(sql), relations));
  }

  for (const [sql, expected] of qualified) {
    test(`qualifiers of ${sql}`, () => {
      const { text, verdict } = onlyStatement(sql);
      const found = queryIn(verdict).qualifiers.map(
        (use) => `${use.schema}.${use.name}=${slice(text, use)}`,
      );
      assert.equal(found, expected);
    });
  }

  test('tells what to replace in a COPY of a table', () => {
    const copied = (sql: string) => {
      const { text, verdict } = onlyStatement(sql);
      if (verdict.kind !== 'read' || !verdict.copy) throw new Error('no COPY of a table');
      return [slice(text, verdict.copy), verdict.copy.columns];
    };
    assert.equal(copied('COPY t TO STDOUT'), ['t', null]);
    assert.equal(copied('COPY s . "T" TO STDOUT CSV'), ['s . "T"', null]);
    assert.equal(copied('COPY t(a) TO STDOUT'), ['t(a)', 'a']);
    assert.equal(copied('COPY t /* x */ ( a , "b)" ) TO STDOUT'), [
      't /* x */ ( a , "b)" )',
      ' a , "b)" ',
    ]);
  });

  test('lists names that may be functions of a row', () => {
    const { verdict } = onlyStatement(
      'UPDATE t SET a = (NULL::x).purge, b = t.c, d = e, f = ((g).h[1]).i',
    );
    if (verdict.kind !== 'write') throw new Error('no write');
    assert.equal([...verdict.fields].sort(), ['c', 'h', 'i', 'purge']);
  });
});
