/**
 * Approvals in the very moment in which a proposal expires, while daemons reject it: `STAGE_TEST_RACES=500 npm test --
 * review/vote-against-expiry` is the long form. One side wins, and the responses, the session, its events, production and the audit agree.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createPolicyExpiry } from '../../src/review/policy/expire-by-policy.ts';
import { readPolicy } from '../../src/review/policy/policy-store.ts';
import { createProposals } from '../../src/review/policy/proposals.ts';
import type { Answer } from '../helpers/http.ts';
import { drawn, firstSeed } from '../helpers/net.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import type { Ruled } from '../helpers/ruled.ts';
import { as, policyExpiry, startRuled } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';

const races = drawn(12, 'RACES');
const seed = firstSeed();
const patience = { timeout: 60_000 + races * 10_000 };

/** How long after the start of a race the proposal expires: on average in its middle. */
const mostMs = 120;

suite('votes against expiry', (test) => {
  let ruled: Ruled;
  test.before(async () => {
    ruled = await startRuled();
    await ruled.rest.database.query(`CREATE TABLE items (id int PRIMARY KEY, stock int);
      INSERT INTO items VALUES (1, 0)`);
    await ruled.set({ approvals: { count: 2 }, expire: '1h' });
  });
  test.after(() => ruled.rest.stop());

  const stock = async () =>
    (await ruled.rest.database.query<{ stock: number }>('SELECT stock FROM items'))[0]?.stock ?? 0;
  const approvals = async (id: string) =>
    (await ruled.rest.database.query(`SELECT FROM stage.approval WHERE session = '${id.slice(5)}'`))
      .length;
  /** Makes a proposal expire after a time. */
  const expireIn = (id: string, ms: number) =>
    ruled.rest.database.query(
      `UPDATE stage.session SET proposed_at = clock_timestamp() - interval '1 hour' + ${ms} * interval '1 millisecond' WHERE id = '${id.slice(5)}'`,
    );
  const kindOf = ({ status, body }: Answer) => (status < 300 ? String(status) : body.error);

  /** Looks as a daemon does until the proposal is gone. Returns how often it was rejected. */
  async function rejecting(id: string): Promise<number> {
    const run = policyExpiry(ruled.rest.db, ruled.rules);
    let rejections = 0;
    for (let turn = 0; turn < 40 && rejections === 0; turn += 1) {
      const outcomes = await run();
      rejections += outcomes.filter((one) => one.id === id && one.rejected !== null).length;
      if ((await ruled.show(id)).status !== 'proposed') break;
      await delay(10);
    }
    return rejections;
  }

  interface Race {
    readonly id: string;
    /** Whether the approval would be the last one. */
    readonly isLast: boolean;
    readonly answer: Answer;
    readonly rejections: number;
    /** What the approval would add to. */
    readonly before: number;
  }

  async function race(random: Random): Promise<Race> {
    const isLast = random.chance(0.7);
    const before = await stock();
    const id = await ruled.proposed('UPDATE items SET stock = stock + 1 WHERE id = 1');
    if (isLast) assert.is((await ruled.approve(id, 'ann')).status, 202);
    await expireIn(id, random.below(mostMs));
    const voting = delay(random.below(mostMs)).then(() => ruled.approve(id, 'bob'));
    const [answer, one, other] = await Promise.all([voting, rejecting(id), rejecting(id)]);
    return { id, isLast, answer, rejections: one + other, before };
  }

  async function demandApproved({ id, answer, rejections, before }: Race, label: string) {
    assert.equal([kindOf(answer), rejections, await approvals(id)], ['200', 0, 1], label);
    assert.is(await stock(), before + 1, label);
    assert.equal(await ruled.events(id), ['created', 'proposed', 'voted', 'approved'], label);
  }

  async function demandRejected({ id, isLast, answer, rejections, before }: Race, label: string) {
    const refusals = ['proposal_expired', 'invalid_transition', 'session_busy'];
    const isVote = !isLast && answer.status === 202;
    assert.ok(isVote || refusals.includes(kindOf(answer)), label);
    assert.equal([rejections, await approvals(id), await stock()], [1, 0, before], label);
    const voted = isLast || isVote ? ['voted'] : [];
    assert.equal(await ruled.events(id), ['created', 'proposed', ...voted, 'expired'], label);
    assert.match((await ruled.show(id)).reason, /^expired: rule "r0": approve within 1h/);
  }

  test(
    `of ${races} races one side wins each, and everything agrees`,
    async () => {
      const won = new Map(['approved', 'rejected'].map((status) => [status, 0]));
      for (let number = 0; number < races; number += 1) {
        const done = await race(createRandom(seed + number));
        const { status } = await ruled.show(done.id);
        const label = `seed ${seed + number}: ${kindOf(done.answer)}, ${status}`;
        won.set(status, (won.get(status) ?? 0) + 1);
        await (status === 'approved' ? demandApproved : demandRejected)(done, label);
      }
      assert.is((await ruled.rest.call('GET', '/audit/verify', as('ann'))).body.ok, true);
      assert.equal([...won.keys()], ['approved', 'rejected']);
      if (races >= 100) assert.not.ok([...won.values()].includes(0), JSON.stringify([...won]));
    },
    patience,
  );

  test('either side wins where the other one is late', async () => {
    const last = async () => {
      const id = await ruled.proposed('UPDATE items SET stock = stock + 1 WHERE id = 1');
      assert.is((await ruled.approve(id, 'ann')).status, 202);
      return id;
    };
    const run = policyExpiry(ruled.rest.db, ruled.rules);
    const young = await last();
    await expireIn(young, 60_000);
    assert.equal(await run(), []);
    assert.is((await ruled.approve(young, 'bob')).status, 200);
    await expireIn(young, -60_000);
    assert.equal(await run(), []);
    const old = await last();
    await expireIn(old, -1);
    // the approval is refused before any daemon has looked
    assert.is((await ruled.approve(old, 'bob')).body.error, 'proposal_expired');
    assert.equal(
      (await run()).map(({ id, rejected }) => [id, rejected?.status]),
      [[old, 'rejected']],
    );
    assert.is((await ruled.approve(old, 'bob')).body.error, 'invalid_transition');
  });

  test('what was listed as too old, and is not by now, stays', async () => {
    const id = await ruled.proposed('UPDATE items SET stock = stock + 1 WHERE id = 1');
    await expireIn(id, -60_000);
    const { db } = ruled.rest;
    const old = await createProposals(db)(await readPolicy(db));
    assert.equal(
      old.map((one) => one.id),
      [id],
    );
    await ruled.rest.call('POST', `/sessions/${id}/reopen`, as('ann', { message: 'again' }));
    await ruled.rest.call('POST', `/sessions/${id}/propose`, as('bot', {}));
    const expire = createPolicyExpiry(db);
    assert.equal(await expire(old), []);
    await expireIn(id, -60_000);
    await ruled.set({ expire: '3h' });
    assert.equal(await expire(old), []);
    assert.is((await ruled.show(id)).status, 'proposed');
  });
});
