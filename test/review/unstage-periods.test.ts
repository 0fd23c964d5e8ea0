/**
 * Unstage with exclusion constraints over ranges, and, since PostgreSQL 18, with foreign keys with a PERIOD: rows that depend on each other
 * by overlapping periods go together, and the rest can be applied.
 */
import { JsonText } from '../../src/model/json.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { unstageRows } from '../../src/review/edits/unstage.ts';
import { serverMajor } from '../helpers/database.ts';
import { brokenInvariants } from '../helpers/invariants.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const exclusions = `
CREATE EXTENSION btree_gist;
CREATE TABLE slot (id int PRIMARY KEY, during int4range, EXCLUDE USING gist (during WITH &&));`;
const slots = `INSERT INTO slot VALUES (1, '[1,5)'), (2, '[5,10)');`;

const periods = `
CREATE TABLE room (id int, during int4range, note text, PRIMARY KEY (id, during WITHOUT OVERLAPS));
CREATE TABLE stay (id int PRIMARY KEY, room int, during int4range, FOREIGN KEY (room, PERIOD during) REFERENCES room)`;
const rooms = `INSERT INTO room VALUES (1, '[1,5)', 'a'), (1, '[5,10)', 'b'), (2, '[1,10)', 'c'), (3, '[1,9)', 'd');
INSERT INTO stay VALUES (1, 1, '[2,4)'), (2, 2, '[2,8)'), (3, 3, '[6,8)')`;

const room = (id: number, during: string): Row => ['room', { id, during }];
type Row = readonly [table: string, key: unknown];

/** The staged statements, the unstaged row, and the rows that must go with it. */
type Stories = Record<string, readonly [string, Row, readonly string[]]>;

const ofExclusions: Stories = {
  'a range that other rows have taken': [
    `DELETE FROM slot WHERE id = 1; INSERT INTO slot VALUES (3, '[1,3)'), (4, '[3,5)'), (5, '[10,11)')`,
    ['slot', 1],
    ['slot 3', 'slot 4'],
  ],
};

const ofPeriods: Stories = {
  'a row without which a period has a gap': [
    `INSERT INTO room VALUES (1, '[10,20)', 'n'); INSERT INTO stay VALUES (9, 1, '[6,12)'), (10, 1, '[6,9)')`,
    room(1, '[10,20)'),
    ['stay 9'],
  ],
  'a period that was made longer': [
    `UPDATE room SET during = '[1,20)' WHERE id = 2; INSERT INTO stay VALUES (9, 2, '[9,12)')`,
    room(2, '[1,10)'),
    ['stay 9'],
  ],
  'the second of two that took the place of one': [
    `UPDATE stay SET during = '[2,3)' WHERE id = 2; UPDATE room SET during = '[1,5)' WHERE id = 2; INSERT INTO room VALUES (2, '[5,10)', 'n');
     UPDATE stay SET during = '[2,8)' WHERE id = 2`,
    room(2, '[5,10)'),
    ['room {"id": 2, "during": "[1,10)"}', 'stay 2'],
  ],
  'a row that left before its period went': [
    `UPDATE stay SET during = '[2,4)' WHERE id = 3; UPDATE room SET during = '[1,5)' WHERE id = 3`,
    ['stay', 3],
    ['room {"id": 3, "during": "[1,9)"}'],
  ],
  'another value of the row': [
    `UPDATE room SET note = 'x' WHERE id = 2; INSERT INTO stay VALUES (9, 2, '[3,4)')`,
    room(2, '[1,10)'),
    [],
  ],
};

const major = await serverMajor();
const [schema, data, stories] =
  major < 18
    ? [exclusions, slots, ofExclusions]
    : [exclusions + periods, slots + rooms, { ...ofExclusions, ...ofPeriods }];

suite('unstage by periods', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.beforeEach(() => staging.reset());

  for (const [name, [statements, [table, key], expected]] of Object.entries(stories)) {
    test(`of ${name}`, async () => {
      const session = await staging.open();
      await staging.stage(session, statements);
      const done = await unstageRows(staging.service, session, {
        rows: [{ table, rowId: new JsonText(JSON.stringify(key)) }],
        withDependents: true,
        unstagedAs: null,
        trialMs: 30_000,
        lockTimeoutMs: 5_000,
      });
      const dependents = done.rows.filter(({ isDependent }) => isDependent);
      assert.is(done.isTried, true);
      assert.equal(dependents.map((row) => `${row.table} ${row.rowId?.text}`).sort(), expected);
      assert.equal(await brokenInvariants(staging.database), []);
      if ((await staging.stagedRows(session)) === 0) return;
      const shown = await staging.contents(session);
      await proposeSession(staging.service, session);
      await approveSession(staging.service, session, { approvedBy: null, digest: null });
      assert.equal(await staging.contents(), shown);
    });
  }
});
