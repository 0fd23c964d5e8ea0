/**
 * Random sessions are approved, taken back, and that is taken back: all tables are as they were, each time.
 * STAGE_TEST_STATEMENTS scripts, from STAGE_TEST_SEED on; STAGE_TEST_TOGETHER of them in one session, each with rows of its own.
 */
import { StageError } from '../../src/errors.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { revertSession } from '../../src/review/decisions/revert.ts';
import type { Desk } from '../helpers/desk.ts';
import { createDesk } from '../helpers/desk.ts';
import { brokenInvariants } from '../helpers/invariants.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { dataOf, schema, stageOnPlots } from '../helpers/reverting.ts';
import { assert, suite } from '../helpers/suite.ts';

const scripts = drawn(8, 'STATEMENTS');
const first = firstSeed();
const together = Number(process.env['STAGE_TEST_TOGETHER'] ?? 1);
const plain = { skipChanged: false, revertedAs: null, lockTimeoutMs: 5_000 };

suite('random reverts', (test) => {
  let desk: Desk;
  test.before(async () => {
    desk = await createDesk(schema, dataOf(together));
  });
  test.after(() => desk.close());

  test(
    'bring all tables back',
    async () => {
      let reverted = 0;
      let statements = 0;
      const refusals: string[] = [];
      for (let seed = first; seed < first + scripts; seed += together) {
        await desk.reset();
        const before = await desk.contents();
        const session = await desk.open();
        const taken = await stageOnPlots(desk, session, { seed, plots: together, count: 6 });
        const script = taken.join('; ');
        statements += taken.length;
        await approve(session);
        const after = await desk.contents();
        try {
          const made = await revert(session, script);
          await approve(made);
          assert.equal(await desk.contents(), before, `seed ${seed}: ${script}`);
          const again = await revert(made, script);
          await approve(again);
          assert.equal(await desk.contents(), after, `seed ${seed}, again: ${script}`);
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
    const { id } = (await revertSession(desk.service, session, plain)).session;
    assert.equal(await brokenInvariants(desk.database), [], script);
    return id;
  }

  async function approve(session: string): Promise<void> {
    await proposeSession(desk.service, session);
    await approveSession(desk.service, session, { approvedBy: null, digest: null });
  }
});
