/** Tables without a key: rows that nothing distinguishes are changed, reviewed and applied as PostgreSQL would. */

import { findConflicts } from '../../src/review/conflicts.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import type { Differential } from '../helpers/differential.ts';
import { createDifferential } from '../helpers/differential.ts';
import { replay } from '../helpers/replay.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const schema = `
CREATE TABLE log (a int, b text, j json);
CREATE TABLE event (at timestamptz NOT NULL, code text UNIQUE, n float8, owner aclitem);
CREATE INDEX ON event (at);
CREATE TABLE note (code text REFERENCES event (code) ON DELETE CASCADE ON UPDATE CASCADE, t text, "End" numeric,
  size int GENERATED ALWAYS AS (length(t)) STORED);
CREATE TABLE later (a int PRIMARY KEY DEFERRABLE, b int UNIQUE NULLS NOT DISTINCT);
CREATE TABLE routed (k int NOT NULL, v text) PARTITION BY LIST (k);
CREATE TABLE routed_1 PARTITION OF routed FOR VALUES IN (1); CREATE TABLE routed_2 PARTITION OF routed FOR VALUES IN (2);
CREATE TABLE none (a int);
`;
const data = `
INSERT INTO log VALUES (1,'x','{}'),(1,'x','{}'),(2,'y',NULL),(3,NULL,'[1]'),(NULL,NULL,NULL),(NULL,NULL,NULL),(4,'z','{"a": 1}'),(4,'z','{"a":1}');
INSERT INTO event VALUES ('2026-01-01','a',0.1,NULL),('2026-01-01',NULL,'-0',NULL),('2026-01-01',NULL,'0',NULL),('infinity','b','NaN','postgres=r/postgres');
INSERT INTO note (code, t, "End") VALUES ('a','one',1.0),('a','one',1.00),('a','one',1.0),('b','two',NULL),(NULL,NULL,NULL);
INSERT INTO later VALUES (1,1),(2,2),(3,NULL);
INSERT INTO routed VALUES (1,'a'),(1,'a'),(2,'b'),(2,'b');
`;

const cases: Record<string, string> = {
  insert: `INSERT INTO log VALUES (9,'n','{}'),(9,'n','{}'),(1,'x','{}') RETURNING *; UPDATE log SET b = 'm' WHERE a = 9; DELETE FROM log WHERE a = 9`,
  'update of one row': `UPDATE log SET b = 'yy' WHERE a = 2 RETURNING *; UPDATE log SET a = 20 WHERE b = 'yy'; DELETE FROM log WHERE a = 20`,
  'update of equal rows': `UPDATE log SET b = 'xx' WHERE a = 1 RETURNING *; UPDATE log SET b = 'x' WHERE a = 1; DELETE FROM log WHERE a = 1 RETURNING *`,
  'rows of nulls': `UPDATE log SET a = 7 WHERE a IS NULL; DELETE FROM log WHERE a = 7`,
  'equal but for blanks': `DELETE FROM log WHERE j::text = '{"a":1}'; UPDATE log SET a = 5 WHERE a = 4`,
  'equal by the operator, but not the same': `DELETE FROM event WHERE n::text = '-0'; UPDATE event SET n = 1 WHERE n = 0; UPDATE note SET "End" = 2 WHERE "End"::text = '1.00'`,
  'inserted beside equal rows of production': `INSERT INTO log VALUES (1,'x','{}'); UPDATE log SET b = 'w' WHERE a = 1 RETURNING a; DELETE FROM log WHERE a = 1`,
  'deleted and inserted again': `DELETE FROM log WHERE a = 1; INSERT INTO log VALUES (1,'x','{}'); UPDATE log SET b = 'v' WHERE a = 1`,
  'every row, again and again': `UPDATE log SET a = coalesce(a, 0) + 1; UPDATE log SET a = a + 1; DELETE FROM log WHERE a > 3; INSERT INTO log SELECT * FROM log; UPDATE log SET j = '[]'`,
  'made equal': `UPDATE log SET a = 1, b = 'x', j = '{}'; DELETE FROM log WHERE a = 1`,
  'some of equal rows': `UPDATE log SET b = 'p' FROM (SELECT count(*) AS n FROM log) x WHERE a = 1; UPDATE note SET t = t || length(t)`,
  'a staged row matched twice': `INSERT INTO log VALUES (9,'n','{}'); UPDATE log SET b = 'm' WHERE a = 9; UPDATE log SET b = 'o' WHERE a = 2; UPDATE log SET b = 'r' FROM (VALUES (2),(2)) v(x) WHERE a = x; DELETE FROM log USING (VALUES (2),(2)) v(x) WHERE a = x`,
  'foreign key to a unique column': `UPDATE event SET code = 'aa' WHERE code = 'a'; SELECT * FROM note; INSERT INTO note VALUES ('a'); INSERT INTO note VALUES ('aa', 'x'); DELETE FROM event WHERE code = 'aa'; SELECT * FROM note; UPDATE note SET code = 'nope' WHERE code = 'b'`,
  'unique columns': `INSERT INTO event VALUES ('2026-01-01','a'); INSERT INTO event VALUES ('2026-01-01','n'),('2026-01-01','n'); INSERT INTO event VALUES ('2026-01-01','n'); UPDATE event SET code = 'b' WHERE code = 'n'; UPDATE event SET code = 'a2' WHERE code = 'a'; INSERT INTO event VALUES ('2026-01-01','a'); INSERT INTO event VALUES (NULL)`,
  'deferrable key': `UPDATE later SET a = 3 - a WHERE a < 3; INSERT INTO later VALUES (1, 9); INSERT INTO later VALUES (9, NULL); UPDATE later SET b = 1 WHERE a = 3; DELETE FROM later WHERE b IS NULL; INSERT INTO later VALUES (9, NULL)`,
  partitions: `UPDATE routed SET v = 'c' WHERE k = 1; UPDATE routed SET k = 3 - k; DELETE FROM routed WHERE v = 'b'`,
  'generated columns': `UPDATE note SET t = 'three' WHERE code IS NULL RETURNING size; UPDATE note SET size = 1; DELETE FROM note WHERE size = 3 RETURNING t`,
  'an empty table': `UPDATE none SET a = 1; DELETE FROM none; INSERT INTO none VALUES (1); UPDATE none SET a = 2 RETURNING a`,
};

suite('tables without a key, staged', (test) => {
  let differential: Differential;
  test.before(async () => {
    differential = await createDifferential(schema + data);
  });
  test.after(() => differential.close());
  for (const [name, statements] of Object.entries(cases)) {
    test(name, async () => {
      const { direct, staged } = await differential.compare(statements);
      assert.equal(withoutLeaf(staged), withoutLeaf(direct));
    });
  }

  test('a row matched several times is refused', async () => {
    const { staged } = await differential.compare(
      'DELETE FROM log USING (VALUES (2),(2)) v(x) WHERE a = x',
    );
    const [outcome] = staged.outcomes;
    assert.ok(outcome && 'error' in outcome);
    assert.is(outcome.error['code'], '0A000');
    assert.match(outcome.error['message'] ?? '', /"log": a row was matched several times/);
    assert.match(outcome.error['hint'] ?? '', /primary key/);
  });

  test('of equal rows those that a statement left alone stay', async () => {
    const { staged } = await differential.compare(
      'SELECT setseed(0.3); UPDATE note SET t = (random() < 0.5)::text WHERE code = $$a$$',
    );
    assert.is(staged.contents['note']?.length, 5);
  });
});

/** Removes the names of partitions: through the root PostgreSQL names the partition and its constraint. */
const withoutLeaf = (story: object) =>
  JSON.parse(JSON.stringify(story).replaceAll(/routed_[12]/g, 'routed')) as unknown;

suite('tables without a key, approved', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.afterEach(() => staging.reset());

  const wanted = Object.entries(cases).filter(
    ([name]) =>
      !['unique columns', 'foreign key to a unique column', 'deferrable key'].includes(name),
  );
  for (const [name, statements] of wanted) {
    const good = statements.split(';').filter((text) => !/size = 1|\(3, 'x'\)/.test(text));
    test(name, () => replay(staging, good.join(';')));
  }
  test('actions of foreign keys', () =>
    replay(
      staging,
      `UPDATE event SET code = 'aa' WHERE code = 'a'; INSERT INTO note VALUES ('aa', 'x'); UPDATE event SET code = 'c' WHERE code = 'aa'`,
    ));
  test('cascading deletes', () => replay(staging, `DELETE FROM event WHERE code = 'a'`));
  test('a deferrable key', () => replay(staging, 'UPDATE later SET a = 3 - a WHERE a < 3'));

  test('the diff tells each row', async () => {
    const session = await staging.open();
    await staging.stage(
      session,
      `UPDATE log SET b = 'xx' WHERE a = 1; DELETE FROM log WHERE a = 2`,
    );
    const { changes } = await diffOf(staging.service, session);
    const before = { a: 1, b: 'x', j: {} };
    assert.equal(
      changes.map(({ type, before: old, after }) => ({ type, before: old, after })),
      [
        { type: 'UPDATE', before, after: { ...before, b: 'xx' } },
        { type: 'UPDATE', before, after: { ...before, b: 'xx' } },
        { type: 'DELETE', before: { a: 2, b: 'y', j: null }, after: null },
      ],
    );
    assert.match(String(changes[0]?.rowId), /^[0-9a-f]{16}$/);
    assert.is(changes[0]?.rowId, changes[1]?.rowId);
  });

  test('a touched row that is no longer there is a conflict', async () => {
    const session = await staging.open();
    await staging.stage(session, `UPDATE log SET b = 'xx' WHERE a IN (1, 2)`);
    await staging.database.query(`INSERT INTO log VALUES (1,'x','{}')`);
    assert.equal(await findConflicts(staging.service, session), []);
    await staging.database.query(
      `DELETE FROM log WHERE a = 1; INSERT INTO log VALUES (1,'x','{}')`,
    );
    const conflicts = await findConflicts(staging.service, session);
    assert.equal(
      conflicts.map(({ table, kind, sessionBase }) => [table, kind, sessionBase?.text]),
      [['log', 'gone', '{"a": 1, "b": "x", "j": {}}']],
    );
    await proposeSession(staging.service, session);
    const approval = { approvedBy: null, digest: null };
    const error = await rejects(approveSession(staging.service, session, approval));
    assert.is((error as { code?: string }).code, 'conflict_detected');
  });

  test('two connections that change the same row wait for each other', async () => {
    const session = await staging.open();
    const [one, two] = [await staging.connect(session), await staging.connect(session)];
    const stage = `SELECT stage.begin_statement('q', '[]', '[]', '{}', current_setting('search_path'))`;
    await one.query(`BEGIN; ${stage}; UPDATE log SET b = 'one' WHERE a = 2`);
    const refused = rejects(two.query(`BEGIN; ${stage}; UPDATE log SET b = 'two' WHERE a = 2`));
    await until(async () => {
      const waiting = await staging.database.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    await one.query('COMMIT');
    assert.is(((await refused) as { code?: string }).code, 'ST002');
    await Promise.all([one.end(), two.end()]);
  });
});
