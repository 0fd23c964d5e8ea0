/**
 * Random rows are unstaged from random sessions, with all that depends on them: the rest stays staged, and production accepts it.
 * Production is not consulted before, so the dependencies must be known. STAGE_TEST_STATEMENTS is the number of scripts, STAGE_TEST_SEED
 * the first seed; STAGE_TEST_TOGETHER scripts share a session, each with its own rows.
 */
import { StageError } from '../../src/errors.ts';
import { JsonText } from '../../src/model/json.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import { unstageRows } from '../../src/review/edits/unstage.ts';
import { brokenInvariants, emptyLineages } from '../helpers/invariants.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { createRandom } from '../helpers/random.ts';
import { dataOf, schema, stageOnPlots } from '../helpers/reverting.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const scripts = drawn(8, 'STATEMENTS');
const first = firstSeed();
const together = Number(process.env['STAGE_TEST_TOGETHER'] ?? 1);
const usual = { withDependents: true, unstagedAs: null, trialMs: null, lockTimeoutMs: 5_000 };

suite('rows taken out at random', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, dataOf(together));
  });
  test.after(() => staging.close());

  const changesOf = async (session: string) =>
    (await diffOf(staging.service, session)).changes.map((change) => JSON.stringify(change));

  /** Unstages some rows. Returns the changes that were removed. */
  async function takeSome(session: string, pick: (count: number) => number): Promise<string[]> {
    const { changes } = await diffOf(staging.service, session);
    const chosen = changes.filter(() => pick(3) === 0).slice(0, together * (1 + pick(3)));
    if (chosen.length === 0) return [];
    const { rows } = await unstageRows(staging.service, session, {
      ...usual,
      rows: chosen.map(({ table, rowId }) => ({
        table,
        rowId: new JsonText(JSON.stringify(rowId)),
      })),
    });
    const names = new Set(
      rows.map(({ table, rowId }) => `${table} ${rowId?.text.replaceAll(' ', '')}`),
    );
    return changes
      .filter(({ table, rowId }) => names.has(`${table} ${JSON.stringify(rowId)}`))
      .map((change) => JSON.stringify(change));
  }

  test(
    'leave what production takes, and all else as it was',
    async () => {
      let taken = 0;
      const failures: string[] = [];
      for (let seed = first; seed < first + scripts; seed += together) {
        await staging.reset();
        const session = await staging.open();
        const { below } = createRandom(~seed);
        const script = await stageOnPlots(staging, session, { seed, plots: together, count: 8 });
        const label = `seed ${seed}: ${script.join('; ')}`;
        for (let step = 0; step < 3; step += 1) {
          const before = await changesOf(session);
          const empty = await emptyLineages(staging.database);
          const gone = await takeSome(session, below);
          taken += gone.length;
          const left = before.filter((change) => !gone.includes(change));
          assert.equal(await changesOf(session), left, label);
          assert.equal(await brokenInvariants(staging.database, empty), [], label);
        }
        const expected = await staging.contents(session);
        try {
          await proposeSession(staging.service, session);
          await approveSession(staging.service, session, { approvedBy: null, digest: null });
          assert.equal(await staging.contents(), expected, label);
        } catch (error) {
          if (!(error instanceof StageError)) throw error;
          failures.push(`${label}\n${error.code} ${error.message}`);
        }
      }
      assert.equal(failures, []);
      assert.ok(taken > scripts / 2, `${taken} rows were taken out`);
    },
    { timeout: 36_000_000 },
  );
});
