/** Which statements are refused, with which SQLSTATE, and that the message names the statement. */
import type { Node } from 'libpg-query';
import { classify } from '../../src/sql/classify/classify.ts';
import { loadParser } from '../../src/sql/parser/parser.ts';
import { assert, suite } from '../helpers/suite.ts';
import { refusalOf } from './verdict-summary.ts';

/** A statement, and its message. All have 0A000. */
const unsupported: readonly (readonly [sql: string, message: RegExp])[] = [
  ['COPY t FROM STDIN FREEZE', /FREEZE/],
  ['COPY t (a, b) FROM STDIN WITH (FORMAT csv, FREEZE true)', /FREEZE/],
  ['TRUNCATE TABLE ONLY a, b RESTART IDENTITY CASCADE', /RESTART IDENTITY/],
  ['UPDATE t SET a = 1 WHERE CURRENT OF c', /CURRENT OF/],
  ['DELETE FROM t WHERE CURRENT OF c', /CURRENT OF/],
  ['EXPLAIN ANALYZE UPDATE t SET a = 1', /EXPLAIN/],
  ['EXPLAIN (ANALYZE) WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d', /EXPLAIN/],
  ['EXPLAIN ANALYZE EXECUTE p', /EXPLAIN ANALYZE EXECUTE/],
  [
    'EXPLAIN ANALYZE DECLARE c CURSOR FOR WITH d AS (DELETE FROM t RETURNING 1) SELECT * FROM d',
    /EXPLAIN/,
  ],
  // Tables created by a query.
  ['SELECT * INTO n FROM t', /SELECT INTO/],
  ['SELECT 1 INTO UNLOGGED n UNION SELECT 2', /SELECT INTO/],
  ['WITH a AS (SELECT 1) SELECT * INTO n FROM a', /SELECT INTO/],
  // RETURNING that reads a WITH query: the row to return is gone once that query has written.
  [
    'WITH d AS (INSERT INTO u VALUES (1) RETURNING *) UPDATE t SET a = 1 RETURNING *, (SELECT count(*) FROM d)',
    /RETURNING that reads/,
  ],
  [
    'WITH d AS (DELETE FROM u RETURNING *), e AS (TABLE d) INSERT INTO t VALUES (1) RETURNING (SELECT 1 WHERE EXISTS (TABLE e))',
    /RETURNING that reads/,
  ],
  [
    'WITH d AS (DELETE FROM u), e AS (SELECT 1), f AS (UPDATE t SET a = 1 RETURNING (TABLE e)) TABLE f',
    /RETURNING that reads/,
  ],
  [
    'WITH d AS (DELETE FROM u RETURNING a) MERGE INTO t USING v ON t.a = v.a WHEN MATCHED THEN DELETE RETURNING (TABLE d)',
    /RETURNING that reads/,
  ],
  // A row lock that prevents a query from being recursive.
  [
    'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r FOR UPDATE) SELECT * FROM r',
    /recursive query/,
  ],
  [
    'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL (SELECT n + 1 FROM r FOR SHARE)) DELETE FROM t USING r',
    /recursive query/,
  ],
  [
    'WITH w AS (WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM (SELECT * FROM r FOR UPDATE) x) TABLE r) INSERT INTO t TABLE w',
    /recursive query/,
  ],
  ['CREATE TABLE n AS SELECT 1', /CREATE TABLE/],
  ['CREATE TABLE n AS EXECUTE p', /CREATE TABLE/],
  ['CREATE TEMP VIEW n AS SELECT 1', /CREATE TEMPORARY VIEW/],
  ['CREATE TEMP SEQUENCE n', /CREATE TEMPORARY SEQUENCE/],
  ['CREATE TEMP TABLE n AS EXECUTE p', /AS EXECUTE/],
  ["CREATE TEMP TABLE n AS SELECT nextval('s')", /query that writes/],
  ['CREATE TEMP TABLE n AS WITH d AS (DELETE FROM t RETURNING 1) TABLE d', /query that writes/],
  ['CREATE TEMP TABLE n OF composite', /part of the definition/],
  ['CREATE TEMP TABLE n (a int, EXCLUDE USING gist (a WITH =))', /part of the definition/],
  ['CREATE TEMP TABLE n (a int) USING columnar', /part of the definition/],
  ['CREATE TEMP TABLE n (a int CHECK (a > (SELECT 1 FROM t)))', /part of the definition/],
  ['SELECT 1 INTO TEMP n UNION SELECT 2', /SELECT INTO/],
  ['CREATE TABLE pg_temp_3.n (a int)', /CREATE TABLE/],
  ['CREATE INDEX CONCURRENTLY ON t (a)', /CREATE INDEX/],
  ['ALTER TABLE t SET SCHEMA s', /ALTER TABLE/],
  ['ALTER TABLE t INHERIT u', /ALTER TABLE/],
  ['ALTER TABLE t NO INHERIT u', /ALTER TABLE/],
  ['ALTER TABLE t ATTACH PARTITION u DEFAULT', /ALTER TABLE/],
  ['ALTER TABLE t DISABLE TRIGGER ALL', /ALTER TABLE/],
  ['ALTER TABLE t ENABLE ROW LEVEL SECURITY', /ALTER TABLE/],
  ['ALTER VIEW v RENAME a TO b', /ALTER/],
  ['ALTER INDEX i RENAME TO j', /ALTER INDEX/],
  ['DROP VIEW v', /DROP VIEW/],
  ['ANALYZE', /ANALYZE/],
  ['ANALYZE (VERBOSE) t', /ANALYZE/],
  ['CREATE MATERIALIZED VIEW n AS SELECT 1', /CREATE MATERIALIZED VIEW/],
  ['EXPLAIN ANALYZE CREATE TABLE n AS SELECT 1', /CREATE TABLE/],
  ['EXPLAIN REFRESH MATERIALIZED VIEW n', /REFRESH/],
  // COPY other than from and to the client.
  ["COPY t FROM '/etc/passwd'", /COPY .* file/],
  ["COPY t TO '/tmp/t'", /COPY .* file/],
  ["COPY t TO PROGRAM 'sh'", /program/],
  ["COPY t FROM PROGRAM 'sh'", /program/],
  ["COPY (SELECT 1) TO PROGRAM 'sh'", /program/],
  ['COPY (DELETE FROM t RETURNING *) TO STDOUT', /COPY/],
  ['COPY (INSERT INTO t VALUES (1) RETURNING *) TO STDOUT', /COPY/],
  ['COPY (WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d) TO STDOUT', /COPY/],
  // Code that runs on the server.
  ['DO LANGUAGE sql $$ DELETE FROM t $$', /^DO /],
  ['DO LANGUAGE plpgsql', /^DO /],
  ["LOAD 'library'", /LOAD/],
  // Locks, messages, two-phase commit, cursors.
  ['LOCK TABLE t IN ACCESS EXCLUSIVE MODE', /LOCK/],
  ["NOTIFY c, 'x'", /NOTIFY/],
  ["COMMIT PREPARED 'x'", /prepare transactions/],
  ["ROLLBACK PREPARED 'x'", /prepare transactions/],
  ['DECLARE c CURSOR FOR WITH d AS (DELETE FROM t RETURNING 1) SELECT * FROM d', /DECLARE CURSOR/],
  // Schema, rights, maintenance.
  ['CREATE TABLE n (a int)', /CREATE TABLE/],
  ['CREATE UNIQUE INDEX CONCURRENTLY i ON t (a)', /CREATE INDEX/],
  ['CREATE VIEW v AS SELECT 1', /CREATE VIEW/],
  ['CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$', /CREATE FUNCTION/],
  ['CREATE FUNCTION f() RETURNS int BEGIN ATOMIC DELETE FROM t; SELECT 1; END', /CREATE FUNCTION/],
  ['CREATE TRIGGER g AFTER INSERT ON t EXECUTE FUNCTION f()', /CREATE TRIGGER/],
  ['CREATE RULE r AS ON SELECT TO t DO INSTEAD SELECT 1', /CREATE RULE/],
  ['CREATE SCHEMA s CREATE TABLE t (a int)', /CREATE SCHEMA/],
  ['CREATE SEQUENCE s', /CREATE SEQUENCE/],
  ['CREATE TYPE e AS ENUM ()', /CREATE TYPE/],
  ['CREATE TYPE c AS (a int)', /CREATE TYPE/],
  ['CREATE AGGREGATE a (int) (SFUNC = f, STYPE = int)', /CREATE AGGREGATE/],
  ['CREATE EXTENSION e', /CREATE EXTENSION/],
  ['CREATE ROLE r', /CREATE ROLE/],
  ['CREATE DATABASE d', /CREATE DATABASE/],
  ['CREATE POLICY p ON t FOR UPDATE USING (true)', /CREATE POLICY/],
  ['CREATE PUBLICATION p FOR ALL TABLES', /CREATE PUBLICATION/],
  ['ALTER TABLE t ADD COLUMN a int', /ALTER TABLE/],
  ['ALTER TABLE t RENAME COLUMN a TO b', /ALTER TABLE/],
  ['ALTER TABLE t OWNER TO r', /ALTER TABLE/],
  ['ALTER SEQUENCE s RESTART', /ALTER SEQUENCE/],
  ['ALTER ROLE r SET default_transaction_read_only = off', /ALTER ROLE/],
  ['ALTER DATABASE d SET default_transaction_read_only = off', /ALTER DATABASE/],
  ['ALTER SYSTEM SET fsync = off', /ALTER SYSTEM/],
  ['ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO r', /ALTER DEFAULT PRIVILEGES/],
  ['DROP TABLE IF EXISTS a, b CASCADE', /DROP TABLE/],
  ['DROP MATERIALIZED VIEW v', /DROP MATERIALIZED VIEW/],
  ['DROP DATABASE d', /DROP DATABASE/],
  ['DROP OWNED BY r', /DROP OWNED/],
  ['COMMENT ON TABLE t IS NULL', /COMMENT/],
  ["SECURITY LABEL ON TABLE t IS 'x'", /SECURITY LABEL/],
  ['GRANT SELECT ON t TO r', /GRANT/],
  ['REVOKE ALL ON t FROM r', /REVOKE/],
  ['GRANT a TO b', /GRANT/],
  ['REASSIGN OWNED BY a TO b', /REASSIGN/],
  ['IMPORT FOREIGN SCHEMA s FROM SERVER v INTO t', /IMPORT FOREIGN SCHEMA/],
  ['VACUUM FULL t', /VACUUM/],
  ['ANALYZE t', /ANALYZE/],
  ['REINDEX TABLE t', /REINDEX/],
  ['CLUSTER t', /CLUSTER/],
  ['REFRESH MATERIALIZED VIEW v', /REFRESH MATERIALIZED VIEW/],
  ['CHECKPOINT', /CHECKPOINT/],
];

/** Refusals with a more specific SQLSTATE than 0A000. */
const others: readonly (readonly [sql: string, sqlstate: string, message: RegExp])[] = [
  ['SET client_encoding = SJIS', '55P02', /"client_encoding"/],
  ["SET NAMES 'BIG5'", '55P02', /"client_encoding"/],
  ["SET Client_Encoding TO 'euc_jp'", '55P02', /"client_encoding"/],
  ['SET standard_conforming_strings = off', '55P02', /"standard_conforming_strings"/],
  ['SET LOCAL standard_conforming_strings = 0', '55P02', /"standard_conforming_strings"/],
  ['SET backslash_quote = on', '55P02', /"backslash_quote"/],
  ['SET session_replication_role = replica', '55P02', /"session_replication_role"/],
  ['SET track_counts = off', '55P02', /"track_counts"/],
  ["SET stage.session = 'x'", '55P02', /"stage.session"/],
  ['SET LOCAL "stage.session" = \'x\'', '55P02', /"stage.session"/],
  ['SET "Stage"."x" TO DEFAULT', '55P02', /"Stage.x"/],
  ['RESET stage.session', '55P02', /"stage.session"/],
  ['RESET transaction_read_only', '55P02', /"transaction_read_only"/],
  ['SET transaction_read_only TO DEFAULT', '55P02', /"transaction_read_only"/],
  ["SET SESSION AUTHORIZATION 'postgres'", '55P02', /"session_authorization"/],
  ['SET allow_system_table_mods = on', '55P02', /"allow_system_table_mods"/],
  ['SET default_transaction_read_only = maybe', '22023', /requires a Boolean value/],
  ['SET LOCAL default_transaction_read_only = off', '0A000', /SET LOCAL/],
  [
    'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE, ISOLATION LEVEL SERIALIZABLE',
    '0A000',
    /CHARACTERISTICS/,
  ],
  ['INSERT INTO stage.session VALUES (1)', '42501', /permission denied for table "session"/],
  ['UPDATE "stage_data".shadow_1 SET a = 1', '42501', /permission denied/],
  ['DELETE FROM stage_overlay_2200.t', '42501', /permission denied/],
  ['WITH d AS (DELETE FROM db . stage . mutation) SELECT 1', '42501', /permission denied/],
  ['UPDATE U&"\\0073tage".session SET a = 1', '42501', /permission denied/],
  ["UPDATE pg_catalog.pg_class SET relname = 'x'", '42501', /system catalog/],
  ['DELETE FROM information_schema.sql_features', '42501', /system catalog/],
  ['INSERT INTO PG_Toast.x VALUES (1)', '42501', /system catalog/],
  ['DROP TABLE pg_catalog.pg_class', '42501', /system catalog/],
  ["UPDATE pg_settings SET setting = 'on' WHERE name = 'jit'", '0A000', /by UPDATE of pg_settings/],
  ["UPDATE pg_catalog.pg_settings SET setting = 'on'", '0A000', /by UPDATE of pg_settings/],
  ['DROP TABLE pg_temp.a, stage.session', '42501', /permission denied/],
  ['ALTER TABLE stage.session ADD a int', '42501', /permission denied/],
];

suite('sql: refusals', (test) => {
  test.before(loadParser);
  for (const [sql, message] of unsupported) {
    test(sql, () => {
      const refusal = refusalOf(sql);
      assert.match(refusal.message, message);
      assert.is(refusal.sqlstate, '0A000');
      assert.match(refusal.hint, /^[A-Z].*\.$/, 'a hint is a sentence');
      assert.not.match(refusal.hint, /direct/, 'no hint leads around the review');
    });
  }
  for (const [sql, sqlstate, message] of others) {
    test(sql, () => {
      const refusal = refusalOf(sql);
      assert.is(refusal.sqlstate, sqlstate);
      assert.match(refusal.message, message);
      assert.match(refusal.hint, /^[A-Z].*\.$/, 'a hint is a sentence');
    });
  }

  // Parse trees that a newer grammar would return.
  const unknown: readonly (readonly [what: string, tree: object])[] = [
    ['a statement', { FutureStmt: { relation: { relname: 't' } } }],
    ['no statement', {}],
    ['an expression', { SelectStmt: { targetList: [{ ResTarget: { val: { FutureExpr: {} } } }] } }],
    ['an item of FROM', { SelectStmt: { fromClause: [{ RangeFuture: { relation: {} } }] } }],
    [
      'a clause of its own',
      { SelectStmt: { futureClause: { something: [{ FutureClause: {} }] } } },
    ],
    ['a query in EXPLAIN', { ExplainStmt: { query: { FutureStmt: {} } } }],
    ['a transaction statement', { TransactionStmt: { kind: 'TRANS_STMT_FUTURE' } }],
    ['a kind of SET', { VariableSetStmt: { kind: 'VAR_SET_FUTURE', name: 'x' } }],
    ['a SET with modes', { VariableSetStmt: { kind: 'VAR_SET_MULTI', name: 'FUTURE' } }],
  ];
  for (const [what, tree] of unknown) {
    test(`${what} that is not known is refused`, () => {
      const verdict = classify(tree as Node, { text: Buffer.from('x'), offset: 0 });
      assert.is(verdict.kind, 'refuse');
    });
  }
});
