/** Edits on the review page: the author of an active session settles conflicts, and takes rows and tables out. */
import { as, serveReviewPage, textOf as text, violations } from '../helpers/review-page.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('web: edits on the review page', (test) => {
  const page = serveReviewPage(test);
  const { open, linkFor, session } = page;
  const count = (selector: string) => `document.querySelectorAll('${selector}').length`;
  const changesOf = async (id: string) =>
    (await page.rest.call('GET', `/sessions/${id}/diff`, as('dev'))).body.tables;

  test("a conflict is settled by the session's value or by production's, and by what was shown alone", async () => {
    const id = await session();
    await page.rest.write(id, 'UPDATE products SET stock = 71 WHERE id IN (1, 2)');
    await page.rest.database.query('UPDATE products SET stock = 5 WHERE id IN (1, 2)');
    const tab = await open();
    await tab.goTo(await linkFor('dev', id));
    await tab.click('.banners button', 'See them');
    await tab.sees(`${count('.conflicts li')} === 2`);
    assert.equal(await violations(tab), []);
    await page.rest.database.query('UPDATE products SET stock = 6 WHERE id = 1');
    await tab.click('.conflicts li:first-child button', "Keep the session's");
    await tab.sees(`${text('dialog')}.includes("products 1 stock: the session's 71 stands.")`);
    await tab.click('dialog button', "Keep the session's");
    await tab.sees(`${text('dialog .fault')}.includes('production has another value by now')`);
    await tab.click('dialog button', 'Cancel');
    await tab.sees("document.querySelector('dialog') === null");
    await tab.press('R');
    await tab.sees(`/in production\\s+6/.test(${text('.conflicts')})`);
    await tab.click('.conflicts li:first-child button', "Keep the session's");
    await tab.click('dialog button', "Keep the session's");
    await tab.sees(`${count('.conflicts li')} === 1`);
    await tab.look({ width: 390, height: 844, dark: true });
    await tab.click('.conflicts button', "Take production's");
    assert.equal(await violations(tab), []);
    await tab.click('dialog button', "Take production's");
    await tab.sees(`${text('.pane')}.includes('No conflicts')`);
    const { changes } = (await changesOf(id)).products;
    assert.equal(
      changes.map(({ row_id, before, after }: Record<string, { stock: number }>) => [
        row_id,
        before?.stock,
        after?.stock,
      ]),
      [[1, 6, 71]],
    );
    assert.equal(tab.faults, []);
  });

  test('a row is taken out; rows that depend on it are named, and go when that is agreed to', async () => {
    const id = await session();
    await page.rest.write(id, `INSERT INTO customers (id, email, name) VALUES (900, 'x@x', 'X')`);
    await page.rest.write(id, 'INSERT INTO orders (id, customer_id) VALUES (901, 900)');
    await page.rest.write(id, 'UPDATE products SET price = 5 WHERE id = 4');
    const tab = await open();
    await tab.goTo(await linkFor('dev', id));
    await tab.sees(`${count('.tables button')} === 3`);
    await tab.click('.tables button', 'customers');
    await tab.sees(`${text('.rows .key')} === '900'`);
    await tab.press('j');
    await tab.press('Enter');
    await tab.sees("document.querySelector('[data-edit=row]')");
    await tab.press('u');
    await tab.sees(`${text('dialog')}.includes('customers 900')`);
    await tab.click('dialog button', 'Take out');
    await tab.sees(`${text('dialog li')} === 'orders 901'`);
    assert.is(Object.keys(await changesOf(id)).length, 3);
    await tab.evaluate("document.querySelector('dialog [name=dependents]').click()");
    await tab.click('dialog button', 'Take out');
    await tab.sees(`${count('.tables button')} === 1`);
    assert.equal(Object.keys(await changesOf(id)), ['products']);
    assert.equal(
      tab.faults.filter((fault) => !fault.includes('409')),
      [],
    );
  });

  test('an open row stays open while its table is read again, and closes with its table', async () => {
    const id = await session();
    await page.rest.write(id, 'UPDATE customers SET name = $1 WHERE id = 1', ['Y']);
    await page.rest.write(id, 'UPDATE products SET price = 7 WHERE id = 1');
    const tab = await open();
    await tab.goTo(await linkFor('dev', id));
    await tab.sees(`${count('.tables button')} === 2 && ${count('.rows .line')} === 1`);
    await tab.press('j');
    await tab.press('Enter');
    await tab.sees("document.querySelector('[data-edit=row]')");
    await page.rest.write(id, 'UPDATE customers SET name = $1 WHERE id = 2', ['Z']);
    await tab.click('.tables button', 'customers');
    await tab.sees(`${count('.rows .line')} === 2`);
    assert.is(await tab.evaluate(count('.detail')), 1);
    assert.is(await tab.evaluate("document.activeElement.getAttribute('aria-expanded')"), 'true');
    await tab.click('.tables button', 'products');
    assert.is(await tab.evaluate(count('.rows .line.none, .detail')), 0);
    await tab.sees(`${text('.rows')}.includes('price')`);
    assert.is(await tab.evaluate(count('.detail')), 0);
    assert.equal(tab.faults, []);
  });

  test('of a table without a key all rows are taken out, and no single one', async () => {
    await page.rest.database.query(
      'CREATE TABLE notes (body text); INSERT INTO notes VALUES (1), (2)',
    );
    const id = await session();
    await page.rest.write(id, "UPDATE notes SET body = 'x'");
    await page.rest.write(id, 'UPDATE products SET price = 6 WHERE id = 4');
    const tab = await open();
    await tab.goTo(await linkFor('dev', id));
    await tab.sees(`${count('.tables button')} === 2`);
    await tab.click('.tables button', 'notes');
    await tab.sees(`${text('.rows')}.includes('body')`);
    await tab.press('j');
    await tab.press('Enter');
    await tab.sees("document.querySelector('.detail button')");
    assert.is(await tab.evaluate(count('[data-edit=row]')), 0);
    await tab.click('.about button', 'Take the table out');
    await tab.sees(`${text('dialog')}.includes('All rows of notes')`);
    await tab.click('dialog button', 'Take out');
    await tab.sees(`${count('.tables button')} === 1`);
    assert.equal(Object.keys(await changesOf(id)), ['products']);
    assert.equal(tab.faults, []);
  });

  test('reviewers, and proposed sessions, are offered no edits', async () => {
    const id = await session();
    await page.rest.write(id, 'UPDATE products SET stock = 72 WHERE id = 3');
    await page.rest.database.query('UPDATE products SET stock = 5 WHERE id = 3');
    const looks = async (name: string) => {
      const tab = await open();
      await tab.goTo(await linkFor(name, id));
      await tab.click('.banners button', 'See them');
      await tab.sees(`${count('.conflicts li')} === 1`);
      assert.is(await tab.evaluate(count('.conflicts button')), 0);
      await tab.click('.tabs button', 'Rows');
      await tab.sees(`${text('.rows')}.includes('stock')`);
      await tab.press('j');
      await tab.press('Enter');
      await tab.sees("document.querySelector('.detail button')");
      assert.is(await tab.evaluate(count('[data-edit=row], .about button')), 0);
    };
    await looks('ann');
    await page.propose(id);
    await looks('dev');
  });
});
