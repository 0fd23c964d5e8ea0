/**
 * Random sessions are approved, taken back, and that is taken back: all tables are as they were, each time.
 * STAGE_TEST_STATEMENTS sessions, from STAGE_TEST_SEED on.
 */
import { StageError } from '../../src/errors.ts';
import { approveSession } from '../../src/review/approve.ts';
import { proposeSession } from '../../src/review/propose.ts';
import { revertSession } from '../../src/review/revert.ts';
import type { Desk } from '../helpers/desk.ts';
import { createDesk } from '../helpers/desk.ts';
import { createRandom } from '../helpers/random.ts';
import { data, schema, stageSome } from '../helpers/reverting.ts';
import { assert, suite } from '../helpers/suite.ts';

const sessions = Number(process.env['STAGE_TEST_STATEMENTS'] ?? 25);
const firstSeed = Number(process.env['STAGE_TEST_SEED'] ?? 1);
const plain = { skipChanged: false, revertedAs: null, lockTimeoutMs: 5_000 };

suite('random reverts', (test) => {
  let desk: Desk;
  test.before(async () => {
    desk = await createDesk(schema, data);
  });
  test.after(() => desk.close());

  test(
    'bring all tables back',
    async () => {
      let reverted = 0;
      let statements = 0;
      const refusals: string[] = [];
      for (let seed = firstSeed; seed < firstSeed + sessions; seed += 1) {
        await desk.reset();
        const before = await desk.contents();
        const session = await desk.open();
        const taken = await stageSome(desk, session, createRandom(seed).below);
        const script = taken.join('; ');
        statements += taken.length;
        await approve(session);
        const after = await desk.contents();
        try {
          const made = (await revertSession(desk.service, session, plain)).session.id;
          await approve(made);
          assert.equal(await desk.contents(), before, `seed ${seed}: ${script}`);
          const again = (await revertSession(desk.service, made, plain)).session.id;
          await approve(again);
          assert.equal(await desk.contents(), after, `seed ${seed}, again: ${script}`);
          reverted += 1;
        } catch (error) {
          if (!(error instanceof StageError)) throw error;
          refusals.push(`seed ${seed}: ${error.code} ${error.message}\n${script}`);
        }
      }
      assert.equal(refusals, []);
      assert.is(reverted, sessions);
      assert.ok(statements > 2 * sessions, `${statements} statements were taken`);
    },
    { timeout: 36_000_000 },
  );

  async function approve(session: string): Promise<void> {
    await proposeSession(desk.service, session);
    await approveSession(desk.service, session, { approvedBy: null, digest: null });
  }
});
