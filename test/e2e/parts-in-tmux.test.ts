/** A part from beginning to end in a real pseudo-terminal: marked, refused for its ties, approved with them; the rest is changed by others. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Tmux } from '../helpers/tmux.ts';
import { createTmux } from '../helpers/tmux.ts';

const patience = { timeout: 150_000 };

suite('parts in tmux', (test) => {
  let rest: TestRest;
  let tmux: Tmux;

  test.before(async () => {
    rest = await startTestRest();
    tmux = await createTmux(100, 30);
  });
  test.afterEach(() => tmux.end());
  test.after(async () => {
    await rest.stop();
    await tmux.clear();
  });

  const proposed = async (...statements: readonly string[]) => {
    const id = await rest.newSession();
    for (const statement of statements) await rest.write(id, statement);
    await rest.call('POST', `/sessions/${id}/propose`);
    return id;
  };

  test(
    'is marked, approved with what is tied to it, and the rest is opened by its name',
    async () => {
      const { see, press } = tmux;
      const id = await proposed(
        `INSERT INTO customers (id, email, name) VALUES (900, 'x@x', 'X')`,
        'INSERT INTO orders (id, customer_id) VALUES (901, 900), (902, 1)',
        'UPDATE products SET stock = 77 WHERE id IN (1, 2)',
      );
      await tmux.open(rest.url, id);
      await see(/PROPOSED[\s\S]*customers/);
      await press(']');
      await see(/orders 1\/2[\s\S]*> \+ +901/);
      await press('m');
      await see(/Marked: 1 row of orders\. A approves them/);
      await press(']', 'T');
      await see(/Marked: 1 row of orders, all of products\./);
      await press('A');
      await see(/Approve the marked part[\s\S]*; 3 in total\.[\s\S]*digest sha256/);
      await press('yes', 'Enter');
      await see(/These are tied to them[\s\S]*customers 900/);
      assert.is((await rest.call('GET', `/sessions/${id}`)).body.status, 'proposed');
      await press('yes', 'Enter');
      await see(/APPROVED[\s\S]*stage\s+diff sess_\w{32}/);
      assert.equal(
        await rest.database.query(
          'SELECT (SELECT array_agg(id::int) FROM orders WHERE id > 900) AS orders, (SELECT count(*)::int FROM products WHERE stock = 77) AS products',
        ),
        [{ orders: [901], products: 2 }],
      );
      const { remaining_session_id: left } = (await rest.call('GET', `/sessions/${id}`)).body;
      await see(new RegExp(`stage\\s+diff ${left}`));
      await press('q');
      await see(/left with 2/);
    },
    patience,
  );

  test(
    'of what others change meanwhile nothing is approved; the whole is scheduled, and cancelled',
    async () => {
      const { see, press } = tmux;
      const id = await proposed('UPDATE products SET price = 33 WHERE id IN (3, 4)');
      await tmux.open(rest.url, id);
      await see(/PROPOSED[\s\S]*> ~/);
      await press('m', 'A');
      await see(/Approve the marked part[\s\S]*digest sha256/);
      await rest.call('POST', `/sessions/${id}/reopen`, { json: { message: 'again' } });
      await rest.write(id, 'UPDATE products SET price = 34 WHERE id = 3');
      await rest.call('POST', `/sessions/${id}/propose`);
      await see(/PROPOSED[\s\S]*The marks are cleared, and nothing was approved\./);
      assert.equal(await rest.database.query('SELECT 1 FROM products WHERE price IN (33, 34)'), []);
      await press('W');
      await see(/Approve now, and apply to production database/);
      const day = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
      await press(`${day}T02:00Z`, 'Enter');
      await see(new RegExp(`It is applied at ${day}T02:00:00\\.000Z[\\s\\S]*digest sha256`));
      await press('yes', 'Enter');
      await see(new RegExp(`PROPOSED is applied at ${day}[\\s\\S]*Approved for later`));
      await press('C');
      await see(/! This cancels the approval/);
      await press('yes', 'Enter');
      await press('not now', 'Enter');
      await see(/ACTIVE/);
      assert.is((await rest.call('GET', `/sessions/${id}`)).body.apply_at ?? null, null);
    },
    patience,
  );
});
