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

  test('the inbox turns its pages by what they show, whatever comes in meanwhile', async () => {
    const newest = new Date(Date.UTC(2020, 0, 1));
    const add = (from: number, to: number) =>
      page.rest.database.query(
        `INSERT INTO stage.session (id, project_id, metadata, reads, conflict_scope, status, proposed_at, sealed, mutation_count, round, created_at)
         SELECT gen_random_uuid(), 'default', json_build_object('title', 'old ' || g), 'production', 'row', 'proposed', now(), 1, 0, 1,
           $1::timestamptz - g * interval '1 second' FROM generate_series($2::int, $3::int) g`,
        [newest.toISOString(), from, to],
      );
    await add(0, 119);
    const tab = await open();
    await tab.goTo((await linkFor('ann', await session())).replace(/review\/\w+/, 'review'));
    const titles = (): Promise<string[]> =>
      tab.evaluate("[...document.querySelectorAll('.sessions b')].map((b) => b.innerText)");
    await tab.sees(`${text('.sessions')}.includes('old 20')`);
    const seen = await titles();
    await add(-30, -1);
    for (const last of ['old 80', 'old 119']) {
      await tab.click('.pager button', 'Older');
      await tab.sees(`${text('.sessions')}.includes('${last}')`);
      seen.push(...(await titles()));
    }
    const old = seen.filter((title) => title.startsWith('old '));
    assert.equal(
      old,
      Array.from({ length: 120 }, (_, n) => `old ${n}`),
    );
    assert.not.ok((await tab.evaluate<string>(text('.pager'))).includes('Older'));
    await tab.click('.pager button', 'Newer');
    await tab.sees(`${text('.sessions')}.includes('old 80')`);
    assert.equal(await titles(), seen.slice(50, 100));
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
