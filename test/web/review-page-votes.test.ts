/** Votes, rules of the policy and parts on the review page: what is shown after an approval that is one of several, also to others. */

import { testToken } from '../helpers/rest.ts';
import {
  answer,
  as,
  ready,
  serveReviewPage,
  textOf as text,
  violations,
} from '../helpers/review-page.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('web: votes on the review page', (test) => {
  const page = serveReviewPage(test);
  const { open, linkFor, session, propose } = page;
  page.tokens.push(testToken({ name: 'root', role: 'operator' }));

  test('are reported to whoever votes, and to whoever looks on', async () => {
    const document = { rules: [{ name: 'two of us', approvals: { count: 2 } }] };
    const sent = as('root', { document });
    const headers = { ...sent.headers, 'if-match': '*' };
    const set = await page.rest.call('PUT', '/policy', { ...sent, headers });
    assert.is(set.status, 200, JSON.stringify(set.body));
    const id = await session();
    await page.rest.write(id, 'UPDATE products SET stock = 9 WHERE id = 1');
    await propose(id);
    const [ann, bob] = [await open(), await open()];
    await ann.goTo(await linkFor('ann', id));
    await bob.goTo(await linkFor('bob', id));
    for (const tab of [ann, bob]) {
      await tab.sees(ready);
      await tab.sees(`${text('.votes')}.includes('0 of 2 agreed')`);
    }
    await ann.click('[data-action=approve]');
    await answer(ann, '[name=typed]', id.slice(5, 9));
    await ann.press('Enter');
    await ann.sees(`${text('.banner')}.includes('Your approval is recorded')`);
    assert.match(await ann.evaluate(text('.banner')), /1 of 2 agreed: ann; 1 more/);
    assert.match(await ann.evaluate(text('.status')), /proposed/);
    for (const tab of [ann, bob])
      await tab.sees(`${text('.votes')}.includes('1 of 2 agreed: ann')`);
    for (const tab of [ann, bob]) assert.equal(await violations(tab), []);
    await bob.sees(ready);
    await bob.click('[data-action=approve]');
    await answer(bob, '[name=typed]', id.slice(5, 9));
    await bob.press('Enter');
    await bob.sees(`${text('.status')}.includes('approved')`);
    assert.not.ok((await bob.evaluate<string>(text('.banner'))).includes('recorded'));
    assert.equal([...ann.faults, ...bob.faults], []);
  });

  test('parts of a session link to each other', async () => {
    const id = await session();
    await page.rest.write(id, 'UPDATE products SET stock = 8 WHERE id < 3');
    const only = [{ table: 'products', row_id: 1 }];
    const made = await page.rest.call('POST', `/sessions/${id}/split`, as('dev', { only }));
    assert.is(made.status, 201);
    const tab = await open();
    await tab.goTo(await linkFor('dev', made.body.id));
    await tab.sees(`document.querySelector('header.session a[href="/review/${id}"]')`);
    assert.equal(await violations(tab), []);
    await tab.click('header.session a');
    await tab.sees(`${text('header.session .dim')}.includes('${id}')`);
    assert.equal(tab.faults, []);
  });
});
