/**
 * Random sessions are approved, reverted, and the revert is reverted: all tables are as they were, each time.
 * STAGE_TEST_STATEMENTS is the number of scripts, STAGE_TEST_SEED the first seed; STAGE_TEST_TOGETHER scripts share a session, each with
 * its own rows.
 */
import { StageError } from '../../src/errors.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { revertSession } from '../../src/review/decisions/revert.ts';
import { brokenInvariants } from '../helpers/invariants.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { dataOf, schema, stageOnPlots } from '../helpers/reverting.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const scripts = drawn(8, 'STATEMENTS');
const first = firstSeed();
const together = Number(process.env['STAGE_TEST_TOGETHER'] ?? 1);
const plain = { skipChanged: false, revertedAs: null, lockTimeoutMs: 5_000 };

suite('random reverts', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, dataOf(together));
  });
  test.after(() => staging.close());

  test(
    'bring all tables back',
    async () => {
      let reverted = 0;
      let statements = 0;
      const refusals: string[] = [];
      for (let seed = first; seed < first + scripts; seed += together) {
        await staging.reset();
        const before = await staging.contents();
        const session = await staging.open();
        const taken = await stageOnPlots(staging, session, { seed, plots: together, count: 6 });
        const script = taken.join('; ');
        statements += taken.length;
        await approve(session);
        const after = await staging.contents();
        try {
          const made = await revert(session, script);
          await approve(made);
          assert.equal(await staging.contents(), before, `seed ${seed}: ${script}`);
          const again = await revert(made, script);
          await approve(again);
          assert.equal(await staging.contents(), after, `seed ${seed}, again: ${script}`);
          reverted += together;
        } catch (error) {
          if (!(error instanceof StageError)) throw error;
          refusals.push(`seed ${seed}: ${error.code} ${error.message}\n${script}`);
        }
      }
      assert.equal(refusals, []);
      assert.is(reverted, Math.ceil(scripts / together) * together);
      assert.ok(statements > 2 * scripts, `${statements} statements were taken`);
    },
    { timeout: 36_000_000 },
  );

  async function revert(session: string, script: string): Promise<string> {
    const { id } = (await revertSession(staging.service, session, plain)).session;
    assert.equal(await brokenInvariants(staging.database), [], script);
    return id;
  }

  async function approve(session: string): Promise<void> {
    await proposeSession(staging.service, session);
    await approveSession(staging.service, session, { approvedBy: null, digest: null });
  }
});
