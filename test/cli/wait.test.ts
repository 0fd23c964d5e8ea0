/** Waiting for a decision, and following a session. */
import pg from 'pg';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';
import { serve } from './served.ts';

const often = ['--interval', '20ms'];
/** An interval longer than any test: a command that notices an event was notified. */
const seldom = ['--interval', '10d'];

suite('wait', (test) => {
  const served = serve(test);
  let id: string;
  test.beforeEach(async () => {
    id = await served.rest.newSession();
    await served.rest.write(id, `UPDATE orders SET note = 'x' WHERE id = 1`);
  });

  const step = (name: string, json: object = {}) =>
    served.rest.call('POST', `/sessions/${id}/${name}`, { json });

  test('ends when somebody approves', async () => {
    const waiting = served.shell.run(['wait', id, ...often]);
    await step('propose');
    await step('approve');
    assert.equal(await waiting, { code: 0, stdout: `${id}\tapproved\n`, stderr: '' });
    await served.rest.database.query('UPDATE orders SET note = NULL WHERE id = 1');
    assert.is((await served.shell.run(['wait', id])).code, 0);
    assert.is((await served.shell.run(['wait', id, '--for', 'proposed'])).code, 0);
  });

  test('ends with 6 and the reason when the session is rejected', async () => {
    const waiting = served.shell.run(['wait', id, ...often]);
    await step('propose');
    await step('reject', { reason: 'wrong customer' });
    const { code, stdout, stderr } = await waiting;
    assert.equal([code, stdout], [6, '']);
    assert.match(stderr, /is rejected: wrong customer\n.*\nhint: .*stage session/);
    const decided = await served.shell.run(['wait', id, '--for', 'decided', '--json']);
    assert.is(JSON.parse(decided.stdout).status, 'rejected');
  });

  test('ends with 8 when the time is over', async () => {
    const { code, stderr } = await served.shell.run(['wait', id, ...often, '--timeout', '50ms']);
    assert.is(code, 8);
    assert.match(stderr, /is still active, and not approved\nhint: .*stage wait/);
    const json = await served.shell.run(['wait', id, '--timeout', '0', '--json']);
    assert.equal([json.code, JSON.parse(json.stderr).error], [8, 'still_pending']);
  });

  test('ends with 5 when the session is deleted', async () => {
    const waiting = served.shell.run(['wait', id, ...often]);
    await served.rest.call('DELETE', `/sessions/${id}`);
    assert.is((await waiting).code, 5);
  });

  test('is told by the daemon, and does not look again and again', async () => {
    const looks = () => served.rest.logged.filter((line) => line.includes(`/sessions/${id}"`));
    const waiting = served.shell.run(['wait', id, ...seldom]);
    // it requests whether the session exists, the last event, and the current state
    await until(() => looks().length > 2);
    await step('propose');
    await until(() => looks().length > 3);
    await step('comments', { body: 'why?' });
    await until(() => looks().length > 4);
    await step('approve');
    assert.equal(await waiting, { code: 0, stdout: `${id}\tapproved\n`, stderr: '' });
    assert.is(looks().length, 6);
    await served.rest.database.query('UPDATE orders SET note = NULL WHERE id = 1');
  });

  test('hears of a session that is deleted', async () => {
    const waiting = served.shell.run(['wait', id, ...seldom]);
    await until(() => served.rest.logged.some((line) => line.includes(`/sessions/${id}"`)));
    await served.rest.call('DELETE', `/sessions/${id}`);
    assert.is((await waiting).code, 5);
  });

  test('says to people what it waits for', async () => {
    const { code, stderr } = await served.shell.atTerminal(['wait', id, '--timeout', '1600ms']);
    assert.is(code, 8);
    assert.match(stderr, new RegExp(`\\r.*Waiting until ${id} is approved \\.\\.\\. 1 s`));
    const quiet = await served.shell.run(['wait', id, '--timeout', '1600ms']);
    assert.not.match(quiet.stderr, /Waiting/);
  });

  for (const time of ['soon', '5x', '1h30', '-1s']) {
    test(`does not take ${time} for a time`, async () => {
      const { code, stderr } = await served.shell.run(['wait', id, `--timeout=${time}`]);
      assert.is(code, 64);
      assert.match(stderr, /such as 90s, 15m or 1h30m/);
    });
  }
});

suite('watch', (test) => {
  const served = serve(test);

  test('tells statements and states as they come, and ends with the session', async () => {
    const id = await served.rest.newSession();
    const asked = () =>
      served.rest.logged.filter((line) => line.includes(`${id}/mutations`)).length;
    await served.rest.write(id, `UPDATE orders SET note = E'a\\u202eb' WHERE id = 1`);
    const following = served.shell.run(['watch', id, ...often]);
    await until(() => asked() > 1);
    await served.rest.write(id, `DELETE FROM order_items WHERE order_id = 1 AND product_id = 5`);
    const count = asked();
    await until(() => asked() > count + 1);
    await served.rest.call('POST', `/sessions/${id}/propose`, { json: {} });
    await served.rest.call('POST', `/sessions/${id}/reject`, { json: {} });
    const { code, stdout } = await following;
    assert.is(code, 0);
    const events = stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t').slice(1));
    assert.equal(
      events.filter(([event]) => event !== 'proposed'),
      [
        ['UPDATE', 'orders', '1', `UPDATE orders SET note = E'a\\u202eb' WHERE id = 1`],
        ['active', '', '', ''],
        [
          'DELETE',
          'order_items',
          '1',
          'DELETE FROM order_items WHERE order_id = 1 AND product_id = 5',
        ],
        ['rejected', '', '', ''],
      ],
    );
  });

  test('hears at once of what is done with the session', async () => {
    const id = await served.rest.newSession();
    const states = () =>
      served.rest.logged.filter((line) => line.includes(`/sessions/${id}"`)).length;
    await served.rest.call('POST', `/sessions/${id}/propose`, { json: {} });
    const following = served.shell.run(['watch', id, ...seldom]);
    // it requests the last event, and the current state
    await until(() => states() > 1);
    await served.rest.call('POST', `/sessions/${id}/reopen`, { json: { message: 'more' } });
    await until(() => states() > 2);
    await served.rest.call('POST', `/sessions/${id}/propose`, { json: {} });
    await until(() => states() > 3);
    await served.rest.call('POST', `/sessions/${id}/reject`, { json: {} });
    const { code, stdout } = await following;
    const reported = stdout.split('\n').map((line) => line.split('\t')[1]);
    assert.equal([code, reported], [0, ['proposed', 'active', 'proposed', 'rejected', undefined]]);
  });

  test('goes on when the upstream is away for a while', async () => {
    const { database, logged } = served.rest;
    const id = await served.rest.newSession();
    const following = served.shell.run(['watch', id, ...often]);
    await until(() => logged.some((line) => line.includes(`/sessions/${id}"`)));
    const elsewhere = new URL(database.url);
    elsewhere.pathname = '/postgres';
    const admin = new pg.Client({ connectionString: elsewhere.href });
    await admin.connect();
    const allow = (whether: boolean) =>
      admin.query(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS ${whether}`);
    await allow(false);
    await admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database.name}'`,
    );
    await until(() => logged.some((line) => line.includes(`${id}/`) && line.includes('503')));
    await allow(true);
    await admin.end();
    await until(async () => {
      const { status } = await served.rest.call('POST', `/sessions/${id}/propose`, { json: {} });
      return status === 200;
    });
    await served.rest.call('POST', `/sessions/${id}/reject`, { json: {} });
    const { code, stdout, stderr } = await following;
    assert.equal([code, stderr], [0, '']);
    assert.match(stdout, /\trejected\t/);
  });

  test('has an object a line with --json, and knows that a session was deleted', async () => {
    const id = await served.rest.newSession();
    const following = served.shell.run(['watch', id, ...often, '--json']);
    await until(() => served.rest.logged.some((line) => line.includes(`${id}/mutations`)));
    await until(() => served.rest.logged.some((line) => line.includes(`/sessions/${id}"`)));
    await served.rest.call('DELETE', `/sessions/${id}`);
    const { code, stdout } = await following;
    assert.is(code, 0);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(
      events.map(({ event, status, session }) => [event, status, session.session_id]),
      [
        ['status', 'active', id],
        ['status', 'deleted', id],
      ],
    );
  });
});
