/**
 * Rehearsals beside approvals, proposals, writes and the end of the daemon: each session is applied once, and nothing of a rehearsal
 * remains. Connections of two daemons share the work. `STAGE_TEST_ROUNDS=1000 npm test -- review/rehearse-races` is the long form.
 */
import type { Database } from '../../src/db/database.ts';
import type { StageError } from '../../src/errors.ts';
import { findConflicts } from '../../src/review/conflicts.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { rehearseSession } from '../../src/review/rehearsal/rehearse.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import { getSession } from '../../src/staging/session-store.ts';
import { drawn } from '../helpers/net.ts';
import { data, fingerprint, schema, usual } from '../helpers/rehearsing.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const rounds = drawn(4, 'ROUNDS');
const patient = { ...usual, lockTimeoutMs: 20_000 };

suite('rehearsal: races', (test) => {
  let staging: StagingDatabase;
  let other: Database;
  test.before(async () => {
    staging = await createStagingDatabase(schema, data);
    other = staging.another();
  });
  test.after(() => staging.close());
  test.beforeEach(() => staging.reset());

  /** Returns the outcome of a step: `done`, or the code of its error. */
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: StageError) => error.code ?? error.message,
    );

  test(
    'approvals of other sessions land beside rehearsals of the same rows',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const sessions = await Promise.all(
          [1, 2].map(async (id) => {
            const session = await staging.open('column');
            const column = id === 1 ? 'name = name || $$.$$' : 'stock = stock + 1';
            await staging.stage(session, `UPDATE product SET ${column} WHERE id IN (1, 2)`);
            await proposeSession(staging.service, session);
            return session;
          }),
        );
        const [first = '', second = ''] = sessions;
        const approval = { approvedBy: null, digest: null, lockTimeoutMs: 20_000 };
        const reported = await Promise.all([
          outcome(rehearseSession(staging.service, second, patient)),
          outcome(approveSession(other, first, approval)),
          outcome(rehearseSession(other, second, patient)),
          outcome(approveSession(staging.service, second, approval)),
        ]);
        const allowed = ['done', 'session_busy', 'invalid_transition'];
        assert.ok(
          [reported[0], reported[2]].every((text) => allowed.includes(text ?? '')),
          reported.join(),
        );
        assert.equal([reported[1], reported[3]], ['done', 'done']);
      }
      assert.is((await verifyAudit(staging.service)).firstBad, null);
      const [row] = await staging.database.query<{ stock: number; length: number }>(
        'SELECT stock, length(name) AS length FROM product WHERE id = 1',
      );
      assert.equal([row?.stock, row?.length], [10 + rounds, 2 + rounds]);
    },
    { timeout: 120_000 + rounds * 2_000 },
  );

  test(
    'a session is rehearsed before or after it is proposed, written to or approved, never between',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const session = await staging.open();
        await staging.stage(session, `UPDATE plain SET a = 'r${round}' WHERE id = 1`);
        const reported = await Promise.all([
          outcome(rehearseSession(staging.service, session, patient)),
          outcome(staging.stage(session, `UPDATE plain SET a = 's${round}' WHERE id = 2`)),
          outcome(proposeSession(other, session)),
          outcome(rehearseSession(other, session, patient)),
        ]);
        assert.equal([reported[0], reported[2], reported[3]], ['done', 'done', 'done']);
        assert.ok(['done', '25006'].includes(reported[1] ?? ''), reported[1]);
        await approveSession(staging.service, session, { approvedBy: null, digest: null });
        assert.is((await getSession(staging.service, session)).status, 'approved');
      }
      const [row] = await staging.database.query<{ a: string }>('SELECT a FROM plain WHERE id = 1');
      assert.is(row?.a, `r${rounds - 1}`);
    },
    { timeout: 120_000 + rounds * 2_000 },
  );

  test('nothing stays of one whose connection is cut', async () => {
    await staging.database.query(`
      CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN PERFORM pg_sleep(60); RETURN NULL; END $$;
      CREATE TRIGGER sleep AFTER UPDATE ON merging FOR EACH ROW EXECUTE FUNCTION sleep()`);
    const session = await staging.open();
    await staging.stage(session, 'UPDATE merging SET b = 3');
    // makes the overlay current, of which the new trigger is a part
    await findConflicts(staging.service, session, false);
    const before = await fingerprint(staging);
    const cut = rejects<StageError>(rehearseSession(staging.service, session, usual));
    await until(async () => {
      const ended = await staging.database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      );
      return ended.length > 0;
    });
    assert.is((await cut).code, 'upstream_unavailable');
    assert.is(await fingerprint(staging), before);
  });
});
