/** The review page in a real browser: from the link to the approval, live, with hostile values, and without violations of its policy. */
import { testToken } from '../helpers/rest.ts';
import {
  answer,
  as,
  savePicture as keep,
  serveReviewPage,
  textOf as text,
} from '../helpers/review-page.ts';
import { assert, suite } from '../helpers/suite.ts';

const hostile =
  '\u202e<img src=x onerror="document.title=1"></script><script>document.title=2</script>';

suite('web: review page', (test) => {
  const page = serveReviewPage(test);
  const { open, linkFor, session, propose } = page;
  page.tokens.push(testToken({ name: 'root', role: 'operator' }));
  const statusOf = async (id: string) =>
    (await page.rest.call('GET', `/sessions/${id}`, as('ann'))).body.status;

  test('from a link over rows, comments, changes and a rehearsal to the approval', async () => {
    const tab = await open();
    const id = await session({ title: `Fix prices ${hostile}` });
    await page.rest.write(id, 'UPDATE products SET price = round(price * 1.1, 2) WHERE id <= 4');
    await page.rest.write(id, `UPDATE customers SET name = $1 WHERE id = 1`, [hostile]);
    await page.rest.write(
      id,
      `INSERT INTO customers (email, name) VALUES ('new@example.com', $1)`,
      [hostile],
    );
    await page.rest.write(id, 'DELETE FROM order_items WHERE order_id = 1');
    await propose(id, `please look\n${hostile}`);

    await tab.look({ width: 1280, height: 800 });
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(`${text('.who')}.includes('ann, reviewer')`);
    assert.is(await tab.evaluate('location.href'), `${page.rest.url}/review/${id}`);
    assert.is(await tab.evaluate('document.cookie'), '');
    await tab.sees(
      `document.querySelectorAll('.rows .line').length > 0 && ${text('.digest')}.startsWith('sha256:')`,
    );
    assert.match(await tab.evaluate(text('header blockquote')), /\\u202e<img/);
    await keep(tab, 'desktop');

    await tab.click('.tables button', 'customers');
    await tab.sees(`${text('.rows')}.includes('onerror')`);
    assert.is(await tab.evaluate("document.querySelectorAll('main img, main script').length"), 0);
    assert.is(await tab.evaluate('document.title'), 'stage review');
    assert.match(await tab.evaluate(text('.rows')), /\\u202e/);
    await tab.press('j');
    await tab.press('Enter');
    await tab.sees("document.querySelector('.detail .why')");
    assert.match(await tab.evaluate(text('.why')), /UPDATE customers SET name/);
    await tab.click('.detail button', 'Comment on this row');
    await answer(tab, 'textarea', 'who asked for this?');
    await tab.click('dialog button', 'Comment');
    await tab.sees(`${text('.tabs')}.includes('Comments 2')`);
    await keep(tab, 'detail');
    const { body } = await page.rest.call('GET', `/sessions/${id}/comments`, as('ann'));
    assert.equal([body.comments[1].by, body.comments[1].row_id], ['ann', 1]);

    await tab.press('C');
    await answer(tab, 'textarea', 'only the prices, please');
    await tab.click('dialog button', 'Request changes');
    await tab.sees(`${text('.status')} === 'active'`);
    await page.rest.write(id, 'UPDATE products SET price = price + 1 WHERE id = 5');
    await propose(id);
    await tab.sees("document.querySelector('[data-action=approve]')?.disabled === true");
    assert.match(await tab.evaluate(text('.banners')), /The session has changed: /);
    await tab.click('.banners button', 'Read it again');
    await tab.sees("document.querySelector('[data-action=approve]')?.disabled === false");

    await tab.sees(`${text('.brief')}.includes('no successful rehearsal in round 2 yet')`);
    await tab.press('e');
    await tab.click('dialog button', 'Rehearse');
    await tab.sees(`${text('.effects')}.includes('would land')`);
    await tab.sees(`!${text('.brief')}.includes('no successful')`);
    await tab.press('A');
    await tab.sees("document.querySelector('dialog button.main')?.disabled === true");
    await keep(tab, 'approve');
    await answer(tab, 'input[name=typed]', id.slice(5, 9));
    await tab.press('Enter');
    await tab.sees(`${text('.status')} === 'approved'`);
    assert.is(await statusOf(id), 'approved');
    const get = async (path: string) => (await page.rest.call('GET', path, as('root'))).body;
    const { total_count: entries } = await get(`/audit?project_id=default&session_id=${id}`);
    const { summary } = await get(`/sessions/${id}/diff?limit=0`);
    assert.is(entries, summary.total_inserts + summary.total_updates + summary.total_deletes);
    assert.ok(entries > 5 && (await get('/audit/verify')).ok);
    assert.equal(tab.faults, []);
  });

  test('conflicts are shown, and stand in the way; a rejection gives its reason', async () => {
    const tab = await open();
    const id = await session({ title: 'Restock' });
    await page.rest.write(id, 'UPDATE products SET stock = 77 WHERE id = 2');
    await page.rest.database.query('UPDATE products SET stock = 5 WHERE id = 2');
    await propose(id);
    await tab.look({ width: 390, height: 844 });
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(`${text('.banner.alarm')}.includes('1 conflict')`);
    await keep(tab, 'phone');
    await tab.click('.banners button', 'See them');
    await tab.sees(`${text('.conflicts')}.includes('in production')`);
    await keep(tab, 'conflict');
    assert.is(await tab.evaluate("document.querySelector('[data-action=approve]').disabled"), true);
    await tab.evaluate("document.querySelector('[data-action=reject]').click()");
    await answer(tab, 'textarea', 'counted wrong');
    await tab.click('dialog button', 'Reject and discard');
    await tab.sees(`${text('.status')} === 'rejected'`);
    const { body } = await page.rest.call('GET', `/sessions/${id}`, as('ann'));
    assert.equal([body.reason, body.rejected_as], ['counted wrong', 'ann']);
    await tab.look({ width: 1280, height: 800, dark: true });
    await tab.goTo(`${page.rest.url}/review`);
    await tab.click('.tabs button', 'rejected');
    await tab.sees(`${text('.sessions')}.includes('Restock')`);
    await keep(tab, 'inbox-dark');
    assert.equal(tab.faults, []);
  });

  test('news of others come in by themselves', async () => {
    const tab = await open();
    const id = await session();
    await page.rest.write(id, 'UPDATE products SET stock = 8 WHERE id = 3');
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(`${text('.live')} === 'live'`);
    await page.rest.call('POST', `/sessions/${id}/comments`, as('dev', { body: 'nearly done' }));
    await tab.sees(`${text('.tabs')}.includes('Comments 1')`);
    await tab.goTo(`${page.rest.url}/review`);
    await tab.sees(`${text('.live')} === 'live'`);
    const other = await session({ title: 'Just now' });
    await propose(other);
    await tab.sees(`${text('.sessions')}.includes('Just now')`);
    assert.equal(tab.faults, []);
  });

  test('a revoked token ends the page, and a login that was ended is none', async () => {
    const tab = await open();
    await tab.goTo(await linkFor('gone', await session()));
    await tab.sees(`${text('.live')} === 'live'`);
    page.tokens.splice(2, 1);
    await tab.sees(`${text('.live')} === 'offline'`);
    assert.is(await tab.evaluate("fetch('/whoami').then(({ status }) => status)"), 401);
    await tab.goTo(`${page.rest.url}/review?again`);
    await tab.sees(`${text('main')}.includes('stage review-link')`);
    const ann = await open();
    await ann.goTo(await linkFor('ann', await session()));
    await ann.sees(`${text('.who')}.includes('ann, reviewer')`);
    await ann.goTo(await linkFor('dev', await session()));
    await ann.sees(`${text('.live')} === 'live' && location.hash === ''`);
    assert.match(await ann.evaluate(text('.who')), /^ann, reviewer/);
    await ann.click('.who button', 'Log out');
    await ann.sees(`${text('main')}.includes('stage review-link')`);
  });
});
