/** The clock of the database is moved back and forth around windows, schedules and ages, and that of the daemon: what is decided, and how often. */
import type { StageError } from '../../src/errors.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { applyDue } from '../../src/review/decisions/scheduled.ts';
import { withClock } from '../helpers/moved-clock.ts';
import type { Ruled } from '../helpers/ruled.ts';
import { autoApproval, policyExpiry, startRuled } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';

const hourMs = 3_600_000;
const office = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  from: '09:00',
  to: '17:00',
  zone: 'Europe/Berlin',
};
/** There is no such hour when clocks go forward, and two of them when they go back. */
const night = { from: '02:00', to: '03:00', zone: 'Europe/Berlin' };

suite('review: clocks that are moved', (test) => {
  let ruled: Ruled;
  let aheadMs = 0;
  test.before(async () => {
    ruled = await startRuled();
    await ruled.rest.database.query(`CREATE TABLE items (id int PRIMARY KEY, stock int);
      INSERT INTO items VALUES (1, 0)`);
  });
  test.beforeEach(() => {
    aheadMs = 0;
  });
  test.after(() => ruled.rest.stop());

  const clocked = () => withClock(ruled.rest.db, () => aheadMs);
  /** Moves the clock of the database to a time. */
  const setClock = (time: string) => {
    aheadMs = Date.parse(time) - Date.now();
  };
  const small = () => ruled.proposed('UPDATE items SET stock = stock + 1 WHERE id = 1');
  const status = async (id: string) => (await ruled.show(id)).status;
  const stock = async () =>
    (await ruled.rest.database.query<{ stock: number }>('SELECT stock FROM items'))[0]?.stock ?? 0;
  const by = { approvedBy: 'ann', approvedAs: 'ann', digest: null };
  const approve = (id: string) =>
    approveSession(clocked(), id, { ...by, findPerson: ruled.rules.find }).then(
      (session) => session.status,
      ({ code, facts }: StageError) => [code, facts?.['opens_at']],
    );

  test('a window is open by the clock of the database, whichever way it goes, and when clocks change', async () => {
    const closed = (opens: string) => ['outside_window', opens];
    const moves = [
      [office, '2026-03-27T15:59:30Z', 'approved'],
      [office, '2026-03-27T16:00:30Z', closed('2026-03-30T07:00:00.000Z')],
      // an hour earlier by UTC from that Monday on
      [office, '2026-03-30T06:59:30Z', closed('2026-03-30T07:00:00.000Z')],
      [office, '2026-03-30T07:00:30Z', 'approved'],
      // back before the change
      [office, '2026-03-27T07:59:30Z', closed('2026-03-27T08:00:00.000Z')],
      [office, '2026-03-27T08:00:30Z', 'approved'],
      [office, '2026-10-26T07:59:30Z', closed('2026-10-26T08:00:00.000Z')],
      [night, '2026-03-29T01:00:30Z', closed('2026-03-30T00:00:00.000Z')],
      [night, '2026-10-25T00:30:00Z', 'approved'],
      [night, '2026-10-25T01:30:00Z', 'approved'],
      [night, '2026-10-25T02:00:30Z', closed('2026-10-26T01:00:00.000Z')],
    ] as const;
    const before = await stock();
    for (const [window, time, wanted] of moves) {
      aheadMs = 0;
      await ruled.set({ windows: [window] });
      const id = await small();
      setClock(time);
      assert.equal(await approve(id), wanted, time);
      assert.is(await status(id), wanted === 'approved' ? 'approved' : 'proposed', time);
    }
    assert.is(await stock(), before + moves.filter(([, , wanted]) => wanted === 'approved').length);
    assert.is((await ruled.rest.db.query('SELECT 1')).length, 1);
  });

  test('a scheduled approval waits for its time again, is applied once, and stays applied', async () => {
    await ruled.set();
    const before = await stock();
    const id = await small();
    const at = new Date(Date.now() + 3 * hourMs).toISOString();
    assert.is((await ruled.approve(id, 'ann', { at })).status, 202);
    const run = async () =>
      (await applyDue(clocked(), ruled.rules)).map(({ applied }) => applied?.status);
    for (const hours of [2, -5, 2.9, 0]) {
      aheadMs = hours * hourMs;
      assert.equal(await run(), [], `${hours} hours`);
    }
    aheadMs = 3.1 * hourMs;
    const back = withClock(ruled.rest.db, () => -hourMs);
    const both = await Promise.all([run(), applyDue(back, ruled.rules), run()]);
    assert.equal(both.flat(), ['approved']);
    for (const hours of [-10, 4, 0, 100]) {
      aheadMs = hours * hourMs;
      assert.equal(await run(), [], `${hours} hours`);
    }
    assert.is(await stock(), before + 1);
    assert.equal(await ruled.events(id), ['created', 'proposed', 'scheduled', 'approved']);
  });

  test('a proposal is too old by the same clock, and what was rejected stays rejected', async () => {
    await ruled.set({ expire: '1h' });
    const id = await small();
    const run = async () =>
      (await policyExpiry(clocked(), ruled.rules)())
        .filter((one) => one.id === id)
        .map(({ rejected }) => rejected?.status);
    for (const hours of [0.9, -20]) {
      aheadMs = hours * hourMs;
      assert.equal(await run(), [], `${hours} hours`);
    }
    aheadMs = 1.1 * hourMs;
    assert.equal(await approve(id), ['proposal_expired', undefined]);
    assert.equal((await Promise.all([run(), run()])).flat(), ['rejected']);
    aheadMs = -hourMs;
    assert.equal(await run(), []);
    assert.equal(await approve(id), ['invalid_transition', undefined]);
    assert.is(await status(id), 'rejected');
  });

  test('the policy approves when its window opens, also after the clock was put back', async () => {
    const auto = {
      max_rows: 1,
      operations: ['update'],
      flags: ['share_of_table', 'overlap', 'beyond_production'],
    };
    await ruled.set({ tables: ['items'], auto_approve: auto, windows: [office] });
    setClock('2026-10-24T10:00:00Z');
    const id = await small();
    const run = autoApproval(clocked(), ruled.rules);
    const outcomes = async () =>
      (await run()).filter((one) => one.id === id).map(({ approved }) => approved?.status);
    assert.equal(await outcomes(), []);
    // from Saturday to Monday before the window, back to Friday evening, and into the window
    for (const time of ['2026-10-26T07:59:30Z', '2026-10-23T15:00:30Z']) {
      setClock(time);
      assert.equal(await outcomes(), [], time);
    }
    setClock('2026-10-23T14:59:00Z');
    assert.equal(await outcomes(), ['approved']);
    assert.equal(await outcomes(), []);
    assert.is(await status(id), 'approved');
  });

  test('the clock of a daemon decides nothing of that', async () => {
    const { now } = Date;
    const other = (days: number) => {
      Date.now = () => now() + days * 24 * hourMs;
    };
    try {
      setClock('2026-06-05T10:00:00Z');
      for (const days of [-200, 3, 0.5, 200]) {
        Date.now = now;
        await ruled.set({ windows: [office], expire: '1d' });
        const [id, later] = [await small(), await small()];
        const at = new Date(now() + hourMs).toISOString();
        await ruled.set({ expire: '1d' });
        assert.is((await ruled.approve(later, 'ann', { at })).status, 202);
        other(days);
        assert.equal(await applyDue(ruled.rest.db, ruled.rules), [], `${days} days`);
        assert.equal(await policyExpiry(ruled.rest.db, ruled.rules)(), [], `${days} days`);
        await ruled.set({ windows: [office], expire: '1d' });
        assert.is(await approve(id), 'approved', `${days} days`);
        assert.is(await status(later), 'proposed');
        await ruled.rest.call('POST', `/sessions/${later}/reject`, {
          headers: { authorization: 'Bearer ann' },
          json: {},
        });
      }
    } finally {
      Date.now = now;
    }
  });
});
