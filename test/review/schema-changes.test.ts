/** Tables that change under a session: a conflict if its staged rows no longer fit, otherwise no obstacle. */
import type { StageError } from '../../src/errors.ts';
import { createOverlayManager } from '../../src/overlay/install/manager.ts';
import { findConflicts } from '../../src/review/conflicts.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { rejectSession } from '../../src/review/decisions/reject.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE a (id int PRIMARY KEY, v int, w text);
CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a ON DELETE CASCADE);`;
const data = `INSERT INTO a VALUES (1, 1, 'x'), (2, 2, 'y'); INSERT INTO b VALUES (1, 1)`;
const nobody = { approvedBy: null, digest: null };

suite('schema changes', (test) => {
  let staging: StagingDatabase;
  test.beforeEach(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.afterEach(() => staging.close());

  async function proposed(statements: string): Promise<string> {
    const session = await staging.open();
    await staging.stage(session, statements);
    await proposeSession(staging.service, session);
    return session;
  }

  for (const [change, column, reason] of [
    ['ALTER TABLE a DROP COLUMN v', 'v', 'the column was dropped'],
    [
      'ALTER TABLE a ALTER COLUMN v TYPE bigint',
      'v',
      "the column's type was integer and is bigint now",
    ],
    [
      'ALTER TABLE a ALTER COLUMN v TYPE bigint; ALTER TABLE a RENAME v TO x',
      'v',
      "the column's type was integer and is bigint now, and is called x now",
    ],
    [
      'ALTER TABLE a DROP CONSTRAINT a_pkey CASCADE; ALTER TABLE a ADD PRIMARY KEY (v)',
      null,
      'its rows are identified by (v), no longer by (id)',
    ],
    ['DROP TABLE a CASCADE', null, 'the table was dropped'],
  ] as const) {
    test(`in the way: ${change}`, async () => {
      const session = await proposed('INSERT INTO a VALUES (5, 5)');
      const diff = await diffOf(staging.service, session);
      await staging.database.query(change);
      const found = await findConflicts(staging.service, session);
      assert.equal(
        found.map(({ table, kind, field, reason }) => [table, kind, field, reason]),
        [['a', 'schema', column, reason]],
      );
      const error = await rejects<StageError>(approveSession(staging.service, session, nobody));
      assert.is(error.code, 'conflict_detected');
      const place = column === null ? 'a' : `a ${column}`;
      assert.is(
        error.message,
        `production data changed since the session started; ${place}: ${reason}`,
      );
      assert.match(error.hint ?? '', /stage the changes anew/);
      // of the staged rows perhaps only the diff is left, which has another digest
      const { digest: _, ...left } = await diffOf(staging.service, session);
      assert.equal(left, { counts: diff.counts, changes: diff.changes }, 'the diff is still there');
      assert.is((await rejectSession(staging.service, session, null)).status, 'rejected');
      assert.is(await staging.stagedRows(session), 0);
    });
  }

  for (const change of [
    'ALTER TABLE a ADD CONSTRAINT positive CHECK (v > 0)',
    'CREATE UNIQUE INDEX w_once ON a (w)',
    'CREATE INDEX ON a (v)',
    'ALTER TABLE a RENAME TO renamed',
    'ALTER TABLE a ALTER COLUMN v SET DEFAULT 7',
    'CREATE TABLE c (id int PRIMARY KEY, a int REFERENCES a ON DELETE CASCADE)',
    'ALTER TABLE b DROP CONSTRAINT b_a_fkey',
    'GRANT SELECT ON a TO PUBLIC',
  ]) {
    test(`no obstacle: ${change}`, async () => {
      const session = await proposed(
        'INSERT INTO a VALUES (5, 5); UPDATE a SET v = 9 WHERE id = 2',
      );
      await staging.database.query(change);
      assert.is((await approveSession(staging.service, session, nobody)).status, 'approved');
      const name = change.includes('RENAME TO') ? 'renamed' : 'a';
      const rows = await staging.database.query(`SELECT id, v FROM ${name} ORDER BY id`);
      assert.equal(rows, [
        { id: 1, v: 1 },
        { id: 2, v: 9 },
        { id: 5, v: 5 },
      ]);
    });
  }

  test('a diff shows values under the present names of their columns', async () => {
    const session = await staging.open();
    await staging.stage(session, 'INSERT INTO a VALUES (5, 5); UPDATE a SET v = 9 WHERE id = 2');
    await staging.database.query(
      'ALTER TABLE a RENAME v TO former; ALTER TABLE a ADD v int DEFAULT 7',
    );
    const { changes, digest } = await diffOf(staging.service, session);
    assert.equal(
      changes.map(({ before, after }) => [before, after]),
      [
        [null, { id: 5, former: 5, w: null, v: 7 }],
        [
          { id: 2, former: 2, w: 'y', v: 7 },
          { id: 2, former: 9, w: 'y', v: 7 },
        ],
      ],
    );
    await proposeSession(staging.service, session);
    const decision = { approvedBy: null, digest };
    assert.is((await approveSession(staging.service, session, decision)).status, 'approved');
    assert.equal(await staging.database.query('SELECT id, former, v FROM a ORDER BY id'), [
      { id: 1, former: 1, v: 7 },
      { id: 2, former: 9, v: 7 },
      { id: 5, former: 5, v: 7 },
    ]);
  });

  test('a new table that a staged deletion would cascade to is looked at, too', async () => {
    const session = await proposed('DELETE FROM a WHERE id = 2');
    await staging.database.query(
      'CREATE TABLE c (id int PRIMARY KEY, a int REFERENCES a ON DELETE CASCADE); INSERT INTO c VALUES (7, 2)',
    );
    const found = await findConflicts(staging.service, session);
    assert.equal(
      found.map(({ table, kind, rowId }) => [table, kind, rowId.text]),
      [['c', 'cascade', '7']],
    );
  });

  const freeing = { 'DROP TABLE a CASCADE': ['schema'], 'ALTER TABLE a RENAME TO former': [] };
  for (const [change, conflicts] of Object.entries(freeing)) {
    test(`another table takes the name after: ${change}`, async () => {
      const [before, after] = [await staging.open(), await staging.open()];
      await staging.stage(before, 'INSERT INTO a VALUES (5, 5)');
      await staging.database.query(`${change}; CREATE TABLE a (id int PRIMARY KEY, other text)`);
      const relation = await staging.database.query<{ oid: number }>(
        `SELECT 'a'::regclass::oid::int AS oid`,
      );
      await createOverlayManager(staging.service).ensure(relation.map(({ oid }) => oid));
      await staging.stage(after, `INSERT INTO a VALUES (5, 'new')`);
      await proposeSession(staging.service, before);
      const found = await findConflicts(staging.service, before);
      assert.equal(
        found.map(({ kind }) => kind),
        conflicts,
      );
      await proposeSession(staging.service, after);
      assert.is((await approveSession(staging.service, after, nobody)).status, 'approved');
      assert.equal(await staging.database.query('SELECT * FROM a'), [{ id: 5, other: 'new' }]);
    });
  }
});
