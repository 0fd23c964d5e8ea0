/** Attacks on the review page in a real browser: framing, theft, deception, and approval of what was not shown. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer, as, ready, serveReviewPage, textOf as text } from '../helpers/review-page.ts';
import { assert, suite } from '../helpers/suite.ts';

/** A script that delays the page's requests for a path until the test continues them, and never responds to the one for events. */
const held = (end: string) => `
const real = window.fetch;
window.fetch = async (path, how) => {
  if (path === '/events') return new Promise(() => {});
  if (path.endsWith('${end}')) await new Promise((go) => { window.go = go; });
  return real(path, how);
};`;

/** A script that submits a form whose body is JSON, and waits for the response. */
const submitted = (url: string) => `new Promise((done) => {
  const [frame, form, field] = ['iframe', 'form', 'input'].map((name) => document.createElement(name));
  frame.name = form.target = 'there';
  document.body.append(frame, form);
  Object.assign(form, { method: 'POST', enctype: 'text/plain', action: ${JSON.stringify(url)} });
  Object.assign(field, { name: '{"reason":"', value: '"}' });
  form.append(field);
  frame.onload = () => { form.remove(); frame.remove(); done(); };
  form.submit();
})`;

suite('web: defence of the review page', (test) => {
  const page = serveReviewPage(test);
  const { open, linkFor, session, propose } = page;
  const reopen = (id: string) =>
    page.rest.call('POST', `/sessions/${id}/reopen`, as('bob', { message: 'once more' }));
  const changed = async () => {
    const id = await session();
    await page.rest.write(id, 'UPDATE products SET stock = stock + 1 WHERE id = 1');
    await propose(id);
    return id;
  };
  const changeAgain = async (id: string) => {
    await reopen(id);
    await page.rest.write(id, 'UPDATE products SET stock = stock + 1 WHERE id = 2');
    await propose(id);
  };

  test('pages of other ports and sites can neither frame it, nor read, nor act, and get half of its login', async () => {
    const tab = await open();
    let cookies = '';
    const foreign = createServer(({ headers }, response) => {
      cookies += headers.cookie ?? '';
      response.setHeader('content-type', 'text/html').end('<p>foreign</p>');
    });
    await new Promise<void>((done) => foreign.listen(0, () => done()));
    const { port } = foreign.address() as AddressInfo;
    const id = await changed();
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(ready);
    const target = JSON.stringify(`${page.rest.url}/sessions/${id}`);
    for (const host of ['127.0.0.1', 'localhost']) {
      await tab.goTo(`http://${host}:${port}/`);
      const how = "{ credentials: 'include' }";
      const read = await tab.evaluate(`fetch(${target}, ${how}).then(() => 'read', () => 'no')`);
      assert.is(read, 'no');
      const act = `{ method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }`;
      await tab.evaluate(`fetch(${target} + '/reject', ${act}).then(() => 0, () => 0)`);
      await tab.evaluate(submitted(`${page.rest.url}/sessions/${id}/reject`));
      await tab.evaluate(`new Promise((done) => {
        const frame = document.createElement('iframe');
        frame.onload = frame.onerror = done;
        frame.src = ${JSON.stringify(`${page.rest.url}/review/${id}?framed`)};
        document.body.append(frame);
      })`);
    }
    const refused = page.rest.logged.filter((line) => line.includes('"status":403'));
    assert.is(refused.filter((line) => line.includes(`"/sessions/${id}/reject"`)).length, 4);
    const framed = page.rest.logged.filter((line) => line.includes(`"/review/${id}"`));
    assert.is(framed.filter((line) => line.includes('"status":403')).length, 2);
    const { body } = await page.rest.call('GET', `/sessions/${id}`, as('ann'));
    assert.is(body.status, 'proposed');
    const [cookie = ''] = /stage_login=[\w-]{43}/.exec(cookies) ?? [];
    assert.is.not(cookie, '');
    assert.is((await page.rest.call('GET', '/whoami', { headers: { cookie } })).status, 401);
    await new Promise((done) => foreign.close(done));
    foreign.closeAllConnections();
  });

  test('names of tables and columns deceive nobody', async () => {
    const [table, column] = ['<img src=x onerror=alert(1)>', 'a\u202eb"<b>'];
    const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
    await page.rest.database.query(
      `CREATE TABLE ${quoted(table)} (id int PRIMARY KEY, ${quoted(column)} text);
       INSERT INTO ${quoted(table)} VALUES (1, 'was')`,
    );
    const id = await session();
    await page.rest.write(id, `UPDATE ${quoted(table)} SET ${quoted(column)} = 'is'`);
    const tab = await open();
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(`${text('.rows')}.includes('was')`);
    await tab.sees(`${text('.tables')}.includes('onerror')`);
    assert.match(await tab.evaluate(text('.rows .name')), /a\\u202eb""<b>/);
    assert.is(await tab.evaluate("document.querySelectorAll('main img, .name b').length"), 0);
    assert.equal(tab.faults, []);
  });

  test('no other script and no other style of the document has an effect', async () => {
    const tab = await open();
    await tab.goTo(await linkFor('ann', await changed()));
    await tab.sees(ready);
    const added = await tab.evaluate<number>(`(() => {
      const [script, style] = ['script', 'style'].map((name) => document.createElement(name));
      script.append('window.injected = 1');
      style.append('body { display: none }');
      document.head.append(script, style);
      return document.head.querySelectorAll('script, style').length;
    })()`);
    assert.is(added, 4);
    assert.is(await tab.evaluate('typeof window.injected'), 'undefined');
    assert.is.not(await tab.evaluate('getComputedStyle(document.body).display'), 'none');
    assert.match(tab.faults.join(), /TrustedScript|script-src/);
    assert.match(tab.faults.join(), /style-src/);
  });

  test('a value of a megabyte is shown in part, as text', async () => {
    const id = await session();
    await page.rest.write(
      id,
      `UPDATE customers SET name = repeat('<img src=x onerror=alert(1)>', 40000) WHERE id = 2`,
    );
    const tab = await open();
    await tab.goTo(await linkFor('ann', id));
    await tab.sees(`${text('.rows')}.includes('<img src=x')`);
    await tab.press('j');
    await tab.press('Enter');
    await tab.sees("document.querySelector('.detail')");
    assert.is(await tab.evaluate("document.querySelectorAll('main img').length"), 0);
    const shown = await tab.evaluate<number>('document.body.textContent.length');
    assert.ok(shown < 100_000, String(shown));
    assert.equal(tab.faults, []);
  });

  test('what changed while the page was read is not approved by it', async () => {
    const id = await changed();
    const tab = await open();
    await tab.prepare(held('/diff?limit=0'));
    await tab.goTo(await linkFor('ann', id));
    await tab.sees("typeof window.go === 'function'");
    await changeAgain(id);
    await tab.evaluate('window.go()');
    await tab.sees(`${text('.banners')}.includes('has changed')`);
    assert.is(await tab.evaluate("document.querySelector('[data-action=approve]').disabled"), true);
  });

  test('a load that was overtaken by another one changes nothing', async () => {
    const id = await changed();
    const tab = await open();
    await tab.prepare(held('/diff/outline'));
    await tab.goTo(await linkFor('ann', id));
    await tab.sees("typeof window.go === 'function'");
    await tab.evaluate('window.first = window.go; 0');
    await changeAgain(id);
    await tab.press('R');
    await tab.sees('window.go !== window.first');
    await tab.evaluate('window.go()');
    await tab.sees(ready);
    await tab.evaluate('window.first()');
    // more round trips than the overtaken load has left
    for (let trip = 0; trip < 20; trip += 1)
      await tab.evaluate("real('/whoami').then((answer) => answer.status)");
    assert.is(await tab.evaluate(text('.banners')), '');
    assert.is(
      await tab.evaluate("document.querySelector('[data-action=approve]').disabled"),
      false,
    );
  });

  test('of two reviewers one wins, and the other is told; nobody approves another diff than was read', async () => {
    const id = await changed();
    const tabs = [await open(), await open()] as const;
    for (const [at, tab] of tabs.entries()) {
      await tab.goTo(await linkFor(at === 0 ? 'ann' : 'bob', id));
      await tab.sees(ready);
      await tab.evaluate("document.querySelector('[data-action=approve]').click()");
      await answer(tab, 'input[name=typed]', id.slice(5, 9));
    }
    const [first, second] = tabs;
    await changeAgain(id);
    await first.click('dialog button', 'Approve');
    await first.sees(`${text('dialog .fault')}.includes('diff')`);
    await first.click('dialog button', 'Cancel');
    await first.click('.banners button', 'Read it again');
    await first.sees(ready);
    await first.evaluate("document.querySelector('[data-action=approve]').click()");
    await answer(first, 'input[name=typed]', id.slice(5, 9));
    await first.click('dialog button', 'Approve');
    await first.sees(`${text('.status')} === 'approved'`);
    await second.click('dialog button', 'Approve');
    await second.sees(`${text('dialog .fault')}.includes('approved')`);
    await second.sees(`${text('.banners')}.includes('approved by ann')`);
    assert.equal([...first.faults, ...second.faults], []);
  });
});
