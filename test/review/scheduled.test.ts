/** Scheduled approvals: applied once, at their time, by any daemon, unless something else was decided or everything is not as it was. */

import type { StageError } from '../../src/errors.ts';
import { findIn } from '../../src/rest/policy-bodies.ts';
import { approveSession } from '../../src/review/decisions/approve.ts';
import { NotDue } from '../../src/review/decisions/schedule.ts';
import { applyDue } from '../../src/review/decisions/scheduled.ts';
import type { Ruled } from '../helpers/ruled.ts';
import { as, ruledTokens, startRuled } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';

const hourMs = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * hourMs).toISOString();

suite('review: scheduled approvals', (test) => {
  let ruled: Ruled;
  test.before(async () => {
    ruled = await startRuled();
    await ruled.rest.database.query(`CREATE TABLE items (id int PRIMARY KEY, stock int);
      INSERT INTO items SELECT g, 0 FROM generate_series(1, 9) g`);
  });
  test.after(() => ruled.rest.stop());

  const more = 'UPDATE items SET stock = stock + 1 WHERE id = 1';
  const stock = async () =>
    (await ruled.rest.database.query('SELECT stock FROM items WHERE id = 1'))[0]?.['stock'];
  const run = async (rules = ruled.rules) =>
    (await applyDue(ruled.rest.db, rules)).map(
      ({ applied, error }) => applied?.status ?? (error as StageError).code,
    );
  const scheduled = async (body: object = {}) => {
    const id = await ruled.proposed(more);
    const answer = await ruled.approve(id, 'ann', { at: inHours(3), ...body });
    assert.is(answer.status, 202, JSON.stringify(answer.body));
    return id;
  };

  test('it is applied at its time, once, by two daemons at once', async () => {
    const before = Number(await stock());
    const id = await scheduled({ approved_by: 'Ann Lee' });
    const shown = await ruled.show(id);
    assert.equal([shown.status, shown.scheduled_as], ['proposed', 'ann']);
    assert.ok(Math.abs(Date.parse(shown.apply_at) - Date.now() - 3 * hourMs) < hourMs / 2);
    assert.equal(await run(), []);
    await ruled.age(id, '4 hours');
    const both = await Promise.all([run(), run()]);
    assert.equal(both.flat(), ['approved']);
    assert.is(await stock(), before + 1);
    const done = await ruled.show(id);
    assert.equal(
      [done.status, done.approved_as, done.approved_by, done.apply_at],
      ['approved', 'ann', 'Ann Lee', undefined],
    );
    assert.equal(await ruled.events(id), ['created', 'proposed', 'scheduled', 'approved']);
    assert.is((await ruled.rest.call('GET', '/audit/verify', as('ann'))).body.ok, true);
    // a clock that is moved back
    await ruled.age(id, '-8 hours');
    assert.equal(await run(), []);
    assert.is(await stock(), before + 1);
  });

  test('a clock that is moved back over its time lets it wait', async () => {
    const id = await scheduled();
    await ruled.age(id, '4 hours');
    await ruled.age(id, '-4 hours');
    assert.equal(await run(), []);
    // even when it was selected before the clock was moved
    const [decision] = await ruled.rest.database.query(
      `SELECT scheduled::text AS number FROM stage.session WHERE id = '${id.slice(5)}'`,
    );
    const due = { number: String(decision?.['number']), givenAt: 0 };
    const by = { approvedBy: 'ann', approvedAs: 'ann', digest: null };
    const early = await approveSession(ruled.rest.db, id, { ...by, due }).catch((error) => error);
    assert.instance(early, NotDue);
    assert.is((await ruled.show(id)).status, 'proposed');
    await ruled.rest.call('POST', `/sessions/${id}/reject`, as('ann', {}));
  });

  test('of two times the later decision counts', async () => {
    const id = await scheduled();
    const [earlier] = await ruled.rest.database.query(
      `SELECT scheduled::text AS number FROM stage.session WHERE id = '${id.slice(5)}'`,
    );
    assert.is((await ruled.approve(id, 'bob', { at: inHours(2) })).status, 202);
    await ruled.age(id, '4 hours');
    const due = { number: String(earlier?.['number']), givenAt: 0 };
    const by = { approvedBy: 'ann', approvedAs: 'ann', digest: null };
    const replaced = await approveSession(ruled.rest.db, id, { ...by, due }).catch(
      (error) => error,
    );
    assert.instance(replaced, NotDue);
    assert.equal(await run(), ['approved']);
    assert.is((await ruled.show(id)).approved_as, 'bob');
  });

  test('reject, reopen, delete and a new round cancel it', async () => {
    const before = await stock();
    const ids = [await scheduled(), await scheduled(), await scheduled()];
    await ruled.rest.call('POST', `/sessions/${ids[0]}/reject`, as('bob', {}));
    await ruled.rest.call('POST', `/sessions/${ids[1]}/reopen`, as('bot', { message: 'wait' }));
    await ruled.rest.call('POST', `/sessions/${ids[1]}/propose`, as('bot', {}));
    assert.is((await ruled.show(ids[1] ?? '')).apply_at, undefined);
    await ruled.rest.call('DELETE', `/sessions/${ids[2]}`, as('cat'));
    for (const id of ids) await ruled.age(id, '4 hours');
    assert.equal(await run(), []);
    assert.is(await stock(), before);
    assert.equal(
      await Promise.all(ids.slice(0, 2).map(async (id) => (await ruled.show(id)).status)),
      ['rejected', 'proposed'],
    );
  });

  test('production has changed by then: it is refused, with an event, and can be decided again', async () => {
    const id = await scheduled();
    await ruled.rest.database.query('UPDATE items SET stock = 100 WHERE id = 1');
    await ruled.age(id, '4 hours');
    assert.equal((await Promise.all([run(), run()])).flat(), ['conflict_detected']);
    assert.equal(await run(), []);
    assert.is(await stock(), 100);
    assert.equal(await ruled.events(id), ['created', 'proposed', 'scheduled', 'schedule_failed']);
    const { decisions } = (await ruled.rest.call('GET', `/sessions/${id}/decisions`, as('bot')))
      .body;
    assert.match(decisions.at(-1).message, /production data changed/);
    assert.is((await ruled.show(id)).apply_at, undefined);
  });

  test('a policy that was set between, and a token that may not approve any more', async () => {
    const before = await stock();
    const id = await scheduled();
    await ruled.set({ tables: ['items'], deny: ['update'] });
    await ruled.age(id, '4 hours');
    assert.equal(await run(), ['policy_refused']);
    await ruled.set();
    const other = await scheduled();
    await ruled.age(other, '4 hours');
    const find = findIn(ruledTokens.filter(({ name }) => name !== 'ann'));
    assert.equal(await run({ ...ruled.rules, find }), ['approver_required']);
    const third = await scheduled();
    await ruled.set({ approvals: { count: 2 } });
    await ruled.age(third, '4 hours');
    assert.equal(await run(), ['policy_refused']);
    assert.is(await stock(), before);
    await ruled.set();
  });

  test('the last one who approves sets the time, and votes have to count then', async () => {
    await ruled.set({ approvals: { count: 2, max_age: '2h' } });
    const id = await ruled.proposed(more);
    assert.is((await ruled.approve(id, 'ann', { at: inHours(1) })).body.error, 'policy_refused');
    assert.is((await ruled.approve(id, 'ann')).status, 202);
    assert.is((await ruled.approve(id, 'bob', { at: inHours(3) })).body.error, 'policy_refused');
    assert.is((await ruled.approve(id, 'bob', { at: inHours(1) })).status, 202);
    await ruled.age(id, '2 hours');
    assert.equal(await run(), ['approved']);
    // the vote and the approval are as old as when they were given
    const old = await ruled.proposed(more);
    await ruled.approve(old, 'ann');
    await ruled.approve(old, 'bob', { at: inHours(1) });
    await ruled.rest.database.query(`ALTER TABLE stage.decision DISABLE TRIGGER append_only;
      UPDATE stage.decision SET at = at - interval '3 hours' WHERE session = '${old.slice(5)}' AND verdict = 'schedule';
      ALTER TABLE stage.decision ENABLE TRIGGER append_only`);
    await ruled.age(old, '2 hours');
    assert.equal(await run(), ['policy_refused']);
    await ruled.set();
  });

  test('window: when the windows of the policy are open; expire counts until then', async () => {
    const id = await ruled.proposed(more);
    const none = await ruled.approve(id, 'ann', { at: 'window' });
    assert.equal([none.status, none.body.error], [400, 'invalid_request']);
    const [clock] = await ruled.rest.database.query(
      `SELECT lower(to_char(now() AT TIME ZONE 'UTC' + interval '2 days', 'dy')) AS day`,
    );
    const windows = [{ days: [clock?.['day']], from: '00:00', to: '24:00', zone: 'UTC' }];
    await ruled.set({ windows, expire: '1h' });
    assert.is((await ruled.approve(id, 'ann', { at: 'window' })).body.error, 'proposal_expired');
    await ruled.set({ windows });
    assert.is((await ruled.approve(id, 'ann', { at: inHours(1) })).body.error, 'outside_window');
    const later = await ruled.approve(id, 'ann', { at: 'window' });
    assert.is(later.status, 202, JSON.stringify(later.body));
    assert.is(
      new Date(later.body.apply_at).toUTCString().slice(0, 3).toLowerCase(),
      clock?.['day'],
    );
    // its time has come, and the window is closed by a newer policy or a clock
    await ruled.age(id, '72 hours');
    assert.equal(await run(), ['outside_window']);
    await ruled.set({ windows: [{ from: '00:00', to: '24:00', zone: 'UTC' }] });
    assert.is((await ruled.approve(id, 'ann', { at: 'window' })).status, 200);
    await ruled.set();
  });

  test('times that are over, far ahead or no times are refused, and a part is approved at once', async () => {
    const id = await ruled.proposed(more);
    const refused = async (body: object) => {
      const { status, body: answer } = await ruled.approve(id, 'ann', body);
      return [status, answer.error];
    };
    for (const at of [inHours(-1), inHours(24 * 61), 'tomorrow', '2026-01-31T02:00'])
      assert.equal(await refused({ at }), [400, 'invalid_request'], at);
    const only = [{ table: 'items', row_id: 1 }];
    assert.equal(await refused({ at: inHours(1), only }), [400, 'invalid_request']);
    assert.is((await ruled.show(id)).apply_at, undefined);
  });
});
