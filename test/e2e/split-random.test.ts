/**
 * Random sessions are split at random, and both parts are approved, in either order: production is as if the whole had been approved. Ties
 * that cross a cut are refused by name, and nothing has changed then. STAGE_TEST_STATEMENTS is the number of scripts, STAGE_TEST_SEED the
 * first seed; STAGE_TEST_TOGETHER scripts share a session, each with its own rows.
 */
import { StageError } from '../../src/errors.ts';
import { JsonText } from '../../src/model/json.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { proposeSession } from '../../src/review/decisions/propose.ts';
import type { Choice } from '../../src/review/edits/row-choice.ts';
import { splitSession } from '../../src/review/edits/split.ts';
import { verifyAudit } from '../../src/review/verify-audit.ts';
import { getSession } from '../../src/staging/session-store.ts';
import { brokenInvariants } from '../helpers/invariants.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { createRandom } from '../helpers/random.ts';
import { dataOf, schema, stageOnPlots } from '../helpers/reverting.ts';
import type { StagingDatabase } from '../helpers/staging-database.ts';
import { createStagingDatabase, diffOf } from '../helpers/staging-database.ts';
import { assert, suite } from '../helpers/suite.ts';

const scripts = drawn(8, 'STATEMENTS');
const first = firstSeed();
const together = Number(process.env['STAGE_TEST_TOGETHER'] ?? 1);
const sessions = Math.ceil(scripts / together);

suite('sessions split at random', (test) => {
  let staging: StagingDatabase;
  test.before(async () => {
    staging = await createStagingDatabase(schema, dataOf(together));
  });
  test.after(() => staging.close());

  const shown = (changes: readonly object[]) => changes.map((each) => JSON.stringify(each)).sort();

  const approve = async (session: string, rows: readonly Choice[] | null = null) => {
    const { digest } = await diffOf(staging.service, session);
    const only = rows && { rows, withTies: true };
    return approveSession(staging.service, session, { approvedBy: null, digest, only });
  };

  /** Splits chosen rows off, or approves them. Returns the other session; null if the chosen rows are tied to all others. */
  async function divide(session: string, rows: readonly Choice[], isApproved: boolean) {
    if (isApproved) {
      await proposeSession(staging.service, session);
      return (await approve(session, rows)).remaining;
    }
    const asked = { rows, splitAs: null, lockTimeoutMs: 5_000 };
    const split = (withTies: boolean) =>
      splitSession(staging.service, session, { ...asked, withTies });
    const before = await diffOf(staging.service, session);
    const done = await split(false).catch(async (error: unknown) => {
      if (!(error instanceof StageError)) throw error;
      assert.equal(await diffOf(staging.service, session), before);
      if (error.code === 'not_splittable') return null;
      assert.is(error.code, 'has_dependents');
      refused += 1;
      return split(true).catch((whole: unknown) => {
        assert.is(whole instanceof StageError && whole.code, 'not_splittable');
        return null;
      });
    });
    if (done === null) return null;
    const after = [session, done.session.id].map((each) => diffOf(staging.service, each));
    const parts = (await Promise.all(after)).flatMap(({ changes }) => changes);
    assert.equal(shown(parts), shown(before.changes));
    return done.session.id;
  }

  let refused = 0;

  interface Drawn {
    readonly session: string;
    readonly rows: readonly Choice[];
    readonly label: string;
  }

  /** Stages a script, and chooses some of its rows. */
  async function draw(seed: number, below: (count: number) => number): Promise<Drawn> {
    await staging.reset();
    const session = await staging.open();
    const script = await stageOnPlots(staging, session, { seed, plots: together, count: 8 });
    if (below(3) === 0) {
      script.push('INSERT INTO loose VALUES (7)');
      await staging.stage(session, 'INSERT INTO loose VALUES (7)');
    }
    const { changes } = await diffOf(staging.service, session);
    const rows = changes
      .filter(() => below(3) === 0)
      .map(({ table, rowId }) => ({
        table,
        rowId: table === 'loose' ? null : new JsonText(JSON.stringify(rowId)),
      }));
    return { session, rows, label: `seed ${seed}: ${script.join('; ')}\n${shown(rows)}` };
  }

  /** Divides a session, and approves both parts. Returns whether there were two. */
  async function land({ session, rows, label }: Drawn, below: (count: number) => number) {
    const expected = await staging.contents(session);
    const staged = await staging.stagedRows(session);
    const isApproved = below(2) === 0;
    const other = await divide(session, rows, isApproved);
    assert.equal(await brokenInvariants(staging.database), [], label);
    const others = other === null ? [] : [other];
    for (const each of others)
      assert.is((await getSession(staging.service, each)).splitFrom, session);
    const left = isApproved ? others : [session, ...others];
    if (!isApproved) assert.is(await staging.stagedRows(...left), staged, label);
    for (const each of below(2) === 0 ? left : left.reverse()) {
      await proposeSession(staging.service, each);
      await approve(each);
    }
    assert.equal(await staging.contents(), expected, label);
    return other !== null;
  }

  test(
    'land as the whole would have',
    async () => {
      let divided = 0;
      const failures: string[] = [];
      for (let seed = first; seed < first + scripts; seed += together) {
        const { below } = createRandom(~seed);
        const drawn = await draw(seed, below);
        if (drawn.rows.length === 0) continue;
        try {
          if (await land(drawn, below)) divided += 1;
        } catch (error) {
          if (!(error instanceof StageError)) throw error;
          failures.push(`${drawn.label}\n${error.code} ${error.message}`);
        }
      }
      assert.equal(failures, []);
      assert.is((await verifyAudit(staging.service)).firstBad, null);
      assert.ok(divided > sessions / 4, `${divided} sessions were divided`);
      assert.ok(refused > sessions / 50, `${refused} cuts were refused`);
    },
    { timeout: 36_000_000 },
  );
});
