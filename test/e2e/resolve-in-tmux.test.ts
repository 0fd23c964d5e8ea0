/** A conflict from beginning to end in a real pseudo-terminal of 80 columns: found, resolved, proposed, rehearsed, approved. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import type { Tmux } from '../helpers/tmux.ts';
import { createTmux } from '../helpers/tmux.ts';

const patience = { timeout: 150_000 };

suite('resolve in tmux', (test) => {
  let rest: TestRest;
  let tmux: Tmux;

  test.before(async () => {
    rest = await startTestRest();
    await rest.database.query(`
      CREATE TABLE price_log (sku text PRIMARY KEY, was numeric);
      CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO price_log VALUES (NEW.sku, OLD.price);
        RETURN NULL;
      END $$;
      CREATE TRIGGER log AFTER UPDATE ON products FOR EACH ROW WHEN (NEW.price = 12) EXECUTE FUNCTION log()`);
    tmux = await createTmux(80, 24);
  });
  test.afterEach(() => tmux.end());
  test.after(async () => {
    await rest.stop();
    await tmux.clear();
  });

  test(
    'nothing is thrown away: given back, settled, proposed again, rehearsed, approved, taken back',
    async () => {
      const { see, press } = tmux;
      const id = await rest.newSession();
      await rest.write(id, `UPDATE products SET price = 12 WHERE sku = 'MUG-01'`);
      await rest.call('POST', `/sessions/${id}/propose`);
      await rest.database.query(`UPDATE products SET price = 9.95, stock = 7 WHERE sku = 'MUG-01'`);
      await tmux.open(rest.url, id);
      await see(/PROPOSED[\s\S]*Conflicts 2/);
      await press('Tab', 'Tab', 'Tab');
      await see(/> products 1 price +9\.50 +12\.00 +9\.95/);
      await press('o');
      await see(/The session is proposed: C gives it back for changes first\./);
      await press('C');
      await see(/Give this session back/);
      await press('yes', 'Enter');
      await see(/What is to change/);
      await press('settle the price', 'Enter');
      await see(/ACTIVE[\s\S]*o mine stands/);
      await press('o');
      await see(/\[Conflicts 0\][\s\S]*1 settled, 0 left\./);
      await press('P');
      await see(/Propose this session/);
      await press('yes', 'Enter');
      await see(/PROPOSED/);
      await press('A');
      await see(/not rehearsed/);
      await press('Escape');
      await see(/Nothing was done/);
      await press('e');
      await see(/\[Effects\][\s\S]*would land 1 row: products ~1/);
      await see(/triggers would also change: price_log \+1/);
      await press('A');
      await see(/ rehearsed: would land 1 row; triggers change 1 row in 1 table$/m);
      await press(id.slice(5, 13), 'Enter');
      await see(/APPROVED[\s\S]*the rows are in production/);
      assert.equal(
        await rest.database.query(`SELECT price::text, stock FROM products WHERE sku = 'MUG-01'`),
        [{ price: '12.00', stock: 7 }],
      );
      await press('U');
      await see(/Take this approval back\?/);
      await press('yes', 'Enter');
      await see(/The inverse is staged: stage diff sess_\w{32}/);
      await press('q');
      await see(/left with 2\n echo/);
    },
    patience,
  );
});
