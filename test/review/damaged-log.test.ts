/** An approval after a loss of the mutation log applies all of the staged rows, or none. */
import type { StageError } from '../../src/errors.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { rehearseSession } from '../../src/review/rehearsal/rehearse.ts';
import { usual } from '../helpers/rehearsing.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE a (id int PRIMARY KEY, v text);
CREATE TABLE b (id int PRIMARY KEY, v text);
CREATE TABLE loose (v text);
CREATE TABLE child (id int PRIMARY KEY, a int REFERENCES a ON DELETE CASCADE ON UPDATE CASCADE);`;
const data = `
INSERT INTO a SELECT g, 'x' FROM generate_series(1, 5) g; INSERT INTO b SELECT g, 'x' FROM generate_series(1, 5) g;
INSERT INTO loose VALUES ('x'), ('y'); INSERT INTO child VALUES (1, 1), (2, 2);`;

/** The statements that are staged beside a change of table a, and the table whose entries the log then loses. */
const stories: Readonly<Record<string, readonly [statements: string, forgotten: string]>> = {
  updates: [`UPDATE b SET v = 'y' WHERE id < 4`, 'b'],
  'an insert': [`INSERT INTO b VALUES (9, 'n')`, 'b'],
  'a delete': ['DELETE FROM b WHERE id = 5', 'b'],
  'rows without a key': [`UPDATE loose SET v = 'z'`, 'loose'],
  'a cascade of deletions': [`UPDATE b SET v = 'y'; DELETE FROM a WHERE id = 2`, 'a'],
  'a key that others follow': [`UPDATE b SET v = 'y'; UPDATE a SET id = 20 WHERE id = 2`, 'a'],
  'the newer of two versions': [
    `UPDATE b SET v = 'y' WHERE id = 1; DELETE FROM b WHERE id = 1`,
    `b' AND operation = 'DELETE`,
  ],
};

suite('approval with a damaged mutation log', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.beforeEach(() => staging.reset());

  test('applies all where it lacks nothing', async () => {
    const session = await staging.open();
    await staging.stage(
      session,
      `UPDATE a SET v = 'mine' WHERE id = 1; DELETE FROM a WHERE id = 2; UPDATE loose SET v = 'z'`,
    );
    await proposeSession(staging.service, session);
    const approved = await approveSession(staging.service, session, {
      approvedBy: null,
      digest: null,
    });
    assert.is(approved.status, 'approved');
  });

  for (const [name, [statements, forgotten]] of Object.entries(stories)) {
    test(`applies nothing where it lacks ${name}`, async () => {
      const before = await staging.contents();
      const session = await staging.open();
      await staging.stage(session, `UPDATE a SET v = 'mine' WHERE id = 1; ${statements}`);
      await proposeSession(staging.service, session);
      await staging.database.query(
        `DELETE FROM stage.mutation WHERE session = $1 AND table_name = '${forgotten}'`,
        [session.slice(5)],
      );
      const { failure } = await rehearseSession(staging.service, session, usual);
      assert.is(failure?.sqlstate, 'XX001');
      const { digest } = await diffOf(staging.service, session);
      const error = await rejects<StageError>(
        approveSession(staging.service, session, { approvedBy: null, digest }),
      );
      assert.equal([error.code, error.status, error.exit], ['apply_failed', 409, 3]);
      assert.match(error.message, /the mutation log lacks the statement that staged rows of/);
      assert.equal(await staging.contents(), before);
    });
  }
});
