/** What is staged is changed in the terminal interface over a real daemon: conflicts settled, rows taken out, approvals taken back. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { Seat } from '../helpers/seat.ts';
import { assert, suite } from '../helpers/suite.ts';

/** A machine may be busy; nobody waits longer than it takes. */
const patience = { timeout: 120_000 };

suite('edit in the interface', (test) => {
  let rest: TestRest;
  const seats: Seat[] = [];
  test.before(async () => {
    rest = await startTestRest({
      tokens: ['author', 'reviewer', 'operator'].map((name) =>
        testToken({ name, role: name as 'author' | 'reviewer' | 'operator' }),
      ),
    });
  });
  test.afterEach(async () => {
    for (const seat of seats.splice(0)) await seat.leave();
  });
  test.after(() => rest.stop());

  const call = async (method: string, path: string, json = {}) =>
    (
      await rest.call(method, path, {
        headers: { authorization: 'Bearer operator' },
        ...(method === 'POST' ? { json } : {}),
      })
    ).body;

  async function sit(statements: readonly string[], token = 'operator') {
    const { id } = await call('POST', '/sessions');
    for (const statement of statements) await rest.write(id, statement);
    return { id: id as string, seat: open(id, token) };
  }

  function open(id: string, token = 'operator'): Seat {
    const seat = new Seat(rest.url, id, false, token);
    seats.push(seat);
    return seat;
  }

  const toConflicts = async (seat: Seat) => {
    await seat.see(/Conflicts [1-9]/);
    await seat.press('\t\t\t');
    await seat.see(/\[Conflicts/);
  };

  test(
    'o lets the session’s value stand: conflicts, diff, log and digest are read anew',
    async () => {
      const { id, seat } = await sit(['UPDATE products SET price = 77.50 WHERE id = 1']);
      await seat.see(/9\.50 → 77\.50/);
      await seat.see(/~1 .* sha/);
      const [digest] = /sha256:\w+/.exec(seat.frame) ?? [];
      await rest.database.query('UPDATE products SET price = 88.10 WHERE id = 1');
      await seat.press('R');
      await toConflicts(seat);
      await seat.see(/> products 1 price +9\.50 +77\.50 +88\.10/);
      await seat.press('o');
      await seat.see(/Settled: 1, left: 0\./);
      await seat.see(/No conflicts: production is as the session saw it/);
      await seat.press('\x1b');
      await seat.see(/88\.10 → 77\.50/);
      await seat.see(/~1 .* sha/);
      assert.not.ok(seat.frame.includes(digest ?? 'sha256'));
      assert.is((await call('GET', `/sessions/${id}/events`)).events.at(-1).kind, 'resolved');
    },
    patience,
  );

  test(
    'p lets production’s value stand; what was not seen is not settled',
    async () => {
      const { id, seat } = await sit([
        'UPDATE products SET price = 77.50, stock = 7 WHERE id = 2',
        'UPDATE products SET price = 77.50 WHERE id = 3',
      ]);
      await rest.database.query('UPDATE products SET price = 88.10 WHERE id IN (2, 3)');
      await toConflicts(seat);
      await seat.see(/\[Conflicts 2\]/);
      const { api } = seat;
      const resolve = api.resolve.bind(api);
      api.resolve = async (...asked) => {
        await rest.database.query('UPDATE products SET price = 88.20 WHERE id = 2');
        return resolve(...asked);
      };
      await seat.press('p');
      await seat.see(/production has another value by now/);
      api.resolve = resolve;
      await seat.see(/88\.20/);
      await seat.press('p');
      await seat.see(/Settled: 1, left: 1\./);
      await seat.press('p');
      await seat.see(/Settled: 1, left: 0\./);
      const { tables } = await call('GET', `/sessions/${id}/diff`);
      const [change, another] = tables.products.changes;
      assert.equal([change.row_id, change.after.price, change.after.stock], [2, 88.2, 7]);
      assert.is(another, undefined);
    },
    patience,
  );

  test(
    'what cannot be settled is told in the words of the service',
    async () => {
      await rest.database.query('CREATE TABLE lent (id int PRIMARY KEY, until text)');
      const { seat } = await sit([`INSERT INTO lent VALUES (1, 'soon')`]);
      await seat.see(/soon/);
      await rest.database.query('ALTER TABLE lent DROP COLUMN until');
      await seat.press('R');
      await toConflicts(seat);
      await seat.press('p');
      await seat.see(/cannot be settled in place: lent: its table has changed/);
      await seat.see(/stage unstage/);
    },
    patience,
  );

  test(
    'u takes a row out; what hangs on it is named, and taken along when that is agreed to',
    async () => {
      const { id, seat } = await sit([
        `INSERT INTO customers (id, email, name) VALUES (900, 'x@x', 'X')`,
        'INSERT INTO orders (id, customer_id) VALUES (901, 900)',
        'UPDATE products SET price = 5 WHERE id = 4',
      ]);
      await seat.see(/> \+ +900/);
      await seat.press('u');
      await seat.see(/Take this out of the session[\s\S]* customers 900/);
      await seat.press('yes\r');
      await seat.see(/These would not hold without it[\s\S]* orders 901/);
      await seat.press('\x1b');
      await seat.see(/Nothing was done/);
      assert.is((await call('GET', `/sessions/${id}`)).edits, 0);
      await seat.press('u');
      await seat.press('yes\r');
      await seat.see(/These would not hold without it/);
      await seat.press('yes\r');
      await seat.see(/Taken out: customers 1, orders 1\./);
      await seat.see(/Tables 1[\s\S]*> ~ +4/);
      const { tables } = await call('GET', `/sessions/${id}/diff`);
      assert.equal(Object.keys(tables), ['products']);
    },
    patience,
  );

  test(
    'who may not is told so',
    async () => {
      const { seat } = await sit(['UPDATE products SET price = 6 WHERE id = 4'], 'reviewer');
      await seat.see(/→ 6/);
      await seat.press('u');
      await seat.press('yes\r');
      await seat.see(/a token of the role reviewer does not allow this/);
      const author = await sit(['UPDATE products SET price = 6 WHERE id = 4'], 'author');
      await author.seat.see(/→ 6/);
      await author.seat.press('e');
      await author.seat.see(/a token of the role author does not allow this/);
      await author.seat.see(/Not rehearsed yet; press e/);
    },
    patience,
  );

  test(
    'U takes an approval back in a new session; rows that have changed since are named',
    async () => {
      const { id } = await sit(['UPDATE products SET price = 41 WHERE id = 5']);
      await call('POST', `/sessions/${id}/propose`);
      await call('POST', `/sessions/${id}/approve`);
      const seat = open(id);
      await seat.see(/APPROVED/);
      await seat.press('U');
      await seat.see(/Take this approval back\?/);
      await seat.press('yes\r');
      await seat.see(/The inverse is staged: stage diff sess_\w{32}/);
      const [made] = /sess_\w{32}/.exec(seat.frame) ?? [];
      assert.is((await call('GET', `/sessions/${made}`)).reverts, id);
      await seat.see(/APPROVED/);
      await rest.database.query('UPDATE products SET price = 43 WHERE id = 5');
      await seat.press('U');
      await seat.press('yes\r');
      await seat.see(/rows have changed since the session was approved/);
      await seat.see(/products 5\. /);
      await seat.see(/--skip-changed/);
    },
    patience,
  );
});
