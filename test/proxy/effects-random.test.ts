/**
 * Random triggers that write, nested and of several tables: statements are answered as they are directly, staged rows keep their invariants,
 * a proposal can be taken back, and production is what it would be once the session is approved. STAGE_TEST_STATEMENTS scripts, from
 * STAGE_TEST_SEED on.
 */
import { brokenInvariants } from '../helpers/invariants.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Proxied } from '../helpers/proxied.ts';
import { startProxied } from '../helpers/proxied.ts';
import { createRandom } from '../helpers/random.ts';
import { sortRuns } from '../helpers/sort-runs.ts';
import { assert, suite } from '../helpers/suite.ts';
import { q, runScript } from '../helpers/wire-script.ts';
import { drawEffects, drawWork, namesOf } from './effect-draws.ts';

const scripts = drawn(6, 'STATEMENTS');
const first = firstSeed();

/** Sorts notices: a statement's rows come in the order of the table. */
const arrange = (answers: readonly string[]) => sortRuns(answers, 'N ');

suite('effects of triggers at random', (test) => {
  let proxied: Proxied;
  test.before(async () => {
    proxied = await startProxied('');
  });
  test.after(() => proxied.stop());

  async function take(messages: readonly Buffer[]): Promise<void> {
    const { daemon, database, twin } = proxied;
    const before = await proxied.contents();
    const session = await daemon.newSession({ reads: 'staged' });
    const answers = await runScript(daemon.clientUrl(session), messages);
    assert.equal(arrange(answers), arrange(await runScript(twin.url, messages)));
    assert.equal(await proxied.contents(), before, 'production before the approval');
    assert.equal(await brokenInvariants(database), []);
    for (const step of ['propose', 'reopen', 'propose', 'approve']) {
      const { status, text } = await daemon.call(
        'POST',
        `/sessions/${session}/${step}`,
        step === 'reopen' ? { json: { message: 'again' } } : {},
      );
      assert.is(status, 200, text);
    }
    assert.equal(await proxied.contents(), await proxied.twinContents(), 'after the approval');
  }

  for (let seed = first; seed < first + scripts; seed += 1) {
    test(
      `are what they are directly (STAGE_TEST_SEED=${seed})`,
      async () => {
        const pick = createRandom(seed).below;
        const tables = drawEffects(seed, pick);
        for (const { query } of [proxied.database, proxied.twin]) await query(tables);
        try {
          await take(drawWork(seed, 14, pick).map(q));
        } finally {
          for (const { query } of [proxied.database, proxied.twin])
            await query(`DROP TABLE ${namesOf(seed).join(', ')}`);
        }
      },
      { timeout: 120_000 },
    );
  }
});
