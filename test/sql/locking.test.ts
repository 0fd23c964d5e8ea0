/** Row locking clauses are found among tokens that look like them, and nothing else is cut. */
import { loadParser } from '../../src/sql/parser/parser.ts';
import { spliceBytes } from '../../src/sql/splice.ts';
import { assert, suite } from '../helpers/suite.ts';
import { onlyStatement, queryIn, slice } from './verdict-summary.ts';

/** A statement, and its locking clauses. */
const cases: readonly (readonly [sql: string, clauses: readonly string[]])[] = [
  ['SELECT * FROM t', []],
  ['SELECT * FROM t FOR READ ONLY', []],
  ['SELECT * FROM t FOR UPDATE', ['FOR UPDATE']],
  ['select * from t for no key update', ['for no key update']],
  ['SELECT * FROM t FOR SHARE NOWAIT', ['FOR SHARE NOWAIT']],
  ['SELECT * FROM t FOR KEY SHARE SKIP LOCKED LIMIT 1', ['FOR KEY SHARE SKIP LOCKED']],
  ['SELECT * FROM t LIMIT 1 FOR UPDATE', ['FOR UPDATE']],
  [
    'SELECT * FROM a, b FOR UPDATE OF a FOR SHARE OF b NOWAIT',
    ['FOR UPDATE OF a', 'FOR SHARE OF b NOWAIT'],
  ],
  [
    'SELECT * FROM a, "b c" FOR UPDATE OF a , "b c" SKIP LOCKED',
    ['FOR UPDATE OF a , "b c" SKIP LOCKED'],
  ],
  [
    'SELECT * FROM nowait, skip FOR UPDATE OF nowait, skip NOWAIT',
    ['FOR UPDATE OF nowait, skip NOWAIT'],
  ],
  ['SELECT * FROM a FOR UPDATE OF s . a', ['FOR UPDATE OF s . a']],
  [
    'SELECT * FROM U&"d!0061" UESCAPE \'!\' FOR UPDATE OF U&"d!0061" UESCAPE \'!\' NOWAIT',
    ['FOR UPDATE OF U&"d!0061" UESCAPE \'!\' NOWAIT'],
  ],
  ['SELECT * FROM "t"FOR/* x */UPDATE/* y */OF"t"LIMIT 1', ['FOR/* x */UPDATE/* y */OF"t"']],
  ['SELECT * FROM t FOR -- UPDATE\n UPDATE -- NOWAIT', ['FOR -- UPDATE\n UPDATE']],
  [
    'SELECT * FROM (SELECT * FROM t FOR UPDATE) x WHERE id IN (SELECT 1 FROM u FOR SHARE) FOR KEY SHARE',
    ['FOR UPDATE', 'FOR SHARE', 'FOR KEY SHARE'],
  ],
  [
    'WITH RECURSIVE a AS (SELECT * FROM t FOR UPDATE), b AS (SELECT 1 UNION ALL SELECT 2 FROM b) SELECT * FROM a, b FOR SHARE',
    ['FOR UPDATE', 'FOR SHARE'],
  ],
  ['WITH a AS (SELECT * FROM t FOR UPDATE) SELECT * FROM a', ['FOR UPDATE']],
  [
    'DELETE FROM q WHERE id = (SELECT id FROM q ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING *',
    ['FOR UPDATE SKIP LOCKED'],
  ],
  [
    'UPDATE q SET a = 1 FROM (SELECT id FROM q FOR NO KEY UPDATE) x WHERE q.id = x.id',
    ['FOR NO KEY UPDATE'],
  ],
  ['UPDATE t SET (a, b) = (SELECT c, d FROM u FOR SHARE)', ['FOR SHARE']],
  ['EXPLAIN SELECT * FROM t FOR UPDATE', ['FOR UPDATE']],
  ['PREPARE p AS SELECT * FROM t FOR UPDATE', ['FOR UPDATE']],
  ['DECLARE c CURSOR FOR SELECT * FROM t FOR UPDATE OF t', ['FOR UPDATE OF t']],
  ['COPY (SELECT * FROM t FOR UPDATE) TO STDOUT', ['FOR UPDATE']],
  // PostgreSQL refuses it here.
  ['SELECT DISTINCT a FROM t FOR UPDATE', []],
  ['SELECT a FROM t GROUP BY a FOR UPDATE', []],
  ['SELECT * FROM (SELECT a FROM t UNION SELECT 1 FOR SHARE) x FOR UPDATE', []],
  ['SELECT 1 UNION ALL (SELECT a FROM t FOR UPDATE)', []],
  ['SELECT 1 UNION ALL SELECT * FROM (SELECT a FROM t FOR UPDATE) x', ['FOR UPDATE']],
  ['SELECT * FROM (SELECT DISTINCT a FROM t) x FOR UPDATE', ['FOR UPDATE']],
  // Texts that only look like a clause.
  ['SELECT substring(a FOR update) FROM t FOR UPDATE', ['FOR UPDATE']],
  [
    'SELECT substring(a FROM 1 FOR share + 1), overlay(a PLACING b FROM 1 FOR update) FROM t FOR SHARE',
    ['FOR SHARE'],
  ],
  ['SELECT substring((SELECT a FROM u FOR UPDATE) FOR update) FROM t', ['FOR UPDATE']],
  ['SELECT substring((a) FOR (update)) FROM t FOR UPDATE', ['FOR UPDATE']],
  ['SELECT t.for update, t.for share FROM t FOR UPDATE', ['FOR UPDATE']],
  ['SELECT t."for" update FROM t FOR UPDATE', ['FOR UPDATE']],
  ['SELECT 1 AS for, update, "for" update FROM t FOR UPDATE', ['FOR UPDATE']],
  [
    'SELECT \'FOR UPDATE\', $$ FOR UPDATE $$, "FOR UPDATE" /* FOR UPDATE */ FROM t FOR UPDATE -- FOR UPDATE',
    ['FOR UPDATE'],
  ],
  [
    "SELECT * FROM XMLTABLE('/' PASSING x COLUMNS n FOR ORDINALITY), t FOR UPDATE OF t",
    ['FOR UPDATE OF t'],
  ],
  ['SELECT "é", \'😀\' FROM "ü" FOR UPDATE OF "ü"', ['FOR UPDATE OF "ü"']],
];

/** A statement, the relations whose rows it locks, the text after its columns, and its limits. */
const locks: readonly (readonly [
  sql: string,
  rows: readonly string[],
  after: string,
  limits: readonly string[],
])[] = [
  ['SELECT * FROM t FOR UPDATE', ['t wait'], 'FROM t FOR', []],
  ['SELECT FROM t AS "x y" FOR SHARE NOWAIT', ['x y nowait'], 'FROM t AS', []],
  [
    'select a.from, b as limit, c is distinct from d from s.t a join u using (i) order by 1 limit 3 offset 2 rows for update of u skip locked',
    ['u skip'],
    'from s.t a',
    ['limit 3 ', 'offset 2 rows '],
  ],
  [
    'SELECT a FROM t, u FOR UPDATE OF t FOR NO KEY UPDATE SKIP LOCKED FETCH FIRST ROW ONLY',
    ['t skip', 'u skip'],
    'FROM t, u',
    ['FETCH FIRST ROW ONLY'],
  ],
  [
    'WITH x AS (SELECT 1 FROM q LIMIT 1) SELECT (SELECT 2 FROM r) FROM x, t FOR UPDATE',
    ['t wait'],
    'FROM x, t',
    [],
  ],
  [
    'SELECT trim(BOTH FROM a), arr[1] FROM t WHERE EXTRACT(day FROM d) = 1 FOR UPDATE',
    ['t wait'],
    'FROM t WHERE',
    [],
  ],
];

/** Statements that lock no rows of known tables, or none that must be locked. */
const unlocked = [
  'SELECT * FROM t',
  'SELECT * FROM t FOR KEY SHARE',
  'SELECT * FROM (SELECT * FROM t FOR UPDATE) x',
  'SELECT * FROM ONLY t FOR UPDATE',
  'SELECT * FROM t * FOR UPDATE',
  'SELECT * FROM t AS a (b, c) FOR UPDATE',
  'SELECT * FROM t TABLESAMPLE system (1) FOR UPDATE',
  'SELECT DISTINCT a FROM t FOR UPDATE',
  'SELECT row_number() OVER () FROM t FOR UPDATE',
  'WITH t AS (SELECT 1) SELECT * FROM t FOR UPDATE',
  'SELECT 1 FOR UPDATE',
  'EXPLAIN SELECT * FROM t FOR UPDATE',
  'DECLARE c CURSOR FOR SELECT * FROM t FOR UPDATE',
];

const part = (select: string) => `UPDATE t SET a = 1 WHERE b = (${select})`;

/** Writes, the SELECTs in them that lock rows without a wait, and the columns of these. */
const parts: readonly (readonly [sql: string, ...(readonly [text: string, columns: string])[]])[] =
  [
    [
      part('SELECT a FROM t FOR UPDATE SKIP LOCKED'),
      ['SELECT a FROM t FOR UPDATE SKIP LOCKED', 'a'],
    ],
    [
      'UPDATE t SET a = 1 FROM (/* 1 */ SELECT u.*, 2 AS é FROM t AS u, v ORDER BY 1 LIMIT $1 FOR SHARE OF u NOWAIT -- 2\n) x',
      ['SELECT u.*, 2 AS é FROM t AS u, v ORDER BY 1 LIMIT $1 FOR SHARE OF u NOWAIT', '58,é'],
    ],
    [
      'WITH q AS (SELECT * FROM t FOR UPDATE SKIP LOCKED LIMIT 1) DELETE FROM t WHERE a IN (WITH r AS (SELECT 1) SELECT b + 1 FROM t FOR UPDATE NOWAIT)',
      ['SELECT * FROM t FOR UPDATE SKIP LOCKED LIMIT 1', '25'],
      ['WITH r AS (SELECT 1) SELECT b + 1 FROM t FOR UPDATE NOWAIT', 'column'],
    ],
    [part('SELECT a FROM t FOR UPDATE')],
    [part('(SELECT a FROM t) FOR UPDATE SKIP LOCKED')],
    [part('SELECT a FROM (SELECT a FROM t) x FOR UPDATE SKIP LOCKED')],
    [part('SELECT a FROM ONLY t FOR UPDATE SKIP LOCKED')],
    [part('SELECT a FROM t ORDER BY a FETCH FIRST ROW WITH TIES FOR UPDATE NOWAIT')],
    [part('SELECT a FROM t LIMIT (SELECT 1) FOR UPDATE SKIP LOCKED')],
    [part('SELECT a FROM t LIMIT abs(1) FOR UPDATE SKIP LOCKED')],
    [part('SELECT a FROM t FOR KEY SHARE SKIP LOCKED')],
    ['INSERT INTO t SELECT a FROM t FOR UPDATE SKIP LOCKED'],
    ['INSERT INTO t (SELECT a FROM t FOR UPDATE SKIP LOCKED)'],
    ['WITH q AS (SELECT abs(a) FROM t FOR UPDATE SKIP LOCKED) DELETE FROM t'],
    ['WITH q AS (SELECT * FROM t, u FOR UPDATE SKIP LOCKED) DELETE FROM t'],
    ['WITH q AS (SELECT s.t.* FROM s.t FOR UPDATE SKIP LOCKED) DELETE FROM t'],
  ];

const locksOf = (sql: string) => {
  const { verdict } = onlyStatement(sql);
  return verdict.kind === 'read' ? verdict.locks : undefined;
};

suite('sql: row locking clauses', (test) => {
  test.before(loadParser);
  for (const [sql, clauses] of cases) {
    test(sql, () => {
      const { text, verdict } = onlyStatement(sql);
      const { locking } = queryIn(verdict);
      assert.equal(
        locking.map((range) => slice(text, range)),
        clauses,
      );
      const rest = spliceBytes(
        text,
        locking.map((range) => ({ ...range, text: '' })),
      );
      assert.equal(queryIn(onlyStatement(rest.toString()).verdict).locking, []);
    });
  }

  test('whose rows are locked, and where the text of that ends', () => {
    for (const [sql, rows, after, limits] of locks) {
      const found = locksOf(sql);
      assert.equal(
        found?.relations.map(({ alias, wait }) => `${alias} ${wait}`),
        rows,
        sql,
      );
      assert.is(sql.slice(found?.columnsEnd, (found?.columnsEnd ?? 0) + after.length), after);
      assert.equal(
        found?.limits.map(({ text }) => text.toString()),
        limits,
        sql,
      );
    }
  });

  test('the parts of writes that lock rows without a wait', () => {
    for (const [sql, ...expected] of parts) {
      const { text, verdict } = onlyStatement(sql);
      const found =
        verdict.kind === 'write' && verdict.form === 'query' ? verdict.lockingParts : [];
      const summary = found.map((each) => [slice(text, each), each.columns.join()]);
      assert.equal(summary, expected, sql);
    }
  });

  test('where no rows are locked', () => {
    for (const sql of unlocked) assert.is(locksOf(sql), undefined, sql);
  });
});
