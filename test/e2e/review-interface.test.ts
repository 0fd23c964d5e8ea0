/** The terminal interface over a real daemon, on a simulated terminal: frames, keys, and the exit. */
import type { Left } from '../../src/tui/open-diff.tsx';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import { leaveSequence, terminalsOf } from '../helpers/test-terminal.ts';
import { until } from '../helpers/until.ts';

/** A timeout for busy machines. No test waits longer than necessary. */
const patience = { timeout: 120_000 };

suite('review in the interface', (test) => {
  let rest: TestRest;
  const openTerminal = terminalsOf(test);
  test.before(async () => {
    rest = await startTestRest();
  });
  test.after(() => rest.stop());

  async function sit(colours = true) {
    const id = await rest.newSession();
    await rest.write(id, `UPDATE products SET price = price + 1 WHERE sku = 'MUG-01'`);
    await rest.write(
      id,
      `INSERT INTO customers (email, name) VALUES ('${id}a@x', 'A'), ('${id}b@x', 'B')`,
    );
    const terminal = openTerminal(rest.url, id, colours);
    await terminal.see(/customers 1\/2/);
    await terminal.see(/a@x/);
    return { id, terminal };
  }

  test(
    'shows the diff, and takes the whole way to production',
    async () => {
      const { id, terminal } = await sit();
      await terminal.see(/^ stage diff sess_\w{8} ACTIVE .* in stage_test\w+ {2}sha256:\w{12}…/);
      await terminal.press('J');
      await terminal.see(/> ~ +1 │ MUG-01 +Coffee mug +9\.50 → 10\.50/);
      await terminal.press('\r');
      await terminal.see(/~ UPDATE products 1/);
      await terminal.press('\t');
      await terminal.see(/\[Log 2\][\s\S]*> ~ UPDATE products[\s\S]*writes price/);
      await terminal.press('\x1b');
      await terminal.press('P');
      await terminal.see(/Propose this session/);
      await terminal.press('yes\r');
      await terminal.see(/Proposed: the session takes no more writes/);
      await terminal.see(/PROPOSED/);
      await terminal.press('A');
      await terminal.see(/digest sha256:[0-9a-f]{64}/);
      await terminal.press(`${id.slice(5, 13)}\r`);
      await terminal.see(/Approved: the rows are in production/);
      await terminal.see(/APPROVED/);
      await terminal.press('q');
      assert.is(((await terminal.ended) as Left).changes, 3);
      const { body } = await rest.call('GET', `/sessions/${id}`);
      assert.equal([body.status, body.approved_by], ['approved', 'ada']);
      assert.ok(terminal.written.endsWith(leaveSequence));
      assert.is(terminal.stdin.raw, false);
    },
    patience,
  );

  test(
    'copies the selected cell, also while it shows changed columns only',
    async () => {
      const { terminal } = await sit(false);
      const copied = (text: string) =>
        until(async () =>
          terminal.written.includes(`\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`),
        );
      await terminal.press('J');
      await terminal.see(/> ~ +1 │ MUG-01/);
      await terminal.press('y');
      await copied('MUG-01');
      await terminal.press('c');
      await terminal.see(/> ~ +1 │ +[\d.]+ → [\d.]+ *\n/);
      await terminal.press('y');
      await copied(/→ ([\d.]+)/.exec(terminal.frame)?.[1] ?? '');
    },
    patience,
  );

  test(
    'asks for a proposed session only when something has happened to it',
    async () => {
      const { id, terminal } = await sit();
      await rest.call('POST', `/sessions/${id}/propose`);
      await terminal.see(/PROPOSED/);
      const looks = () => rest.logged.filter((line) => line.includes(`/sessions/${id}"`)).length;
      let before = -1;
      while (before < looks()) {
        before = looks();
        // two polling intervals without a request
        await new Promise((resolve) => setTimeout(resolve, 4500));
      }
      await rest.call('POST', `/sessions/${id}/comments`, { json: { body: 'please look' } });
      await terminal.see(/Comments 1/);
      await rest.call('POST', `/sessions/${id}/reject`);
      await terminal.see(/REJECTED/);
      assert.ok(looks() <= before + 2);
    },
    patience,
  );

  test(
    'sees that the session is written on, and that production moves',
    async () => {
      const { id, terminal } = await sit();
      await rest.write(id, `DELETE FROM order_items WHERE order_id = 4`);
      await terminal.see(/order_items/);
      await terminal.see(/session has changed/);
      await rest.database.query(`UPDATE products SET stock = stock + 1 WHERE sku = 'MUG-01'`);
      await terminal.press('R');
      await terminal.see(/Conflicts 1/);
      await terminal.see(/! 1 conflict with production/);
      await rest.write(id, `DELETE FROM order_items WHERE order_id = 3`);
      await terminal.see(
        /! 1 conflict with production: tab to Conflicts\.\s+The session has changed/,
      );
      await rest.database.query(`UPDATE products SET stock = stock - 1 WHERE sku = 'MUG-01'`);
    },
    patience,
  );

  test('stays open when the daemon refuses', async () => {
    const { id, terminal } = await sit();
    await terminal.press('P');
    await terminal.see(/Propose this session/);
    await rest.call('POST', `/sessions/${id}/propose`, { json: {} });
    await rest.call('POST', `/sessions/${id}/reject`, { json: {} });
    await terminal.press('yes\r');
    await terminal.see(/is rejected/);
    await terminal.press('?');
    await terminal.see(/next row/);
  });

  test(
    'follows the size of the terminal',
    async () => {
      const { terminal } = await sit();
      terminal.resize(50, 12);
      await until(async () => terminal.frame.split('\n').length === 12);
      assert.ok(terminal.frame.split('\n').every((line) => line.length <= 50));
    },
    patience,
  );

  test('says the same without colours', async () => {
    const { id, terminal } = await sit();
    await terminal.see(/Conflicts 0/);
    await terminal.see(/~1 .* sha/);
    const plain = openTerminal(rest.url, id, false);
    await plain.see(/Conflicts 0/);
    await plain.see(/~1 .* sha/);
    await until(async () => plain.frame === terminal.frame);
    assert.is(plain.frame, terminal.frame);
    assert.is(/\[[\d;]*[1-9]m/.test(plain.written), false);
  });

  for (const signal of ['SIGTERM', 'SIGHUP']) {
    test(`gives the terminal back on ${signal}, and dies of it`, async () => {
      const { terminal } = await sit();
      terminal.signals.emit(signal);
      assert.ok(terminal.written.endsWith(leaveSequence));
      assert.equal([terminal.stdin.raw, terminal.killed], [false, [signal]]);
    });
  }

  test('gives the terminal back before a crash is told', async () => {
    const { terminal } = await sit();
    terminal.signals.emit('uncaughtExceptionMonitor');
    assert.ok(terminal.written.endsWith(leaveSequence));
    assert.is(terminal.stdin.raw, false);
  });

  test('goes on when there is no shell to come back from', async () => {
    const { terminal } = await sit();
    await terminal.press('\x1a');
    await until(() => terminal.killed.length > 0);
    terminal.written = '';
    await until(() => terminal.stdin.raw && terminal.written.includes('a@x'));
    assert.ok(terminal.written.includes('\x1b[?1049h'));
  });

  test('is suspended by ctrl-z, and comes back as it was', async () => {
    const { terminal } = await sit();
    await terminal.press('\x1a');
    await until(() => terminal.killed.length > 0);
    assert.equal([terminal.stdin.raw, terminal.killed], [false, ['SIGTSTP']]);
    assert.ok(terminal.written.includes(leaveSequence));
    terminal.written = '';
    terminal.signals.emit('SIGCONT');
    assert.is(terminal.stdin.raw, true);
    await until(
      async () => terminal.written.includes('\x1b[?1049h') && terminal.written.includes('a@x'),
    );
    await terminal.press('j');
    await terminal.see(/customers 2\/2/);
  });
});
