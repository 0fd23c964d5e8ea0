/** The claims of docs/limits.md about statements, tables and views. */
import type { SqlStatement } from './documented-form.ts';
import { limits, refused, same } from './documented-form.ts';

export const ofStatements: readonly SqlStatement[] = [
  limits(
    'PREPARE and EXECUTE of these | staged',
    [`PREPARE p (int) AS UPDATE item SET qty = 50 WHERE id = $1 RETURNING qty`, 'EXECUTE p (1)'],
    same,
  ),
  limits(
    'BEGIN, COMMIT, ROLLBACK, savepoints, isolation levels | as in PostgreSQL',
    [
      'BEGIN ISOLATION LEVEL REPEATABLE READ',
      'SAVEPOINT s',
      'DELETE FROM item WHERE id = 2',
      'ROLLBACK TO s',
      'COMMIT',
      'SELECT count(*) FROM item',
    ],
    same,
  ),
  limits(
    'SET CONSTRAINTS; deferrable foreign keys, unique and exclusion constraints | checked when PostgreSQL checks them',
    ['BEGIN', 'SET CONSTRAINTS ALL DEFERRED', `INSERT INTO part_of VALUES (9, 99, 'x')`, 'COMMIT'],
    '23503',
  ),
  ...[
    'CREATE TABLE t (i int)',
    'GRANT SELECT ON item TO PUBLIC',
    'VACUUM item',
    'LOCK item',
    `DO LANGUAGE plperl ''`,
    `COMMIT PREPARED 'x'`,
    'SELECT id INTO x FROM item',
  ].map((sql) =>
    limits(
      'DDL, GRANT, VACUUM, LOCK in other modes than ACCESS SHARE, DO in other languages than PL/pgSQL, two-phase commit, SELECT INTO | refused',
      sql,
      refused,
    ),
  ),
  limits(
    'Temporary tables, SELECT INTO one of them, and their indexes | as in PostgreSQL',
    [
      'CREATE TEMPORARY TABLE t (i int)',
      'CREATE INDEX ON t (i)',
      'INSERT INTO t VALUES (1)',
      'SELECT i INTO TEMP u FROM t',
      'TABLE u',
      'DROP TABLE t',
    ],
    same,
  ),
  limits(
    'LOCK in other modes than ACCESS SHARE',
    ['BEGIN', 'LOCK item IN ACCESS SHARE MODE', 'COMMIT'],
    same,
  ),
  limits('NOTIFY, also in functions that write | refused', 'NOTIFY x', refused),
  limits(
    'WHERE CURRENT OF | refused',
    [
      'BEGIN',
      'DECLARE c CURSOR FOR SELECT * FROM item',
      'FETCH c',
      'DELETE FROM item WHERE CURRENT OF c',
    ],
    refused,
  ),
  limits(
    'The arbiter of a partial index or of an index over expressions has to repeat the words of the index definition',
    `INSERT INTO item VALUES (31, 'ITEM 3', 1) ON CONFLICT (lower(name)) WHERE qty > 0 DO NOTHING RETURNING id`,
    same,
  ),
  limits(
    'The arbiter of a partial index or of an index over expressions has to repeat the words of the index definition',
    `INSERT INTO item VALUES (31, 'ITEM 3', 1) ON CONFLICT (lower(name)) WHERE qty > 5 DO NOTHING`,
    same,
  ),
  limits(
    'RETURNING that reads a WITH query is refused when another part of the statement writes',
    'WITH w AS (DELETE FROM keyless RETURNING a) INSERT INTO always (v) VALUES (1) RETURNING (SELECT count(*) FROM w)',
    refused,
  ),
  limits(
    'and a table that is called `excluded` and has no alias',
    'INSERT INTO excluded VALUES (1) ON CONFLICT (id) DO UPDATE SET id = 1 RETURNING id',
    refused,
  ),
  limits(
    'is refused once the statement has staged a',
    `INSERT INTO item VALUES (30, 'new'), (1, 'old') ON CONFLICT (id) DO UPDATE SET qty = (SELECT sum(qty) FROM item)`,
    refused,
  ),
  limits(
    'OVERRIDING SYSTEM VALUE with NULL for a GENERATED ALWAYS AS IDENTITY column counts as DEFAULT',
    `INSERT INTO always (id, v) OVERRIDING SYSTEM VALUE VALUES (NULL, 'x') RETURNING id IS NOT NULL`,
    [[true]],
  ),
  limits(
    'An UPDATE of a GENERATED ALWAYS AS IDENTITY column to DEFAULT is refused',
    'UPDATE always SET id = DEFAULT',
    refused,
  ),
  limits(
    'COPY of a statement that writes (`COPY (DELETE ... RETURNING *) TO STDOUT`) is refused',
    'COPY (DELETE FROM item RETURNING *) TO STDOUT',
    refused,
  ),
  limits(
    'COPY from or to files and programs of the server is refused',
    `COPY item TO '/tmp/x'`,
    refused,
  ),
  limits(
    'A query string of more than 500,000 words, values and signs is refused, SQLSTATE `54000`',
    `SELECT 1${',1'.repeat(250_001)}`,
    '54000',
  ),
  limits('A literal counts once', `SELECT length('${'1 '.repeat(500_001)}')`, [[1_000_002]]),
  limits(
    'A run of more than 1,000 operator letters outside of literals',
    `SELECT 1 ${'+-'.repeat(501)} 1`,
    '54001',
  ),
  limits('Spaces and lines between them make it several runs', `SELECT 1 ${'+ - '.repeat(100)} 1`, [
    [2],
  ]),
  limits(
    'A statement whose join matches such a row several times is refused',
    'UPDATE keyless SET b = name FROM item',
    refused,
  ),
  limits(
    'Tables with rules, without columns, or with more than 1,500 columns',
    'INSERT INTO ruled VALUES (1)',
    refused,
  ),
  limits(
    'Tables with rules, without columns, or with more than 1,500 columns',
    'INSERT INTO nothing DEFAULT VALUES',
    refused,
  ),
  limits(
    'Tables with CHECK constraints or generated columns that refer to the whole row or to system columns',
    'INSERT INTO whole VALUES (1)',
    refused,
  ),
  limits(
    'Materialized views. They are read as production has them',
    ['DELETE FROM item WHERE id = 4', 'SELECT count FROM counted'],
    [['20']],
  ),
  limits(
    'A write that names a partition is staged in the table at the top',
    'UPDATE log_1 SET id = 2 RETURNING id',
    same,
  ),
  limits('ONLY of a partitioned table is refused as a target', 'DELETE FROM ONLY log', refused),
  limits('When no partition takes a row', 'INSERT INTO log VALUES (100, 1)', same),
  limits(
    'An UPDATE or DELETE of the parent stages each row in the table that holds it',
    [`UPDATE animal SET name = 'old ' || name`, 'SELECT name, breed FROM dog'],
    same,
  ),
  limits(
    'A view or a partition as the source of a write, and in staged reads, shows the rows that are staged in the tables behind it',
    ['INSERT INTO log VALUES (12, 7)', 'SELECT id FROM log_2'],
    same,
  ),
  limits(
    'A write to an updatable view is staged in the table behind it, as PostgreSQL would write it',
    ['UPDATE live SET qty = 77 WHERE id = 5', 'SELECT qty FROM item WHERE id = 5'],
    same,
  ),
  limits(
    'Views with INSTEAD OF triggers or with rules of their own are refused as targets',
    'DELETE FROM instead',
    refused,
  ),
  limits(
    'System columns (`ctid`, `xmin`, `tableoid` and others) are refused where staged rows take part',
    'SELECT xmin FROM item',
    refused,
  ),
  limits(
    "In staged reads, `TABLESAMPLE` and functions that take a row of the table raise PostgreSQL's own error, as for a view",
    'SELECT * FROM item TABLESAMPLE SYSTEM (100)',
    '0A000',
  ),
  limits(
    'GROUP BY of a primary key, with other columns of the table in the query, works as in PostgreSQL',
    'SELECT id, name FROM item GROUP BY id ORDER BY id LIMIT 1',
    same,
  ),
  limits('FROM t AS a (x, y)', 'SELECT x, y FROM item AS a (x, y) GROUP BY x', '42803'),
];
