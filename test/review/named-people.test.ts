/** Triggers of production can read who staged and approved the changes, and nobody else's SQL can forge that. */
import { JsonText } from '../../src/model/json.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { createSession } from '../../src/staging/session-store.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const schema = `
CREATE TABLE thing (id int PRIMARY KEY, n int);
CREATE TABLE told (session text, project text, author text, approver text);
CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO told SELECT current_setting('stage.session_id', true), current_setting('stage.project', true),
    current_setting('stage.author', true), current_setting('stage.approver', true);
  RETURN NULL;
END $$;
CREATE TRIGGER tell AFTER INSERT ON thing FOR EACH ROW EXECUTE FUNCTION tell();`;

suite('people of an approval', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema);
  });
  test.after(() => staging.close());

  async function reported(createdAs: string | null, approval: object): Promise<unknown> {
    const common = { projectId: 'shop', metadata: new JsonText('{}'), reads: 'staged' } as const;
    const { id } = await createSession(staging.service, { ...common, createdAs });
    await staging.stage(id, `SET stage.author = 'mallory'; INSERT INTO thing VALUES (1, 1)`);
    await proposeSession(staging.service, id);
    await approveSession(staging.service, id, { approvedBy: null, digest: null, ...approval });
    const [row] = await staging.database.query('DELETE FROM told RETURNING *');
    await staging.database.query('DELETE FROM thing');
    assert.is((row as { session: string }).session, id);
    return row;
  }

  test('are named by their tokens, else as they say', async () => {
    const both = { approvedBy: 'somebody', approvedAs: 'bob' };
    for (const [createdAs, approval, author, approver] of [
      ['ann', both, 'ann', 'bob'],
      [null, { approvedBy: 'somebody' }, '', 'somebody'],
      [null, {}, '', ''],
    ] as const) {
      const { session: _, ...rest } = (await reported(createdAs, approval)) as { session: string };
      assert.equal({ ...rest }, { project: 'shop', author, approver });
    }
  });

  test('are told to nobody afterwards', async () => {
    const [row] = await staging.service.query(
      `SELECT coalesce(current_setting('stage.author', true), '') AS author`,
    );
    assert.is(row?.['author'], '');
  });
});
