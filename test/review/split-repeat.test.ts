/** Approvals that are sent again once a part was approved: only the same request is a repeat of it. */
import type { StageError } from '../../src/errors.ts';
import { JsonText } from '../../src/model/json.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { data, schema } from '../helpers/reverting.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

const choice = (table: string, key: string | null) => ({
  table,
  rowId: key === null ? null : new JsonText(key),
});
const anOdd = choice('odd', '{"a": 1, "b": "x"}');
const anOwner = choice('owner', '1');

suite('approvals of a part, repeated', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
  });
  test.after(() => staging.close());
  test.beforeEach(() => staging.reset());

  const approve = (
    session: string,
    digest: string | null,
    rows: readonly ReturnType<typeof choice>[] | null,
    withTies = false,
  ) =>
    approveSession(staging.service, session, {
      approvedBy: 'bob',
      digest,
      only: rows && { rows, withTies },
    });

  async function partlyApproved() {
    const session = await staging.open();
    await staging.stage(
      session,
      `UPDATE owner SET name = name || '!' WHERE id = 1; UPDATE odd SET n = 5 WHERE a = 1; DELETE FROM node WHERE id = 3`,
    );
    await proposeSession(staging.service, session, 'ann');
    const { digest } = await diffOf(staging.service, session);
    const done = await approve(session, digest, [anOwner, anOdd]);
    return { session, digest, done, rest: done.remaining ?? '' };
  }

  test('return the approved session for the same part, however it is written', async () => {
    const { session, digest, done, rest } = await partlyApproved();
    const same = [
      [anOwner, anOdd],
      [choice('odd', ' {"b":"x","a":1}'), anOwner, anOwner],
    ];
    for (const rows of same) {
      const again = await approve(session, digest, rows);
      assert.equal([again.status, again.remaining], ['approved', rest]);
      assert.equal(again, done);
    }
    const { digest: applied } = await diffOf(staging.service, session);
    for (const rows of [null, [anOwner, anOdd]])
      assert.is((await approve(session, applied, rows)).remaining, rest);
  });

  test('are refused for the whole, for other parts and without a digest, and apply nothing', async () => {
    const { session, digest, rest } = await partlyApproved();
    const { digest: applied } = await diffOf(staging.service, session);
    const before = await staging.contents();
    const others = [
      () => approve(session, digest, null),
      () => approve(session, null, null),
      () => approve(session, digest, [choice('node', '3')]),
      () => approve(session, applied, [choice('node', '3')]),
      () => approve(session, digest, [anOwner]),
      () => approve(session, digest, [choice('owner', null), anOdd]),
      () => approve(session, digest, [anOwner, anOdd], true),
    ];
    for (const [index, other] of others.entries()) {
      const { code, hint, facts } = await rejects<StageError>(other());
      assert.equal([code, facts['remaining_session_id']], ['invalid_transition', rest], `${index}`);
      assert.match(hint ?? '', new RegExp(`stage propose ${rest}`));
    }
    assert.equal(await staging.contents(), before);
    await proposeSession(staging.service, rest, 'ann');
    assert.is((await approve(rest, null, null)).status, 'approved');
  });
});
