/** The terminal interface over a real daemon, on a terminal that the test plays: frames, keys, and the way out. */
import type { Left } from '../../src/tui/open-diff.tsx';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { leaveSequence, Seat } from '../helpers/seat.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

/** A machine may be busy; nobody waits longer than it takes. */
const patience = { timeout: 120_000 };

suite('review in the interface', (test) => {
  let rest: TestRest;
  const seats: Seat[] = [];
  test.before(async () => {
    rest = await startTestRest();
  });
  test.afterEach(async () => {
    for (const seat of seats.splice(0)) await seat.leave();
  });
  test.after(() => rest.stop());

  async function sit(colours = true) {
    const id = await rest.newSession();
    await rest.write(id, `UPDATE products SET price = price + 1 WHERE sku = 'MUG-01'`);
    await rest.write(
      id,
      `INSERT INTO customers (email, name) VALUES ('${id}a@x', 'A'), ('${id}b@x', 'B')`,
    );
    const seat = new Seat(rest.url, id, colours);
    seats.push(seat);
    await seat.see(/customers 1\/2/);
    await seat.see(/a@x/);
    return { id, seat };
  }

  test(
    'shows the diff, and takes the whole way to production',
    async () => {
      const { id, seat } = await sit();
      await seat.see(/^ stage diff sess_\w{8} ACTIVE .* in stage_test\w+ {2}sha256:\w{12}…/);
      await seat.press('J');
      await seat.see(/> ~ +1 │ MUG-01 +Coffee mug +9\.50 → 10\.50/);
      await seat.press('\r');
      await seat.see(/~ UPDATE products 1/);
      await seat.press('\t');
      await seat.see(/\[Log 2\][\s\S]*> ~ UPDATE products[\s\S]*writes price/);
      await seat.press('\x1b');
      await seat.press('P');
      await seat.see(/Propose this session/);
      await seat.press('yes\r');
      await seat.see(/Proposed: the session takes no more writes/);
      await seat.see(/PROPOSED/);
      await seat.press('A');
      await seat.see(/digest sha256:[0-9a-f]{64}/);
      await seat.press(`${id.slice(5, 13)}\r`);
      await seat.see(/Approved: the rows are in production/);
      await seat.see(/APPROVED/);
      await seat.press('q');
      assert.is(((await seat.ended) as Left).changes, 3);
      const { body } = await rest.call('GET', `/sessions/${id}`);
      assert.equal([body.status, body.approved_by], ['approved', 'ada']);
      assert.ok(seat.written.endsWith(leaveSequence));
      assert.is(seat.stdin.raw, false);
    },
    patience,
  );

  test(
    'asks for a proposed session only when something has happened to it',
    async () => {
      const { id, seat } = await sit();
      await rest.call('POST', `/sessions/${id}/propose`);
      await seat.see(/PROPOSED/);
      const looks = () => rest.logged.filter((line) => line.includes(`/sessions/${id}"`)).length;
      let before = -1;
      while (before < looks()) {
        before = looks();
        // two rounds of looks, in which there is none
        await new Promise((resolve) => setTimeout(resolve, 4500));
      }
      await rest.call('POST', `/sessions/${id}/comments`, { json: { body: 'please look' } });
      await seat.see(/Comments 1/);
      await rest.call('POST', `/sessions/${id}/reject`);
      await seat.see(/REJECTED/);
      assert.ok(looks() <= before + 2);
    },
    patience,
  );

  test(
    'sees that the session is written on, and that production moves',
    async () => {
      const { id, seat } = await sit();
      await rest.write(id, `DELETE FROM order_items WHERE order_id = 4`);
      await seat.see(/order_items/);
      await seat.see(/session has changed/);
      await rest.database.query(`UPDATE products SET stock = stock + 1 WHERE sku = 'MUG-01'`);
      await seat.press('R');
      await seat.see(/Conflicts 1/);
      await seat.see(/! 1 conflict with production/);
      await rest.write(id, `DELETE FROM order_items WHERE order_id = 3`);
      await seat.see(/! 1 conflict with production: tab to Conflicts\.\s+The session has changed/);
      await rest.database.query(`UPDATE products SET stock = stock - 1 WHERE sku = 'MUG-01'`);
    },
    patience,
  );

  test('stays open when the daemon refuses', async () => {
    const { id, seat } = await sit();
    await seat.press('P');
    await seat.see(/Propose this session/);
    await rest.call('POST', `/sessions/${id}/propose`, { json: {} });
    await rest.call('POST', `/sessions/${id}/reject`, { json: {} });
    await seat.press('yes\r');
    await seat.see(/is rejected/);
    await seat.press('?');
    await seat.see(/next row/);
  });

  test(
    'follows the size of the terminal',
    async () => {
      const { seat } = await sit();
      seat.resize(50, 12);
      await until(async () => seat.frame.split('\n').length === 12);
      assert.ok(seat.frame.split('\n').every((line) => line.length <= 50));
    },
    patience,
  );

  test('says the same without colours', async () => {
    const { id, seat } = await sit();
    await seat.see(/Conflicts 0/);
    await seat.see(/~1 .* sha/);
    const plain = new Seat(rest.url, id, false);
    seats.push(plain);
    await plain.see(/Conflicts 0/);
    await plain.see(/~1 .* sha/);
    await until(async () => plain.frame === seat.frame);
    assert.is(plain.frame, seat.frame);
    assert.is(/\[[\d;]*[1-9]m/.test(plain.written), false);
  });

  for (const signal of ['SIGTERM', 'SIGHUP']) {
    test(`gives the terminal back on ${signal}, and dies of it`, async () => {
      const { seat } = await sit();
      seat.signals.emit(signal);
      assert.ok(seat.written.endsWith(leaveSequence));
      assert.equal([seat.stdin.raw, seat.killed], [false, [signal]]);
    });
  }

  test('gives the terminal back before a crash is told', async () => {
    const { seat } = await sit();
    seat.signals.emit('uncaughtExceptionMonitor');
    assert.ok(seat.written.endsWith(leaveSequence));
    assert.is(seat.stdin.raw, false);
  });

  test('goes on when there is no shell to come back from', async () => {
    const { seat } = await sit();
    await seat.press('\x1a');
    await until(() => seat.killed.length > 0);
    seat.written = '';
    await until(() => seat.written.includes('a@x'));
    assert.is(seat.stdin.raw, true);
    assert.ok(seat.written.includes('\x1b[?1049h'));
  });

  test('is suspended by ctrl-z, and comes back as it was', async () => {
    const { seat } = await sit();
    await seat.press('\x1a');
    await until(() => seat.killed.length > 0);
    assert.equal([seat.stdin.raw, seat.killed], [false, ['SIGTSTP']]);
    assert.ok(seat.written.includes(leaveSequence));
    seat.written = '';
    seat.signals.emit('SIGCONT');
    assert.is(seat.stdin.raw, true);
    await until(async () => seat.written.includes('\x1b[?1049h') && seat.written.includes('a@x'));
    await seat.press('j');
    await seat.see(/customers 2\/2/);
  });
});
