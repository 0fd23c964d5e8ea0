/** Figures of changed columns on the review page: numbers that are those of the rows, and bars of their lengths. */
import { savePicture, serveReviewPage, violations } from '../helpers/review-page.ts';
import { assert, suite } from '../helpers/suite.ts';

/** An expression for the page: the rows of the figure of a column, as texts, with the widths of their bars. */
const figure = (column: string) => `
[...document.querySelectorAll('.figures table')].filter((each) => each.caption.innerText === '${column}')
  .flatMap((each) => [...each.tBodies[0].rows].map((row) =>
    [...row.cells].map((cell) => cell.innerText.trim()).concat([...row.querySelectorAll('rect')].map((bar) => bar.getAttribute('width')))))`;

suite('web: figures on the review page', (test) => {
  const page = serveReviewPage(test);
  const { open, linkFor, session } = page;

  test('show how often values and ranges occur, before and after', async () => {
    await page.rest.database.query(`
      CREATE TABLE parcels (id int PRIMARY KEY, state text, weight int, due timestamptz, note text);
      INSERT INTO parcels SELECT n, CASE WHEN n % 3 = 0 THEN 'paid' ELSE 'open' END, n, timestamptz '2026-01-01 00:00Z' + n * interval '1 h',
        repeat('x', n + 1) FROM generate_series(0, 59) n`);
    const id = await session();
    await page.rest.write(
      id,
      `UPDATE parcels SET state = CASE WHEN state = 'open' THEN 'sent' ELSE '\u202e<b>' END, weight = weight + 60,
       due = due + interval '60 h', note = repeat('y', 61 + length(note))`,
    );
    await page.rest.write(id, 'UPDATE products SET stock = 9 WHERE id = 1');
    const tab = await open();
    await tab.look({ width: 1280, height: 800 });
    await tab.goTo(await linkFor('dev', id));
    await tab.sees("document.querySelector('.figures')");
    assert.is(await tab.evaluate("document.querySelector('.figures').open"), false);
    await tab.evaluate("document.querySelector('.figures summary').focus()");
    await tab.press('Enter');
    await tab.sees("document.querySelector('.figures').open");
    assert.equal(await tab.evaluate(figure('state')), [
      ['open', '40', '0', '60', '0'],
      ['sent', '0', '40', '0', '60'],
      ['paid', '20', '0', '30', '0'],
      ["E'\\u202e<b>'", '0', '20', '0', '30'],
    ]);
    const ranges = await tab.evaluate<string[][]>(figure('weight'));
    assert.is(ranges.length, 12);
    assert.equal(ranges.map(([label]) => label).slice(0, 3), ['0 …', '9.917 …', '19.83 …']);
    for (const side of [1, 2])
      assert.is(
        ranges.reduce((sum, row) => sum + Number(row[side]), 0),
        60,
      );
    assert.equal(ranges[0]?.slice(1), ['10', '0', '60', '0']);
    assert.equal(ranges[11]?.slice(1), ['0', '10', '0', '60']);
    const dues = await tab.evaluate<string[][]>(figure('due'));
    assert.equal(dues[0], ['2026-01-01 00:00 …', '10', '0', '60', '0']);
    assert.equal(dues[11]?.slice(1), ['0', '10', '0', '60']);
    const lengths = await tab.evaluate<string[][]>(figure('note'));
    assert.equal(lengths[0], ['1 characters …', '10', '0', '55', '0']);
    assert.is(lengths.length, 12);
    await savePicture(tab, 'figures');
    for (const view of [
      { width: 1280, height: 800, dark: true },
      { width: 390, height: 844 },
      { width: 640, height: 400 },
    ]) {
      await tab.look(view);
      assert.equal(await violations(tab), []);
      const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.is(await tab.evaluate(over), 0, JSON.stringify(view));
      await savePicture(tab, `figures-${view.width}`);
    }
    await tab.click('.tables button', 'products');
    await tab.sees("document.querySelector('.figures') === null");
    assert.equal(tab.faults, []);
  });
});
