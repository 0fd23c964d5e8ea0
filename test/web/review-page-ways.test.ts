/** Approvals for a later time and past the policy on the review page, and the review of the latter. */
import { testToken } from '../helpers/rest.ts';
import {
  answer,
  as,
  ready,
  savePicture,
  serveReviewPage,
  textOf as text,
  violations,
} from '../helpers/review-page.ts';
import { documentOf } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';

const count = (selector: string) => `document.querySelectorAll('${selector}').length`;

suite('web: ways to approve on the review page', (test) => {
  const page = serveReviewPage(test);
  const { open, linkFor, session, propose } = page;
  page.tokens.push(testToken({ name: 'root', role: 'operator' }));
  const set = async (...rules: readonly object[]) => {
    const document = documentOf(rules);
    const sent = as('root', { document });
    const headers = { ...sent.headers, 'if-match': '*' };
    const { status, body } = await page.rest.call('PUT', '/policy', { ...sent, headers });
    assert.is(status, 200, JSON.stringify(body));
  };
  const show = async (id: string) =>
    (await page.rest.call('GET', `/sessions/${id}`, as('ann'))).body;
  const proposed = async () => {
    const id = await session();
    await page.rest.write(id, 'UPDATE products SET stock = stock + 1 WHERE id = 1');
    await propose(id);
    return id;
  };
  // on another day, whatever the day of the run
  const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][(new Date().getUTCDay() + 3) % 7];
  const closed = [{ days: [day], from: '00:00', to: '00:15', zone: 'UTC' }];

  test('for later: the time is shown in UTC, replaced, and cancelled by giving it back', async () => {
    await set({ max_rows: 1000 });
    const id = await proposed();
    const tab = await open();
    await tab.look({ width: 1280, height: 900 });
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(ready);
    assert.is(await tab.evaluate(count('[data-action=glass], [data-action=review]')), 0);
    await tab.press('W');
    await tab.sees(`${text('dialog h2')} === 'Approve now, apply later?'`);
    assert.is(await tab.evaluate(count('dialog [name=window]')), 0);
    const local = await tab.evaluate<string>(
      'new Date(Date.now() + 7_200_000 - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16)',
    );
    await tab.evaluate(`(() => {
      const time = document.querySelector('dialog [name=time]');
      time.value = '${local}';
      time.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    const utc = await tab.evaluate<string>(`new Date('${local}').toISOString()`);
    await tab.sees(`${text('dialog')}.includes('It is applied at ${utc}')`);
    assert.equal(await violations(tab), []);
    await answer(tab, '[name=typed]', id.slice(5, 9));
    await savePicture(tab, 'ways-later');
    await tab.click('dialog button', 'Approve for later');
    await tab.sees(`${text('.banner')}.includes('Approved for later: it is applied at')`);
    await tab.sees(`${text('header.session')}.includes('approved by ann')`);
    const { status, apply_at: applyAt } = await show(id);
    assert.equal([status, new Date(applyAt).toISOString()], ['proposed', utc]);
    await tab.sees(ready);
    await tab.press('W');
    await tab.sees(`${text('dialog')}.includes('This replaces the approval by ann')`);
    await tab.click('dialog button', 'Cancel');
    await tab.click('[data-action=changes]', 'Cancel, request changes…');
    await tab.sees(`${text('dialog h2')}.includes('Cancel the scheduled approval')`);
    assert.equal(await violations(tab), []);
    await answer(tab, '[name=text]', 'not tonight');
    await tab.click('dialog button', 'Request changes');
    await tab.sees(`${text('.status')} === 'active'`);
    assert.equal([(await show(id)).status, (await show(id)).apply_at ?? null], ['active', null]);
    assert.equal(tab.faults, []);
  });

  test('for later: when the windows open, offered where there are some', async () => {
    await set({ windows: closed });
    const id = await proposed();
    const tab = await open();
    await tab.look({ width: 390, height: 844, dark: true });
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(ready);
    await tab.sees(`${count('.rules')} === 1`);
    await tab.click('[data-action=later]');
    await tab.evaluate("document.querySelector('dialog [name=window]').click()");
    await tab.sees(`${text('dialog')}.includes('as soon as the windows of the policy are open')`);
    assert.is(await tab.evaluate("document.querySelector('dialog [name=time]').disabled"), true);
    await answer(tab, '[name=typed]', id.slice(5, 9));
    assert.equal(await violations(tab), []);
    await savePicture(tab, 'ways-window-phone');
    await tab.press('Enter');
    await tab.sees(`${text('header.session')}.includes('It is applied at')`);
    assert.match((await show(id)).apply_at, /T00:(?:0|1)/);
    assert.equal(tab.faults, []);
  });

  test('past the policy: by whom a rule names, with a reason; somebody else reviews it', async () => {
    await set({ approvals: { count: 2 }, break_glass: ['Ann'] });
    const id = await proposed();
    const [ann, bob] = [await open(), await open()];
    for (const tab of [ann, bob]) await tab.look({ width: 1280, height: 900 });
    await bob.goTo(await linkFor('bob', id));
    await bob.sees(ready);
    await bob.sees(`${count('.votes')} === 1`);
    assert.is(await bob.evaluate(count('[data-action=glass]')), 0);
    await ann.goTo(await linkFor('ann', id));
    await ann.sees(ready);
    await ann.sees("document.querySelector('[data-action=glass]')?.disabled === false");
    await ann.press('!');
    await ann.sees(`${text('dialog')}.includes('This goes past the policy: nobody else agrees')`);
    await answer(ann, '[name=typed]', id.slice(5, 9));
    const go = "[...document.querySelectorAll('dialog button')].at(-1)";
    assert.is(await ann.evaluate(`${go}.disabled`), true);
    await answer(ann, '[name=reason]', 'orders <b>cannot</b> be paid');
    assert.is(await ann.evaluate(`${go}.disabled`), false);
    assert.equal(await violations(ann), []);
    await savePicture(ann, 'ways-glass');
    await ann.click('dialog button', 'Approve past the policy');
    await ann.sees(`${text('header.session')}.includes('REVIEW DUE')`);
    assert.equal([(await show(id)).status, (await show(id)).review_due], ['approved', true]);
    await ann.sees("document.querySelector('[data-action=review]')?.disabled");
    await bob.goTo(`${page.rest.url}/review`);
    await bob.click('.tabs button', 'review due');
    await bob.sees(`${count('.sessions a')} === 1 && ${text('.sessions')}.includes('REVIEW DUE')`);
    assert.equal(await violations(bob), []);
    await bob.click('.sessions a');
    await bob.sees("document.querySelector('[data-action=review]')?.disabled === false");
    await bob.press('V');
    await bob.sees(
      `${text('dialog')}.includes('ann approved it past the policy: orders <b>cannot</b>')`,
    );
    await answer(bob, '[name=text]', 'was right');
    assert.equal(await violations(bob), []);
    await bob.look({ width: 1280, height: 900, dark: true });
    await savePicture(bob, 'ways-review-dark');
    await bob.click('dialog button', 'Record the review');
    await bob.sees(`${text('header.session')}.includes('reviewed by bob')`);
    assert.is((await show(id)).review_due, false);
    const dev = await open();
    await dev.goTo((await linkFor('dev', id)).replace(`/${id}`, ''));
    await dev.sees(`${count('.tabs button')} === 4`);
    await bob.sees(`${count('[data-action=review]')} === 0`);
    assert.equal([...ann.faults, ...bob.faults], []);
  });
});
