/**
 * The service's backends are ended at drawn moments of a split and of the application of a scheduled approval: rows are staged once, and
 * applied once. STAGE_TEST_KILLS is the number of kills, STAGE_TEST_SEED the first seed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { applyDue } from '../../src/review/decisions/scheduled.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import { createRandom } from '../helpers/random.ts';
import type { Ruled } from '../helpers/ruled.ts';
import { as, startRuled } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';

const kills = drawn(12, 'KILLS');
const seed = firstSeed();
const patience = { timeout: 60_000 + kills * 20_000 };

const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name ~ '^stage' AND query ~ 'stage'`;

suite('review: kills of backends at splits and scheduled approvals', (test) => {
  let ruled: Ruled;
  test.before(async () => {
    ruled = await startRuled();
    await ruled.rest.database.query(`CREATE TABLE items (id int PRIMARY KEY, stock int);
      INSERT INTO items SELECT g, 0 FROM generate_series(1, 9) g`);
  });
  test.after(() => ruled.rest.stop());

  const change = 'UPDATE items SET stock = stock + 1 WHERE id < 4';
  const one = async (text: string) => Number((await ruled.rest.database.query(text))[0]?.['n']);
  const sum = () => one('SELECT sum(stock) AS n FROM items');
  /** Runs work, and ends the backends after a part of its usual time. */
  const interrupted = async (work: () => Promise<unknown>, afterMs: number) => {
    const done = work().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await ruled.rest.database.query(end);
    await done;
  };
  const due = async () => {
    const id = await ruled.proposed(change);
    const at = new Date(Date.now() + 3_600_000).toISOString();
    assert.is((await ruled.approve(id, 'ann', { at })).status, 202);
    await ruled.age(id, '2 hours');
    return id;
  };
  const apply = () => applyDue(ruled.rest.db, ruled.rules);
  const split = async (id: string) => {
    const only = [{ table: 'items', row_id: 1 }];
    const { status } = await ruled.rest.call('POST', `/sessions/${id}/split`, as('bot', { only }));
    if (status !== 201) throw new Error(String(status));
  };
  const timed = async (work: () => Promise<unknown>) => {
    const begun = performance.now();
    await work();
    return performance.now() - begun;
  };
  /** Reads until a live connection responds: others in the pool have been ended, too. */
  const read = async (path: string) => {
    for (;;) {
      const { status, body } = await ruled.rest.call('GET', path, as('cat'));
      if (status !== 503) return body;
      await delay(20);
    }
  };
  const statusOf = async (id: string) => (await read(`/sessions/${id}`)).status;
  const stagedIn = async (id: string) => (await read(`/sessions/${id}/diff`)).summary.total_updates;

  /** Kills the application of a scheduled approval, and lets the service go on. */
  const killApply = async (afterMs: number) => {
    const before = await sum();
    const id = await due();
    await interrupted(apply, afterMs);
    const errors: unknown[] = [];
    const late = AbortSignal.timeout(120_000);
    while ((await statusOf(id)) === 'proposed' && !late.aborted) {
      const outcomes = await apply().catch((error: unknown) => [{ error }]);
      errors.push(...outcomes.map(({ error }) => String(error)));
      await delay(20);
    }
    const label = `after ${afterMs} ms: ${await ruled.events(id)}; ${errors.slice(-9)}`;
    assert.equal([await statusOf(id), await sum()], ['approved', before + 3], label);
    const approvals = `SELECT count(*) AS n FROM stage.approval WHERE session = '${id.slice(5)}'`;
    assert.is(await one(approvals), 1);
  };

  /** Kills a split: the rows are in one session, or in both, each once. */
  const killSplit = async (afterMs: number) => {
    const whole = await ruled.staged(change);
    await interrupted(() => split(whole), afterMs);
    const [part = null] = await ruled.rest.database.query<{ id: string }>(
      `SELECT 'sess_' || replace(id::text, '-', '') AS id FROM stage.session WHERE split_from = '${whole.slice(5)}'`,
    );
    const counts = [await stagedIn(whole), part && (await stagedIn(part.id))];
    assert.equal(counts, part === null ? [3, null] : [2, 1]);
    for (const open of part === null ? [whole] : [whole, part.id])
      await ruled.rest.call('DELETE', `/sessions/${open}`, as('cat'));
  };

  test(
    'rows are staged once and applied once, whatever is killed when',
    async () => {
      const random = createRandom(seed);
      await due();
      const applyMs = await timed(apply);
      const first = await ruled.staged(change);
      const splitMs = await timed(() => split(first));
      for (let round = 0; round < kills; round += 1) {
        await killApply((random.below(130) / 100) * applyMs);
        await killSplit((random.below(130) / 100) * splitMs);
      }
      assert.is((await ruled.rest.call('GET', '/audit/verify', as('ann'))).body.ok, true);
    },
    patience,
  );
});
