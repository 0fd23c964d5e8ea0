/** Texts that differ in literals, or in what looks like literals, in places where that may matter. */
import { ormStatements, reads, writes } from './corpus.ts';

const values = [
  '0',
  '1',
  '007',
  '2147483647',
  '2147483648',
  '99999999999999999999',
  '1.5',
  '0.0',
  '1.',
  '.5',
  '1e5',
  '0x1F',
  '0b1',
  '1_000',
  '1a',
  '$1',
  "''",
  "'a'",
  "'x, ; DELETE FROM t --'",
  "'/*'",
  "'*/'",
  "'$$'",
  "'\"'",
  "'\\'",
  "'it''s'",
  "'é'",
  "'!'",
  "'+'",
  "'off'",
  "'search_path'",
  "'default_transaction_read_only'",
  "'application_name'",
  "'public.t'",
  "'a' 'b'",
  "'a'\n'b'",
  "'a' -- c\n 'b'",
  "E'\\''",
  "E'a'",
  "U&'d!0061t'",
  "B'1'",
  "X'1F'",
  "N'a'",
  '$$a$$',
  '$q$;$q$',
  '"a"',
  'U&"d!0061t"',
  'a',
  'NULL',
  'true',
  '',
  "'",
  '"',
];

/** `?` marks the places. */
const templates = [
  'SELECT ?',
  'select a, ? from t where b = ?',
  'SELECT ?, ?',
  'SELECT ? ?',
  'SELECT ??',
  'SELECT -?',
  'SELECT - ?',
  'SELECT --?\n ?',
  'SELECT a?b',
  'SELECT a ? b',
  'SELECT 1?',
  'SELECT "a"?',
  "SELECT 'a'?",
  'SELECT t.?',
  'SELECT ?.a',
  'SELECT a[?:?]',
  'SELECT ?::float(?)',
  'SELECT ?::varchar(?), numeric ?',
  'SELECT date ?',
  'SELECT interval ? day',
  'SELECT ? FROM t LIMIT ? OFFSET ?',
  'SELECT * FROM t FOR UPDATE; SELECT ?',
  'SELECT set_config(?, ?, false)',
  'SELECT pg_catalog.set_config(?, ?, true)',
  'SELECT set_config(is_local => false, setting_name => ?, new_value => ?)',
  'SELECT f(?), nextval(?)',
  'SELECT pg_terminate_backend(?)',
  'SELECT query_to_xml(?, true, true, ?)',
  'SELECT (SELECT "set_config"(?, ?, true))',
  'EXPLAIN (ANALYZE ?) DELETE FROM t',
  'EXPLAIN (ANALYZE ?) SELECT ?',
  'SHOW ?',
  'SET a.b = ?',
  'SET search_path = ?',
  'SET transaction_read_only = ?',
  'SELECT U&"d!0061t" UESCAPE ?',
  'SELECT U&"a" AS b, ? FROM U&"d!0061" UESCAPE ?',
  'SELECT U&?',
  'SELECT E?',
  'SELECT e ?',
  'SELECT x&?',
  'SELECT x &?',
  'SELECT ?; DELETE FROM t WHERE a = ?',
  'DELETE FROM t WHERE a = ?',
  'UPDATE t SET a = ?',
  'INSERT INTO t VALUES (?, ?)',
  'SELECT ? INTO x FROM t',
  'WITH a AS (SELECT ?) SELECT ? FROM a',
  'WITH a AS (DELETE FROM t WHERE b = ? RETURNING *) SELECT ?',
  'INSERT INTO t AS x (a) VALUES (?) ON CONFLICT (a) DO UPDATE SET b = ? WHERE x.a = 1',
  ' insert into s.t select ?, b from u where c = ? ; ',
  'UPDATE t SET a = ? WHERE t.b = ? AND c IN (SELECT d FROM u)',
  'UPDATE t SET a = b WHERE t.b = ? OR c = ?;',
  'DELETE FROM t USING u WHERE t.a = u.a AND u.b = ?',
  'INSERT INTO t VALUES (set_config(?, ?, true))',
  'INSERT INTO t VALUES (?::float(?)) RETURNING a',
  'DELETE FROM t WHERE a = ? RETURNING t.a, ?',
  'VALUES (?), (?)',
  'TABLE t',
  ' \n\tSELECT ? ;',
  'SELECT a LIKE ? ESCAPE ?',
  'SELECT * FROM t TABLESAMPLE system (?)',
  'SELECT 1 ORDER BY ?',
  'COPY (SELECT ?) TO STDOUT',
  'COPY t TO ?',
  'SELECT * FROM JSON_TABLE(j, ? COLUMNS (id int PATH ?))',
  'FETCH ? FROM c',
  'PREPARE p AS SELECT ?',
  'EXECUTE p (?)',
  'BEGIN',
  'NOTIFY a, ?',
  'DO ?',
];

/** Yields each template with each value in its first place, and a few in its second, and statements with other literals. */
export function* literalVariants(): Generator<string> {
  for (const template of templates) {
    for (const value of values) {
      yield filled(template, [value, value]);
      for (const other of ['5', "'a'", "'search_path'"]) yield filled(template, [value, other]);
    }
  }
  for (const statement of [...reads, ...writes, ...ormStatements]) {
    yield statement;
    for (const value of values.slice(0, 24)) {
      yield statement.replaceAll(/'[^'\n]*'/g, value);
      yield statement.replaceAll(/\b\d+\b/g, value);
    }
  }
}

function filled(template: string, [one, other]: readonly [string, string]): string {
  let place = 0;
  return template.replaceAll('?', () => {
    place += 1;
    return place === 2 ? other : one;
  });
}
