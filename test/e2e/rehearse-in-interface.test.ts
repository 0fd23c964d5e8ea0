/** Rehearsal in the terminal interface over a real daemon: its pane, the prompt before approval, and a reviewer who does not wait. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import { terminalsOf } from '../helpers/test-terminal.ts';

/** A timeout for busy machines. No test waits longer than necessary. */
const patience = { timeout: 120_000 };

suite('rehearse in the interface', (test) => {
  let rest: TestRest;
  const openTerminal = terminalsOf(test);
  test.before(async () => {
    rest = await startTestRest();
    await rest.database.query(`
      CREATE TABLE price_log (sku text PRIMARY KEY, was numeric);
      CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.stock = 999 THEN PERFORM pg_sleep(1); END IF;
        INSERT INTO price_log VALUES (NEW.sku, OLD.price);
        UPDATE customers SET name = 'told' WHERE id = 1;
        RETURN NULL;
      END $$;
      CREATE TRIGGER log AFTER UPDATE ON products FOR EACH ROW EXECUTE FUNCTION log()`);
  });
  test.after(() => rest.stop());

  async function sit(statement: string) {
    const id = await rest.newSession();
    await rest.write(id, statement);
    const terminal = openTerminal(rest.url, id, false);
    await terminal.see(/~\d .* sha/);
    return { id, terminal };
  }

  test(
    'e shows what approval would do, and the question before it has that in one line',
    async () => {
      const { id, terminal } = await sit(
        'UPDATE products SET price = price + 1 WHERE id IN (1, 2)',
      );
      await terminal.press('P');
      await terminal.press('yes\r');
      await terminal.see(/PROPOSED/);
      await terminal.press('A');
      await terminal.see(/ {2}not rehearsed/);
      await terminal.press('\x1b');
      await terminal.press('e');
      await terminal.see(/\[Effects\]/);
      await terminal.see(/would land 2 rows: products ~2/);
      await terminal.see(/triggers would also change: customers ~1, price_log \+2/);
      await terminal.see(/~ customers 1 {2}name Ada Lovelace → told/);
      await terminal.see(/\+ price_log MUG-01 {2}sku MUG-01 {2}was 9\.50/);
      await terminal.press('A');
      await terminal.see(/ {2}rehearsed: would land 2 rows; triggers change 3 rows in 2 tables/);
      await terminal.press('\x1b');
      await rest.database.query(
        'ALTER TABLE products ADD CONSTRAINT no CHECK (price < 1) NOT VALID',
      );
      await terminal.press('e');
      await terminal.see(
        /production would refuse the changes: [\s\S]* constraint no, SQLSTATE 23514/,
      );
      await terminal.press('A');
      await terminal.see(/! rehearsal failed: new row .* violates check/);
      await rest.database.query('ALTER TABLE products DROP CONSTRAINT no');
      assert.is((await rest.call('GET', `/sessions/${id}`)).body.status, 'proposed');
    },
    patience,
  );

  test(
    'escape waits no longer, and what comes then is not shown',
    async () => {
      const { id, terminal } = await sit('UPDATE products SET stock = 999 WHERE id = 3');
      await terminal.press('e');
      await terminal.see(/Rehearsing the approval … escape waits no longer/);
      await terminal.press('\x1b');
      await terminal.see(/\[Rows\][\s\S]*Not waited for any longer/);
      // the next rehearsal waits in the service until the first one has ended
      await rest.call('POST', `/sessions/${id}/rehearse`);
      await terminal.press('\x1b[Z\x1b[Z');
      await terminal.see(/\[Effects\][\s\S]*Not rehearsed yet; press e/);
    },
    patience,
  );
});
