/** The rehearsal in the terminal interface over a real daemon: its pane, the question before approval, and who does not wait. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { Seat } from '../helpers/seat.ts';
import { assert, suite } from '../helpers/suite.ts';

/** A machine may be busy; nobody waits longer than it takes. */
const patience = { timeout: 120_000 };

suite('rehearse in the interface', (test) => {
  let rest: TestRest;
  const seats: Seat[] = [];
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
  test.afterEach(async () => {
    for (const seat of seats.splice(0)) await seat.leave();
  });
  test.after(() => rest.stop());

  async function sit(statement: string) {
    const id = await rest.newSession();
    await rest.write(id, statement);
    const seat = new Seat(rest.url, id, false);
    seats.push(seat);
    await seat.see(/~\d .* sha/);
    return { id, seat };
  }

  test(
    'e shows what approval would do, and the question before it has that in one line',
    async () => {
      const { id, seat } = await sit('UPDATE products SET price = price + 1 WHERE id IN (1, 2)');
      await seat.press('P');
      await seat.press('yes\r');
      await seat.see(/PROPOSED/);
      await seat.press('A');
      await seat.see(/ {2}not rehearsed/);
      await seat.press('\x1b');
      await seat.press('e');
      await seat.see(/\[Effects\]/);
      await seat.see(/would land 2 rows: products ~2/);
      await seat.see(/triggers would also change: customers ~1, price_log \+2/);
      await seat.see(/~ customers 1 {2}name Ada Lovelace → told/);
      await seat.see(/\+ price_log MUG-01 {2}sku MUG-01 {2}was 9\.50/);
      await seat.press('A');
      await seat.see(/ {2}rehearsed: would land 2 rows; triggers change 3 rows in 2 tables/);
      await seat.press('\x1b');
      await rest.database.query(
        'ALTER TABLE products ADD CONSTRAINT no CHECK (price < 1) NOT VALID',
      );
      await seat.press('e');
      await seat.see(/production would refuse the changes: [\s\S]* constraint no, SQLSTATE 23514/);
      await seat.press('A');
      await seat.see(/! rehearsal failed: new row .* violates check/);
      await rest.database.query('ALTER TABLE products DROP CONSTRAINT no');
      assert.is((await rest.call('GET', `/sessions/${id}`)).body.status, 'proposed');
    },
    patience,
  );

  test(
    'escape waits no longer, and what comes then is not shown',
    async () => {
      const { id, seat } = await sit('UPDATE products SET stock = 999 WHERE id = 3');
      await seat.press('e');
      await seat.see(/Rehearsing the approval … escape waits no longer/);
      await seat.press('\x1b');
      await seat.see(/\[Rows\][\s\S]*Not waited for any longer/);
      // the next one waits in the service until that one has ended
      await rest.call('POST', `/sessions/${id}/rehearse`);
      await seat.press('\x1b[Z\x1b[Z');
      await seat.see(/\[Effects\][\s\S]*Not rehearsed yet; press e/);
    },
    patience,
  );
});
