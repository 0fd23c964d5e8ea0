/** Which statements count as writes to production when the traffic of the proxy is checked. */
import { rawWrites } from './raw-writes.ts';
import { assert, suite } from './suite.ts';

const raw: readonly string[] = [
  'INSERT INTO t VALUES (1)',
  'insert into public.t select 1',
  'UPDATE ONLY t SET v = 1',
  'DELETE FROM "stage.t"',
  'MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE',
  'WITH x AS (DELETE FROM t RETURNING 1) SELECT * FROM x',
  'SELECT (SELECT 1 FROM (VALUES (1)) v), 2; SELECT 1; TRUNCATE stage.session, t',
  'COPY t FROM STDIN',
  'COPY (DELETE FROM t RETURNING 1) TO STDOUT',
  'PREPARE p AS UPDATE t SET v = $1',
  'EXPLAIN (ANALYZE, COSTS OFF) DELETE FROM t',
  'EXPLAIN ANALYZE EXECUTE p; DELETE FROM t',
  'DECLARE c CURSOR FOR WITH x AS (INSERT INTO t VALUES (1) RETURNING 1) SELECT 1',
  'INSERT INTO stage_overlays_1.t VALUES (1)',
  'INSERT INTO stage_data_.t VALUES (1)',
];

const harmless: readonly string[] = [
  'SELECT 1; TABLE t; COPY t TO STDOUT',
  'INSERT INTO stage_overlay_2200.t SELECT * FROM t',
  'WITH x AS (UPDATE stage_upsert_2200.t SET v = 1 RETURNING 1) SELECT * FROM x, t',
  'COPY stage_overlay_2200.t FROM STDIN',
  'EXPLAIN DELETE FROM t',
  'INSERT INTO pg_temp.filled SELECT 1',
  'DELETE FROM stage_data.shadow_1',
  'SELECT 1 FROM nowhere WHERE (',
  'EXECUTE p',
];

suite('writes that go to production', (test) => {
  for (const text of raw) test(text, () => assert.is(rawWrites(text).length, 1));
  for (const text of harmless) test(text, () => assert.equal(rawWrites(text), []));
});
