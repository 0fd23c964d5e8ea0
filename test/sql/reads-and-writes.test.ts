/** Which statements are reads and which are writes. */
import { loadParser } from '../../src/sql/parser.ts';
import { assert, suite } from '../helpers/suite.ts';
import { summaryOf, verdictOf } from './judging.ts';

const reads = [
  'SELECT 1',
  'select id, name from users where id = $1',
  'VALUES (1), (2)',
  'TABLE users',
  '(SELECT 1) UNION (SELECT 2)',
  'SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3 ORDER BY 1 LIMIT 1',
  'WITH a AS (SELECT 1) SELECT * FROM a',
  'WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t',
  "SELECT nextval('s')",
  "SELECT setval('s', 1)",
  "SELECT my_writing_function(1), pg_notify('a', 'b')",
  'SELECT * FROM users FOR UPDATE SKIP LOCKED',
  'SELECT * FROM users FOR READ ONLY',
  'SELECT "a; DELETE FROM t; --" FROM u',
  "SELECT $$; DELETE FROM t; $$, $a$ $$ DELETE $$ $a$",
  "SELECT E'\\'; DELETE FROM t; --'",
  "SELECT U&'d\\0061t' UESCAPE '!'",
  'SELECT /* ; DELETE FROM t; /* nested */ */ 1',
  'SELECT 1 -- ; DELETE FROM t',
  'SELECT a NOT /* ; DELETE FROM t */ IN (1), b NOT -- x\n BETWEEN 1 AND 2 FROM t',
  'SELECT now()::timestamp WITH /**/ TIME ZONE, a FROM f() WITH /**/ ORDINALITY ORDER BY a NULLS /* /* */ */ FIRST',
  "SELECT 'a' -- c\n '; DELETE FROM t; --'",
  "SELECT U&'d!0061' /**/ UESCAPE -- x\n '!' FROM U&\"d!0061\" /**/ UESCAPE '!'",
  'SHOW search_path',
  'SHOW ALL',
  'SHOW TRANSACTION ISOLATION LEVEL',
  'EXPLAIN SELECT * FROM users',
  'EXPLAIN ANALYZE SELECT * FROM users',
  'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) WITH a AS (SELECT 1) SELECT * FROM a',
  'EXPLAIN DECLARE c CURSOR FOR SELECT 1',
  'COPY users TO STDOUT',
  'COPY users (id, name) TO STDOUT WITH (FORMAT csv, HEADER)',
  'COPY BINARY users TO STDOUT',
  'COPY (SELECT * FROM users) TO STDOUT',
  'COPY (VALUES (1)) TO STDOUT',
  'SELECT * FROM ROWS FROM (f(1), g(2) AS (a int, b text)) WITH ORDINALITY',
  "SELECT * FROM XMLTABLE('/a' PASSING x COLUMNS n FOR ORDINALITY, b text PATH 'b' DEFAULT 'q')",
  "SELECT * FROM JSON_TABLE(j, '$' COLUMNS (id FOR ORDINALITY, NESTED PATH '$.a' COLUMNS (b int)))",
  "SELECT JSON_VALUE(j, '$.a' RETURNING int DEFAULT 0 ON EMPTY), JSON_ARRAYAGG(a), JSON_OBJECT('a': 1)",
  'SELECT JSON_ARRAY(SELECT 1), x IS JSON OBJECT, JSON_SCALAR(1), JSON_SERIALIZE(j), JSON(j) FROM t',
  "SELECT substring(a FROM 1 FOR 2), overlay(a PLACING 'b' FROM 1 FOR 2), extract(year FROM d) FROM t",
  'SELECT a[1:2], (b).c, ROW(1, 2), ARRAY[[1], [2]], CASE WHEN a THEN b ELSE c END FROM t',
  'SELECT count(*) FILTER (WHERE a), sum(b) OVER (PARTITION BY c ORDER BY d ROWS 1 PRECEDING) FROM t',
  'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM t GROUP BY CUBE (b, c), GROUPING SETS (())',
  'SELECT DISTINCT ON (a) a, b COLLATE "C" FROM t TABLESAMPLE bernoulli (1) REPEATABLE (2) WINDOW w AS ()',
  'SELECT a IS DISTINCT FROM b, a IS NOT NULL, b IS UNKNOWN, COALESCE(a, b), GREATEST(a, b), NULLIF(a, b) FROM t',
  'SELECT current_user, current_date, localtimestamp(3), session_user',
  'SELECT * FROM a NATURAL JOIN b CROSS JOIN LATERAL (SELECT 1) c LEFT JOIN d USING (id) AS j',
  'WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SEARCH DEPTH FIRST BY n SET o CYCLE n SET c USING p SELECT * FROM t',
  'SELECT xmlelement(name a, xmlattributes(b AS c)), xmlserialize(CONTENT x AS text) FROM t',
  'SELECT f(a => 1, VARIADIC b => ARRAY[1]), grouping(a) FROM t GROUP BY DISTINCT a',
  'SELECT 1 ORDER BY 1 OFFSET 2 ROWS FETCH FIRST 3 ROWS WITH TIES',
];

const writes = [
  'INSERT INTO users DEFAULT VALUES',
  "INSERT INTO users (name) VALUES ('a'), ('b') RETURNING *",
  'INSERT INTO users AS u (name, rank) VALUES (DEFAULT, $1) RETURNING u.id',
  'INSERT INTO users SELECT * FROM old_users',
  'INSERT INTO users TABLE old_users',
  'INSERT INTO users (a[1], b.c) VALUES (1, 2)',
  'WITH a AS (SELECT 1) INSERT INTO users SELECT * FROM a',
  'INSERT INTO users WITH a AS (SELECT 1) SELECT * FROM a',
  'UPDATE users SET name = $1 WHERE id = $2',
  'UPDATE ONLY users AS u SET (a, b) = (SELECT 1, 2), c = DEFAULT FROM x WHERE u.id = x.id RETURNING u.*',
  'UPDATE users SET a[1] = 2, (b, c) = ROW (1, DEFAULT)',
  'DELETE FROM users',
  'DELETE FROM users u USING x WHERE u.id = x.id RETURNING *',
  'DELETE FROM users WHERE id IN (SELECT id FROM users FOR UPDATE SKIP LOCKED LIMIT 1)',
  'DELETE FROM users RETURNING WITH (OLD AS o, NEW AS n) o.id',
  'WITH d AS (DELETE FROM a RETURNING *) INSERT INTO b SELECT * FROM d',
  'WITH d AS (DELETE FROM a RETURNING *) SELECT * FROM d',
  'WITH d AS (DELETE FROM a RETURNING *) SELECT * FROM d UNION ALL SELECT * FROM d',
  'WITH i AS (INSERT INTO a VALUES (1) RETURNING *), u AS (UPDATE b SET c = 1 RETURNING *) SELECT 1',
  'WITH d AS MATERIALIZED (DELETE FROM a) VALUES (1)',
  'WITH d AS (DELETE FROM a RETURNING *) TABLE d',
  'WITH x AS (WITH d AS (DELETE FROM a RETURNING *) SELECT * FROM d) SELECT * FROM x',
  'SELECT * FROM (WITH d AS (DELETE FROM a RETURNING *) SELECT * FROM d) q',
  '(WITH d AS (DELETE FROM a RETURNING *) SELECT * FROM d)',
  'SELECT 1 UNION (WITH d AS (DELETE FROM a RETURNING 1) SELECT * FROM d)',
  'SELECT EXISTS (WITH d AS (DELETE FROM a RETURNING 1) SELECT * FROM d)',
  '/* SELECT */ DELETE FROM users -- SELECT',
];

suite('sql: reads and writes', (test) => {
  test.before(loadParser);
  for (const sql of reads) {
    test(`read: ${sql}`, () => assert.is(summaryOf(verdictOf(sql)), 'read'));
  }
  for (const sql of writes) {
    test(`write: ${sql}`, () => assert.is(summaryOf(verdictOf(sql)), 'write'));
  }
});
