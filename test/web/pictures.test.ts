/**
 * The pictures of the documents: the review of a price list in the terminal, on the page and as a file. They are taken in every run;
 * `npm run pictures` writes them to `docs/pictures`.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCardMaker } from '../../src/review/brief/make-card.ts';
import { createShell } from '../cli/stage.ts';
import type { Tab } from '../helpers/browser.ts';
import { ready, savePicture, serveReviewPage, textOf as text } from '../helpers/review-page.ts';
import { assert, suite } from '../helpers/suite.ts';
import { terminalPage } from '../helpers/terminal-page.ts';
import { TestTerminal } from '../helpers/test-terminal.ts';

/** More of the sample's shop: 240 products in colours and sizes, 200 customers and their orders. */
const shop = `
  INSERT INTO products (sku, name, price, stock)
    SELECT format('%s-%s-%s', upper(left(thing, 3)), upper(left(colour, 3)), size), format('%s, %s, %s', thing, colour, size), price + step, 10 + step * place * 7 % 60
    FROM (VALUES ('Mug', 9.90), ('Bag', 18.00), ('Umbrella', 24.00), ('Notebook', 5.20), ('T-shirt', 19.50), ('Hat', 12.00)) things(thing, price),
      unnest('{black,white,red,green,blue,amber,rose,slate}'::text[]) WITH ORDINALITY colours(colour, place),
      unnest('{XS,S,M,L,XL}'::text[]) WITH ORDINALITY sizes(size, step);
  INSERT INTO customers (email, name) SELECT format('%s.%s@example.com', first, last), format('%s %s', initcap(first), initcap(last))
    FROM unnest('{alma,bruno,clara,david,elena,felix,greta,henri,ines,jonas,karla,lukas,maria,nils,olga,paul}'::text[]) first,
      unnest('{berg,costa,diaz,evans,fischer,garcia,horn,ito,jansen,keller,lind,moreau}'::text[]) last;
  INSERT INTO orders (customer_id, status, placed_at)
    SELECT 5 + g * 7 % 192, (ARRAY['paid', 'pending', 'shipped']::order_status[])[1 + g % 3], '2026-03-10 09:00+00'::timestamptz + g * interval '3 h'
    FROM generate_series(1, 600) g;
  INSERT INTO order_items SELECT o.id, p.id, 1 + o.id % 3, p.price FROM orders o, products p WHERE o.id > 4 AND p.id % 120 = o.id % 120`;

const priceList = [
  `UPDATE products SET price = round(price * CASE WHEN sku = 'MUG-BLA-M' THEN 11 ELSE 1.1 END, 2) WHERE sku LIKE 'MUG-___-%'`,
  `INSERT INTO products (sku, name, price, stock) VALUES ('MUG-XXL', 'Mug, extra large', 17.90, 50)`,
  `UPDATE orders SET status = 'cancelled' WHERE id = 9`,
];

/** The largest size of a picture in bytes. */
const mostBytes = 60_000;

suite('web: pictures of the documents', (test) => {
  const page = serveReviewPage(test, { databaseName: 'shop' });
  const taken: string[] = [];
  let prices = '';
  let twice = '';
  let restock = '';
  let tab: Tab;

  test.before(async () => {
    await page.rest.database.query(shop);
    prices = await page.session({ title: 'Spring price list' });
    for (const statement of priceList) await page.rest.write(prices, statement);
    await page.propose(prices, 'All mugs go up by 10 %. Order 9 was cancelled by phone.');
    const ann = { headers: { authorization: 'Bearer ann' } };
    const rehearsed = await page.rest.call('POST', `/sessions/${prices}/rehearse`, ann);
    assert.is(rehearsed.body.ok, true);
    twice = await page.session({ title: 'Delete order 75' });
    await page.rest.write(twice, 'DELETE FROM orders WHERE id = 75');
    await page.propose(twice, 'The customer has ordered twice.');
    restock = await page.session({ title: 'Restock after the count' });
    await page.rest.write(restock, 'UPDATE products SET stock = 77 WHERE id = 4');
    await page.rest.write(restock, 'UPDATE products SET stock = 240 WHERE id = 5');
    await page.rest.database.query('UPDATE products SET stock = 52 WHERE id = 4');
    await page.propose(restock, 'Counted on Friday evening.');
    const cards = createCardMaker(page.rest.db, page.rest.db, []);
    while (await cards.next());
    tab = await page.open();
  });

  /** Takes a picture of the tab as it is. */
  async function take(name: string): Promise<void> {
    await savePicture(tab, name);
    const picture = await tab.picture('webp');
    assert.equal(tab.faults, []);
    taken.push(`${name}.webp`);
    if (!process.env['STAGE_TEST_WRITE']) return;
    // not in other runs, because it depends on the machine's fonts
    assert.ok(picture.length <= mostBytes, `${name}: ${picture.length} bytes`);
    mkdirSync('docs/pictures', { recursive: true });
    writeFileSync(join('docs/pictures', `${name}.webp`), picture);
  }

  const visit = async (id: string) => {
    await tab.goTo(await page.linkFor('ann', id));
    await tab.sees(`${text('.digest')}.startsWith('sha256:') && ${text('.brief')}.length > 20`);
  };
  /** Opens a table, of which a row is shown. */
  const openTable = async (name: string, row: string) => {
    await tab.click('.tables button', name);
    await tab.sees(`${text('.rows')}.includes('${row}')`);
  };

  test('the terminal', async () => {
    const terminal = new TestTerminal(page.rest.url, prices, true, 'ann');
    try {
      terminal.resize(96, 22);
      await terminal.see(/× 1\.1/);
      await terminal.press('J');
      await terminal.press('j');
      await terminal.press('j');
      await terminal.see(/> ~ +18 │/);
      await tab.goTo(terminalPage(terminal.coloured));
    } finally {
      await terminal.leave();
    }
    const size = await tab.evaluate<{ width: number; height: number }>(
      "(({ width, height }) => ({ width: Math.ceil(width), height: Math.ceil(height) }))(document.querySelector('pre').getBoundingClientRect())",
    );
    await tab.look({ ...size, print: true });
    await take('terminal');
  });

  test('the page', async () => {
    await tab.look({ width: 960, height: 630, print: true });
    await visit(prices);
    await openTable('products', 'price');
    await tab.sees(ready);
    await take('page');
  });

  test('the page in the dark, with a row that is open', async () => {
    await tab.look({ width: 960, height: 720, dark: true, print: true });
    await visit(twice);
    await openTable('order_items', 'quantity');
    await tab.press('j');
    await tab.press('Enter');
    await tab.sees(`${text('.why')}.includes('DELETE')`);
    await take('page-dark');
  });

  test('the page on a phone', async () => {
    await tab.look({ width: 390, height: 780, print: true });
    await visit(prices);
    await openTable('products', 'price');
    await take('page-phone');
  });

  test('a conflict on the page', async () => {
    await tab.look({ width: 960, height: 560, print: true });
    await visit(restock);
    await tab.click('.tabs button', 'Conflicts');
    await tab.sees(`${text('.conflicts')}.includes('in production')`);
    await take('page-conflict');
  });

  test('the inbox of the page', async () => {
    await tab.look({ width: 960, height: 430, print: true });
    await tab.goTo(`${page.rest.url}/review`);
    await tab.sees(`${text('.sessions')}.includes('Restock')`);
    await take('page-inbox');
  });

  test('the HTML file', async () => {
    const shell = await createShell(page.rest.url);
    const { code, stdout } = await shell.run(['diff', prices, '-o', 'html'], {
      env: { STAGE_TOKEN: 'ann' },
    });
    await shell.clear();
    assert.is(code, 0);
    await tab.look({ width: 760, height: 585, print: true });
    await tab.goTo(`data:text/html;charset=utf-8,${encodeURIComponent(stdout)}`);
    await take('html-file');
  });

  test('docs/pictures has these and no others', () => {
    assert.equal(readdirSync('docs/pictures').sort(), taken.sort());
  });
});
