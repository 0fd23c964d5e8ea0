/** The review page by its keys, with many rows and long values, with reverts, and for users who cannot see it. */
import { createHash } from 'node:crypto';
import { answer, as, serveReviewPage, textOf as text, violations } from '../helpers/review-page.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('web: use of the review page', (test) => {
  const page = serveReviewPage(test);
  const { open, linkFor, session, propose } = page;
  const rows = 1234;
  const firstKey = text('.rows .key');

  test('every key does what the help says', async () => {
    const id = await session({ title: 'Many' });
    await page.rest.write(
      id,
      `INSERT INTO products (id, sku, name, price) SELECT 1000 + n, 'n' || n, 'new', 1 FROM generate_series(1, ${rows}) n`,
    );
    await page.rest.write(id, 'UPDATE customers SET name = upper(name)');
    await page.rest.write(id, 'DELETE FROM order_items WHERE order_id = 1');
    const tab = await open();
    await tab.goTo(await linkFor('dev', id));
    const pager = text('.pager span');
    await tab.sees(`${pager}.includes('1–100 of 1,234')`);
    await tab.press('PageDown');
    await tab.sees(`${pager}.includes('101–200') && ${firstKey} === '1101'`);
    await tab.press('PageUp');
    await tab.sees(`${pager}.includes('1–100 ') && ${firstKey} === '1001'`);
    await tab.press('G');
    await tab.sees(`${pager}.includes('1,135–1,234 of 1,234') && ${firstKey} === '2135'`);
    await tab.press('g');
    await tab.sees(`${pager}.includes('1–100 ') && ${firstKey} === '1001'`);
    const focused = "document.activeElement.querySelector?.('.key')?.innerText";
    for (const [key, row] of [
      ['j', '1001'],
      ['ArrowDown', '1002'],
      ['k', '1001'],
      ['ArrowUp', '1001'],
    ] as const) {
      await tab.press(key);
      await tab.sees(`${focused} === '${row}'`);
    }
    await tab.press('Enter');
    await tab.sees("document.querySelector('.detail')");
    await tab.press('Escape');
    await tab.sees("document.querySelector('.detail') === null");
    await tab.click('.tables button');
    for (const [key, at] of [
      [']', 1],
      ['J', 2],
      ['[', 1],
      ['K', 0],
    ] as const) {
      await tab.press(key);
      await tab.sees(`document.querySelectorAll('.tables button')[${at}].ariaCurrent === 'true'`);
    }
    await tab.click('.tables button', 'customers');
    const [all] = await page.rest.database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM customers',
    );
    for (const [key, count] of [
      ['4', 0],
      ['3', all?.n],
      ['2', 0],
      ['1', all?.n],
    ] as const) {
      await tab.press(key);
      await tab.sees(`document.querySelectorAll('.rows .line').length === ${count}`);
    }
    await tab.press('f');
    await tab.sees(`${text('.filters + span')}.includes('insert')`);
    await tab.press('1');
    await tab.press('/');
    await tab.sees("document.activeElement.type === 'search'");
    await tab.type('ADA');
    await tab.press('Enter');
    await tab.sees("document.querySelectorAll('.rows .line').length === 1");
    await tab.press('Escape');
    await tab.press('?');
    await tab.sees(`${text('dialog')}.includes('next row')`);
    await tab.click('dialog button', 'Close');
    await tab.press('M');
    await answer(tab, 'textarea', 'j and q are letters here');
    await tab.click('dialog button', 'Comment');
    await tab.sees(`${text('.tabs')}.includes('Comments 1')`);
    await tab.press('P');
    await tab.click('dialog button', 'Propose');
    await tab.sees(`${text('.status')} === 'proposed'`);
    await tab.press('R');
    await tab.press('q');
    await tab.sees(`location.pathname === '/review' && ${text('.sessions')}.includes('Many')`);
    assert.equal(tab.faults, []);
  });

  test('two values of one change never look alike, however long they are', async () => {
    await page.rest.database.query(
      `CREATE TABLE files (id int PRIMARY KEY, body bytea, words text);
       INSERT INTO files VALUES (1, decode(repeat('00', 1000000), 'hex'), repeat('x', 1000000))`,
    );
    const id = await session();
    await page.rest.write(
      id,
      `UPDATE files SET body = overlay(body PLACING '\\x01' FROM 500000), words = overlay(words PLACING 'y' FROM 500000)`,
    );
    const bytes = Buffer.alloc(1_000_000);
    const shown = () =>
      `1,000,000 bytes, sha256 ${createHash('sha256').update(bytes).digest('hex')}`.slice(0, 56);
    const hashes = [shown(), bytes.fill(1, 499_999, 500_000) && shown()];
    const tab = await open();
    await tab.goTo(await linkFor('ann', id));
    const pairs = async (where: string) =>
      tab.evaluate<string[]>(
        `[...document.querySelectorAll('${where} del, ${where} ins')].map((each) => each.innerText)`,
      );
    await tab.sees("document.querySelectorAll('.rows .line del').length === 2");
    // the types of columns arrive after the first rows
    await tab.sees(`${text('.rows')}.includes('sha256')`);
    await tab.press('j');
    await tab.press('Enter');
    await tab.sees("document.querySelectorAll('.detail del').length === 2");
    for (const where of ['.line', '.detail']) {
      const [body, newBody, words, newWords] = await pairs(where);
      assert.equal(
        [body, newBody].map((each) => each?.slice(0, 56)),
        hashes,
      );
      assert.match(`${words}`, /^…x+… \(1,000,000 characters\)$/);
      assert.match(`${newWords}`, /^…x{12}yx+…/);
    }
    assert.equal(tab.faults, []);
  });

  test('an approved session is taken back from the page', async () => {
    const id = await session({ title: 'Wrong' });
    await page.rest.write(id, 'UPDATE products SET stock = 1 WHERE id = 1');
    await propose(id);
    await page.rest.call('POST', `/sessions/${id}/approve`, as('ann'));
    const tab = await open();
    await tab.goTo(await linkFor('dev', id));
    await tab.sees(`${text('.actions')}.includes('Take it back')`);
    await tab.press('U');
    await tab.click('dialog button', 'Stage the inverse');
    await tab.sees(`location.pathname !== '/review/${id}' && ${text('.rows')}.includes('stock')`);
    assert.equal(tab.faults, []);
  });

  test('nothing is in the way of those who use other means than eyes and a mouse', async () => {
    const id = await session({ title: 'For all' });
    await page.rest.write(id, 'UPDATE products SET stock = stock + 1');
    await page.rest.write(id, 'DELETE FROM order_items WHERE order_id = 2');
    await page.rest.database.query('UPDATE products SET stock = stock + 5 WHERE id = 3');
    await propose(id, 'please look');
    const tab = await open();
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(`${text('.digest')}.startsWith('sha256:')`);
    for (const dark of [false, true]) {
      await tab.look({ width: 1280, height: 800, dark });
      assert.equal(await violations(tab), []);
      await tab.press('j');
      await tab.press('Enter');
      await tab.sees("document.querySelector('.detail')");
      assert.equal(await violations(tab), []);
      await tab.click('.tabs button', 'Conflicts');
      assert.equal(await violations(tab), []);
      await tab.press('X');
      await tab.sees("document.querySelector('dialog')");
      assert.equal(await violations(tab), []);
      await tab.click('dialog button', 'Cancel');
      await tab.click('.tabs button', 'Rows');
      await tab.look({ width: 390, height: 844, dark });
      assert.equal(await violations(tab), []);
      await tab.press('Escape');
    }
    // 640 is half of 1280: twice the size of everything
    for (const width of [640, 390]) {
      await tab.look({ width, height: 800 });
      const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.is(await tab.evaluate(over), 0, `${width}`);
      assert.equal(await violations(tab), []);
    }
    await tab.goTo(`${page.rest.url}/review`);
    await tab.sees(`${text('.sessions')}.includes('For all')`);
    assert.equal(await violations(tab), []);
    await tab.look({ width: 1280, height: 800 });
    assert.equal(await violations(tab), []);
  });
});
