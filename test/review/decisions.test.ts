/** Verdicts: each leaves one record with the number of its event, which nobody changes, and an upgrade records those of before. */
import pg from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { expireSessions } from '../../src/review/decisions/expire.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { rejectSession } from '../../src/review/decisions/reject.ts';
import { reopenSession } from '../../src/review/decisions/reopen.ts';
import { listDecisions } from '../../src/staging/decision-store.ts';
import { listEvents } from '../../src/staging/event-store.ts';
import { getSession } from '../../src/staging/session-store.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

suite('decisions', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(
      'CREATE TABLE t (id int PRIMARY KEY, v text)',
      `INSERT INTO t SELECT g, 'v' FROM generate_series(1, 9) g`,
    );
  });
  test.after(() => staging.close());

  async function proposed(): Promise<string> {
    const id = await staging.open();
    await staging.stage(id, `UPDATE t SET v = v || '!' WHERE id = 1`);
    await proposeSession(staging.service, id, 'bot');
    return id;
  }
  const reopen = (id: string, asReviewer: boolean, message: string) =>
    reopenSession(staging.service, id, { message, reopenedAs: 'ann', asReviewer });
  const eventsOf = (id: string) => listEvents(staging.service, id, { after: '0', limit: 100 });
  const decisionsOf = async (id: string) =>
    (await listDecisions(staging.service, id, { limit: 100, offset: 0 })).decisions;
  const all = () => staging.database.query('SELECT * FROM stage.decision ORDER BY number');

  /** Returns the decisions of a session, each with the kind of the event of its number. */
  const reported = async (id: string) => {
    const kinds = new Map((await eventsOf(id)).map(({ number, kind }) => [number, kind]));
    return (await decisionsOf(id)).map(
      ({ number, round, verdict, by, claimedBy, message }) =>
        [kinds.get(number), verdict, round, by, claimedBy, message] as const,
    );
  };

  test('each verdict leaves one, with the number of its event', async () => {
    const id = await proposed();
    await reopen(id, true, 'only mugs');
    await proposeSession(staging.service, id, 'bot');
    await reopen(id, false, 'not yet');
    await proposeSession(staging.service, id, 'bot');
    const { digest } = await diffOf(staging.service, id);
    const approval = { approvedBy: 'Ann Lee', approvedAs: 'ann', digest };
    await approveSession(staging.service, id, approval);
    await approveSession(staging.service, id, approval);
    assert.equal(await reported(id), [
      ['changes_requested', 'request_changes', 1, 'ann', null, 'only mugs'],
      ['withdrawn', 'withdraw', 2, 'ann', null, 'not yet'],
      ['approved', 'approve', 3, 'ann', 'Ann Lee', null],
    ]);
    const last = (await decisionsOf(id)).at(-1);
    const session = await getSession(staging.service, id);
    assert.equal([last?.digest, last?.at], [digest, session.approvedAt]);
    const rejected = await proposed();
    await rejectSession(staging.service, rejected, 'wrong price', 'ann');
    assert.equal(await reported(rejected), [['rejected', 'reject', 1, 'ann', null, 'wrong price']]);
    const [young, old] = [await staging.open(), await proposed()];
    await expireSessions(staging.service, { active: 0, proposed: 0 });
    const expired = (await getSession(staging.service, old)).reason;
    assert.equal(await reported(old), [['expired', 'expire', 1, null, null, expired]]);
    assert.equal((await reported(young))[0]?.slice(0, 3), ['expired', 'expire', 0]);
  });

  test('what is refused leaves none', async () => {
    const id = await proposed();
    const digest = `sha256:${'0'.repeat(64)}`;
    await rejects(approveSession(staging.service, id, { approvedBy: null, digest }));
    assert.equal(await reported(id), []);
    await rejectSession(staging.service, id, null);
    await rejects(rejectSession(staging.service, id, null));
    assert.equal(await reported(id), [['rejected', 'reject', 1, null, null, null]]);
  });

  test('nobody changes one, not even the service account', async () => {
    for (const statement of [
      `UPDATE stage.decision SET by_as = 'bob'`,
      'DELETE FROM stage.decision',
      'TRUNCATE stage.decision',
    ])
      assert.is((await rejects(staging.database.query(statement))).code, '42501', statement);
    const client = new pg.Client({ connectionString: staging.database.url });
    await client.connect();
    try {
      await client.query('CREATE ROLE stage_test_decisions; SET ROLE stage_test_decisions');
      const refused = await rejects(client.query('SELECT FROM stage.decision'));
      assert.is(refused.code, '42501');
    } finally {
      await client.query('RESET ROLE; DROP ROLE stage_test_decisions');
      await client.end();
    }
  });

  test('an upgrade records the verdicts of before, also those that no event tells of', async () => {
    const before = await all();
    const id = await proposed();
    await rejectSession(staging.service, id, 'old', 'ann');
    await staging.database.query(`DROP TABLE stage.decision; DELETE FROM stage.migration WHERE number >= 31;
      ALTER TABLE stage.event DISABLE TRIGGER append_only;
      DELETE FROM stage.event WHERE session = '${id.slice(5)}' AND kind = 'rejected'`);
    await staging.database.query('ALTER TABLE stage.event ENABLE TRIGGER append_only');
    await migrate(staging.service);
    const after = await all();
    assert.equal(
      after.map(({ at: _, ...decision }) => decision).slice(0, before.length),
      before.map(({ at: _, ...decision }) => decision),
    );
    assert.is(after.length, before.length + 1);
    assert.equal(await reported(id), [['rejected', 'reject', 1, 'ann', null, 'old']]);
    const next = await proposed();
    await rejectSession(staging.service, next, null);
    assert.is((await reported(next)).length, 1);
  });
});
