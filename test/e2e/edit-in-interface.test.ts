/** Staged rows are changed in the terminal interface over a real daemon: conflicts resolved, rows unstaged, approvals reverted. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { TestTerminal } from '../helpers/test-terminal.ts';
import { terminalsOf } from '../helpers/test-terminal.ts';

/** A timeout for busy machines. No test waits longer than necessary. */
const patience = { timeout: 120_000 };

suite('edit in the interface', (test) => {
  let rest: TestRest;
  const openTerminal = terminalsOf(test);
  test.before(async () => {
    rest = await startTestRest({
      tokens: ['author', 'reviewer', 'operator'].map((name) =>
        testToken({ name, role: name as 'author' | 'reviewer' | 'operator' }),
      ),
    });
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
    return { id: id as string, terminal: open(id, token) };
  }

  function open(id: string, token = 'operator'): TestTerminal {
    return openTerminal(rest.url, id, false, token);
  }

  const toConflicts = async (terminal: TestTerminal) => {
    await terminal.see(/Conflicts [1-9]/);
    await terminal.press('\t\t\t');
    await terminal.see(/\[Conflicts/);
  };

  test(
    'o lets the session’s value stand: conflicts, diff, log and digest are read anew',
    async () => {
      const { id, terminal } = await sit(['UPDATE products SET price = 77.50 WHERE id = 1']);
      await terminal.see(/9\.50 → 77\.50/);
      await terminal.see(/~1 .* sha/);
      const [digest] = /sha256:\w+/.exec(terminal.frame) ?? [];
      await rest.database.query('UPDATE products SET price = 88.10 WHERE id = 1');
      await terminal.press('R');
      await toConflicts(terminal);
      await terminal.see(/> products 1 price +9\.50 +77\.50 +88\.10/);
      await terminal.press('o');
      await terminal.see(/1 settled, 0 left\./);
      await terminal.see(/No conflicts: production is as the session saw it/);
      await terminal.press('\x1b');
      await terminal.see(/88\.10 → 77\.50/);
      await terminal.see(/~1 .* sha/);
      assert.not.ok(terminal.frame.includes(digest ?? 'sha256'));
      assert.is((await call('GET', `/sessions/${id}/events`)).events.at(-1).kind, 'resolved');
    },
    patience,
  );

  test(
    'p lets production’s value stand; what was not seen is not settled',
    async () => {
      const { id, terminal } = await sit([
        'UPDATE products SET price = 77.50, stock = 7 WHERE id = 2',
        'UPDATE products SET price = 77.50 WHERE id = 3',
      ]);
      await rest.database.query('UPDATE products SET price = 88.10 WHERE id IN (2, 3)');
      await toConflicts(terminal);
      await terminal.see(/\[Conflicts 2\]/);
      const { api } = terminal;
      const resolve = api.resolve.bind(api);
      api.resolve = async (...asked) => {
        await rest.database.query('UPDATE products SET price = 88.20 WHERE id = 2');
        return resolve(...asked);
      };
      await terminal.press('p');
      await terminal.see(/production has another value by now/);
      api.resolve = resolve;
      await terminal.see(/88\.20/);
      await terminal.press('p');
      await terminal.see(/1 settled, 1 left\./);
      await terminal.press('p');
      await terminal.see(/1 settled, 0 left\./);
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
      const { terminal } = await sit([`INSERT INTO lent VALUES (1, 'soon')`]);
      await terminal.see(/soon/);
      await rest.database.query('ALTER TABLE lent DROP COLUMN until');
      await terminal.press('R');
      await toConflicts(terminal);
      await terminal.press('p');
      await terminal.see(/cannot be settled in place: lent: its table has changed/);
      await terminal.see(/stage unstage/);
    },
    patience,
  );

  test(
    'u takes a row out; what hangs on it is named, and taken along when that is agreed to',
    async () => {
      const { id, terminal } = await sit([
        `INSERT INTO customers (id, email, name) VALUES (900, 'x@x', 'X')`,
        'INSERT INTO orders (id, customer_id) VALUES (901, 900)',
        'UPDATE products SET price = 5 WHERE id = 4',
      ]);
      await terminal.see(/> \+ +900/);
      await terminal.press('u');
      await terminal.see(/Take this out of the session[\s\S]* customers 900/);
      await terminal.press('yes\r');
      await terminal.see(/These rows depend on it[\s\S]* orders 901/);
      await terminal.press('\x1b');
      await terminal.see(/Nothing was done/);
      assert.is((await call('GET', `/sessions/${id}`)).edits, 0);
      await terminal.press('u');
      await terminal.press('yes\r');
      await terminal.see(/These rows depend on it/);
      await terminal.press('yes\r');
      await terminal.see(/Taken out: customers 1, orders 1\./);
      await terminal.see(/Tables 1[\s\S]*> ~ +4/);
      const { tables } = await call('GET', `/sessions/${id}/diff`);
      assert.equal(Object.keys(tables), ['products']);
    },
    patience,
  );

  test(
    'who may not is told so',
    async () => {
      const { terminal } = await sit(['UPDATE products SET price = 6 WHERE id = 4'], 'reviewer');
      await terminal.see(/→ 6/);
      await terminal.press('u');
      await terminal.see(/You may not take rows out here: your role is reviewer\./);
      const author = await sit(['UPDATE products SET price = 6 WHERE id = 4'], 'author');
      await author.terminal.see(/→ 6/);
      await author.terminal.press('e');
      await author.terminal.see(/You may not rehearse here: your role is author\./);
      await author.terminal.see(/ propose · /);
      assert.not.match(author.terminal.frame, /rehearse ·/);
    },
    patience,
  );

  test(
    'U takes an approval back in a new session; rows that have changed since are named',
    async () => {
      const { id } = await sit(['UPDATE products SET price = 41 WHERE id = 5']);
      await call('POST', `/sessions/${id}/propose`);
      await call('POST', `/sessions/${id}/approve`);
      const terminal = open(id);
      await terminal.see(/APPROVED/);
      await terminal.press('U');
      await terminal.see(/Take this approval back\?/);
      await terminal.press('yes\r');
      await terminal.see(/The inverse is staged: stage diff sess_\w{32}/);
      const [made] = /sess_\w{32}/.exec(terminal.frame) ?? [];
      assert.is((await call('GET', `/sessions/${made}`)).reverts, id);
      await terminal.see(/APPROVED/);
      await rest.database.query('UPDATE products SET price = 43 WHERE id = 5');
      await terminal.press('U');
      await terminal.press('yes\r');
      await terminal.see(/rows have changed since the session was approved/);
      await terminal.see(/products 5\. /);
      await terminal.see(/--skip-changed/);
    },
    patience,
  );
});
