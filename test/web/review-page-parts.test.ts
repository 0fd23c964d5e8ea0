/** Parts on the review page: rows and tables are marked, what is tied to them is named, and the marked part alone is approved. */
import {
  answer,
  as,
  ready,
  savePicture,
  serveReviewPage,
  textOf as text,
  violations,
} from '../helpers/review-page.ts';
import { assert, suite } from '../helpers/suite.ts';

const count = (selector: string) => `document.querySelectorAll('${selector}').length`;

suite('web: parts on the review page', (test) => {
  const page = serveReviewPage(test);
  const { open, linkFor, session, propose } = page;
  const stock = async (...ids: readonly number[]) =>
    (
      await page.rest.database.query(
        `SELECT stock FROM products WHERE id IN (${ids.join(', ')}) ORDER BY id`,
      )
    ).map((row) => row['stock']);
  const statusOf = async (id: string) =>
    (await page.rest.call('GET', `/sessions/${id}`, as('ann'))).body.status;
  const staged = async (...statements: readonly string[]) => {
    const id = await session({ title: 'Spring prices' });
    for (const statement of statements) await page.rest.write(id, statement);
    return id;
  };

  test('are marked by keyboard and pointer, approved with what is tied to them, and the rest lives on', async () => {
    const id = await staged(
      'UPDATE products SET stock = stock + 100 WHERE id <= 3',
      `INSERT INTO customers (id, email, name) VALUES (900, 'x@x', 'X')`,
      'INSERT INTO orders (id, customer_id) VALUES (901, 900), (902, 1)',
    );
    const before = await stock(1, 2, 3);
    await propose(id);
    const tab = await open();
    await tab.look({ width: 1280, height: 900 });
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(ready);
    await tab.click('.tables button', 'products');
    await tab.sees(`${count('.rows .mark input')} === 3`);
    await tab.press('j');
    await tab.press('m');
    await tab.sees(`${text('.marked')}.includes('1 row of products')`);
    await tab.press('m');
    await tab.press('k');
    await tab.press('m');
    await tab.sees(`${text('.marked')}.includes('1 row of products')`);
    assert.match(await tab.evaluate(text('.marked')), /Marked: 1 row of products; 1 in total\./);
    await tab.click('.tables button', 'orders');
    await tab.sees(`${text('.rows .key')} === '901'`);
    await tab.evaluate("document.querySelector('.rows .mark input').click()");
    await tab.sees(`${text('.marked')}.includes('1 row of products, 1 row of orders; 2 in total')`);
    assert.equal(await violations(tab), []);
    await savePicture(tab, 'parts-marked');
    assert.match(await tab.evaluate(text('[data-action=approve]')), 'Approve the marked…');
    assert.is(await tab.evaluate("document.querySelector('[data-action=later]').disabled"), true);
    await tab.click('[data-action=approve]');
    await answer(tab, '[name=typed]', id.slice(5, 9));
    await tab.click('dialog button', 'Approve the part');
    await tab.sees(`${text('dialog li')} === 'customers 900'`);
    assert.match(await tab.evaluate(text('dialog .fault')), /tied to the chosen ones/);
    assert.not.match(await tab.evaluate(text('dialog .fault')), /--with-ties/);
    assert.equal(await violations(tab), []);
    await savePicture(tab, 'parts-ties');
    assert.equal([await statusOf(id), await stock(1, 2, 3)], ['proposed', before]);
    await tab.evaluate("document.querySelector('dialog [name=dependents]').click()");
    await tab.click('dialog button', 'Approve the part');
    await tab.sees(`${text('.banner')}.includes('The marked rows are in production')`);
    assert.equal(await page.rest.database.query('SELECT id FROM orders WHERE id > 900'), [
      { id: '901' },
    ]);
    const [one, two, three] = before as number[];
    assert.equal(await stock(1, 2, 3), [(one ?? 0) + 100, two, three]);
    assert.equal(await violations(tab), []);
    await tab.sees(`!${text('header.session')}.includes('Counting')`);
    await savePicture(tab, 'parts-approved');
    const { remaining_session_id: rest } = (
      await page.rest.call('GET', `/sessions/${id}`, as('ann'))
    ).body;
    await tab.click('.banner a');
    await tab.sees(`${text('header.session .dim')}.includes('${rest}')`);
    await tab.sees(`${count('.tables button')} === 2`);
    assert.equal(tab.faults, []);
  });

  test('a whole table is marked with T, on a phone by its checkbox, and Escape clears', async () => {
    const id = await staged(
      'UPDATE products SET stock = stock + 1 WHERE id <= 3',
      `UPDATE customers SET name = 'Y' WHERE id = 1`,
    );
    await propose(id);
    const tab = await open();
    await tab.look({ width: 390, height: 844, dark: true });
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(ready);
    await tab.click('.tables button', 'products');
    await tab.sees(`${count('.rows .mark input')} === 3`);
    await tab.press('T');
    await tab.sees(`${text('.marked')}.includes('all of products; 3 in total')`);
    await tab.sees(`${count('.rows .mark input:checked:disabled')} === 3`);
    assert.equal(await violations(tab), []);
    await savePicture(tab, 'parts-phone');
    await tab.press('Escape');
    await tab.sees(`${count('.marked')} === 0`);
    assert.is(
      await tab.evaluate(count('.rows .mark input:checked, .rows .mark input:disabled')),
      0,
    );
    await tab.evaluate("document.querySelector('.tables .mark input').click()");
    await tab.sees(`${text('.marked')}.includes('all of customers')`);
    await tab.press('?');
    await tab.sees(`${text('dialog')}.includes('mark the row for a part')`);
    assert.match(await tab.evaluate(text('dialog')), /approve the marked/);
    await tab.click('dialog button', 'Close');
    await tab.click('.marked button', 'Clear');
    await tab.sees(`${count('.marked')} === 0`);
    assert.equal(tab.faults, []);
  });

  test('of what somebody else changed meanwhile nothing is approved, and the marks are cleared', async () => {
    const id = await staged('UPDATE products SET stock = stock + 7 WHERE id IN (2, 3)');
    await propose(id);
    const before = await stock(2, 3);
    const tab = await open();
    await tab.prepare(
      'window.EventSource = null; const real = window.fetch; window.fetch = (path, how) => path === "/events" ? new Promise(() => {}) : real(path, how);',
    );
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(ready);
    await tab.press('j');
    await tab.press('m');
    await tab.sees(`${text('.marked')}.includes('1 row of products')`);
    await tab.click('[data-action=approve]');
    await answer(tab, '[name=typed]', id.slice(5, 9));
    await page.rest.call('POST', `/sessions/${id}/reopen`, as('bob', { message: 'once more' }));
    await page.rest.write(id, 'UPDATE products SET stock = stock + 1 WHERE id = 2');
    await propose(id);
    await tab.click('dialog button', 'Approve the part');
    await tab.sees(`${text('dialog .fault')}.includes('diff')`);
    assert.equal([await statusOf(id), await stock(2, 3)], ['proposed', before]);
    await tab.click('dialog button', 'Cancel');
    await tab.click('.banners button', 'Read it again');
    await tab.sees(`${text('.banner')}.includes('The marks are cleared')`);
    assert.is(await tab.evaluate(count('.marked')), 0);
    assert.equal(tab.faults, []);
  });

  test('hostile names and keys are marked as they are, and shown as escapes', async () => {
    const table = '<img src=x onerror=alert(1)>';
    const key = 'a\u202eb"<b>\n1';
    await page.rest.database.query(
      `CREATE TABLE "${table}" (id text PRIMARY KEY, n bigint);
       INSERT INTO "${table}" VALUES ('${key}', 1), ('9007199254740993', 2)`,
    );
    const id = await staged(`UPDATE "${table}" SET n = 9`);
    await propose(id);
    const tab = await open();
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(ready);
    await tab.sees(`${count('.rows .mark input')} === 2`);
    const labels = await tab.evaluate<string[]>(
      "[...document.querySelectorAll('.rows .mark input')].map((each) => each.ariaLabel)",
    );
    assert.ok(
      labels.some((label) => label.includes('\\u202e')),
      labels.join(),
    );
    const at = labels.findIndex((label) => label.includes('\\u202e'));
    await tab.evaluate(`document.querySelectorAll('.rows .mark input')[${at}].click()`);
    await tab.click('[data-action=approve]');
    assert.match(await tab.evaluate(text('dialog')), /1 row of .*onerror/);
    assert.is(await tab.evaluate(count('main img, dialog img, dialog b b')), 0);
    await answer(tab, '[name=typed]', id.slice(5, 9));
    await tab.click('dialog button', 'Approve the part');
    await tab.sees(`${text('.status')} === 'approved'`);
    assert.equal(await page.rest.database.query(`SELECT id FROM "${table}" WHERE n = 9`), [
      { id: key },
    ]);
    assert.equal(tab.faults, []);
  });

  test('a part without a conflict is approved, whatever the rest is in conflict with', async () => {
    const id = await staged('UPDATE products SET stock = 55 WHERE id IN (3, 4)');
    await propose(id);
    await page.rest.database.query('UPDATE products SET stock = 3 WHERE id = 3');
    const tab = await open();
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(`${text('.banner')}.includes('1 conflict')`);
    await tab.sees(`${count('.rows .mark input')} === 2`);
    assert.is(await tab.evaluate(ready), false);
    await tab.evaluate("document.querySelectorAll('.rows .mark input')[1].click()");
    await tab.sees(ready);
    await tab.click('[data-action=approve]');
    await answer(tab, '[name=typed]', id.slice(5, 9));
    await tab.press('Enter');
    await tab.sees(`${text('.status')} === 'approved'`);
    assert.equal(await stock(3, 4), [3, 55]);
    assert.equal(tab.faults, []);
  });

  test('of a table without a key the whole is marked, and no row', async () => {
    await page.rest.database.query('CREATE TABLE notes (n int); INSERT INTO notes VALUES (1), (2)');
    const id = await staged('UPDATE notes SET n = 5', 'UPDATE products SET stock = 1 WHERE id = 4');
    await propose(id);
    const tab = await open();
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(ready);
    await tab.click('.tables button', 'notes');
    await tab.sees(`${count('.rows li')} === 2 && ${count('.rows .mark')} === 0`);
    await tab.evaluate("document.querySelector('.tables .mark input').click()");
    await tab.sees(`${text('.marked')}.includes('all of notes; 2 in total')`);
    await tab.click('[data-action=approve]');
    await answer(tab, '[name=typed]', id.slice(5, 9));
    await tab.press('Enter');
    await tab.sees(`${text('.status')} === 'approved'`);
    assert.equal(await page.rest.database.query('SELECT n FROM notes'), [{ n: 5 }, { n: 5 }]);
    assert.equal(tab.faults, []);
  });

  test('are split off by the author of an active session, and not offered to others', async () => {
    const id = await staged('UPDATE products SET stock = stock + 3 WHERE id IN (1, 2)');
    const reviewer = await open();
    await reviewer.goTo(await linkFor('ann', id));
    await reviewer.sees(`${text('.rows')}.includes('stock')`);
    assert.is(await reviewer.evaluate(count('.mark')), 0);
    await reviewer.press('?');
    await reviewer.sees(`${text('dialog')}.includes('next row')`);
    assert.not.match(await reviewer.evaluate(text('dialog')), /part|approve/);
    const tab = await open();
    await tab.goTo(await linkFor('dev', id));
    await tab.sees(`${count('.rows .mark input')} === 2`);
    await tab.press('j');
    await tab.press('m');
    await tab.press('D');
    await tab.sees(`${text('dialog')}.includes('1 row of products')`);
    assert.equal(await violations(tab), []);
    await tab.click('dialog button', 'Split off');
    await tab.sees(`${text('.banner')}.includes('Split off: products 1.')`);
    await tab.sees(`${count('.rows .mark input')} === 1`);
    await tab.click('.banner a');
    await tab.sees(`document.querySelector('header.session a[href="/review/${id}"]')`);
    assert.equal(tab.faults, []);
  });
});
