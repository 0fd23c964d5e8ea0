/** The review page with stored cards: the inbox shows them, and what they say is checked before it counts. */
import { createCardMaker } from '../../src/review/brief/make-card.ts';
import { answer, as, ready, serveReviewPage, textOf as text } from '../helpers/review-page.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('web: stored cards on the review page', (test) => {
  const page = serveReviewPage(test);
  const { open, linkFor, session, propose } = page;
  const proposed = async (title: string): Promise<string> => {
    const id = await session({ title });
    await page.rest.write(id, 'UPDATE products SET stock = stock + 1 WHERE id <= 3');
    await page.rest.write(id, 'DELETE FROM order_items WHERE order_id = 1');
    await propose(id);
    const maker = createCardMaker(page.rest.db, page.rest.db, []);
    while (await maker.next());
    return id;
  };

  test('the inbox says what each session changes, and what is unusual', async () => {
    const tab = await open();
    const id = await proposed('Restock <b>');
    await session({ title: 'No card' }).then((other) => propose(other));
    await tab.goTo((await linkFor('ann', id)).replace(`/${id}`, ''));
    await tab.sees(`${text('.sessions')}.includes('Restock')`);
    const shown: string = await tab.evaluate(text('.sessions'));
    assert.match(shown, /3 updated, 2 deleted in order_items, products/);
    assert.match(shown, /2 rows of order_items deleted/);
    assert.match(shown, /No card\n/);
    assert.equal(tab.faults, []);
  });

  test('a digest that the diff does not have approves nothing, and is not shown again', async () => {
    const id = await proposed('Forged');
    const forged = `sha256:${'0'.repeat(64)}`;
    await page.rest.database.query(
      `UPDATE stage.card SET digest = '${forged}' WHERE session = '${id.slice(5)}'`,
    );
    const tab = await open();
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(`${text('.digest')} === '${forged}' && ${ready}`);
    const approve = async () => {
      await tab.press('A');
      await answer(tab, 'input[name=typed]', id.slice(5, 9));
      await tab.press('Enter');
    };
    await approve();
    await tab.sees(`${text('dialog .fault')}.length > 20`);
    const { body } = await page.rest.call('GET', `/sessions/${id}`, as('ann'));
    assert.is(body.status, 'proposed');
    await tab.click('dialog button', 'Cancel');
    assert.match(await tab.evaluate(text('.banner')), /another one than was shown/);
    await tab.click('.banner button', 'Read it again');
    await tab.sees(`${text('.digest')}.startsWith('sha256:') && ${ready}`);
    assert.is.not(await tab.evaluate(text('.digest')), forged);
    await approve();
    await tab.sees(`${text('.status')} === 'approved'`);
    assert.equal(
      tab.faults.filter((fault) => !fault.includes('412')),
      [],
    );
  });
});
