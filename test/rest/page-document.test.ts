/** The document of the review page: its policy, and what there is without the setting. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

/** What a browser sends that follows a link of another site. */
const visit = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

suite('rest: document of the review page', (test) => {
  let rest: TestRest;
  let off: TestRest;
  test.before(async () => {
    rest = await startTestRest({ web: { secure: false } });
    off = await startTestRest({ database: rest.database });
  });
  test.after(async () => {
    await off.stop();
    await rest.stop();
  });

  test('the page is one document, whose policy lets its own style and script run by their hashes', async () => {
    const { text, headers } = await rest.call('GET', '/review');
    const policy = String(headers['content-security-policy']);
    for (const [element, source] of [
      ['style', 'style-src'],
      ['script', 'script-src'],
    ] as const) {
      const [, inner = ''] =
        new RegExp(`<${element}[^>]*>([\\s\\S]*)</${element}>`).exec(text) ?? [];
      assert.ok(inner.length > 1_000);
      const hash = createHash('sha256').update(inner).digest('base64');
      assert.ok(policy.split('; ').includes(`${source} 'sha256-${hash}'`), policy);
    }
    for (const rule of [
      "default-src 'none'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
      assert.ok(policy.split('; ').includes(rule), rule);
    assert.not.match(policy, /unsafe|nonce|\*|https?:/);
    assert.not.match(text.replace(/<script[\s\S]*<\/script>/, ''), /(?:src|href)="(?!data:)/);
    const packed = await rest.call('GET', '/review', { headers: { 'accept-encoding': 'gzip' } });
    assert.is(packed.headers['content-encoding'], 'gzip');
    assert.is(String(packed.headers['content-security-policy']), policy);
    for (const path of [
      'x',
      'page.css',
      '../package.json',
      '..%2f..%2fpackage.json',
      'assets/page.css',
      '',
    ])
      assert.ok((await rest.call('GET', `/review/${path}`)).status >= 400, path);
  });

  test('a service without the page has none, also for links of other sites', async () => {
    const id = `sess_${'0'.repeat(32)}`;
    for (const headers of [{}, visit])
      for (const path of ['/review', `/review/${id}`]) {
        assert.is((await off.call('GET', path, { headers })).status, 404, path);
        assert.is((await rest.call('GET', path, { headers })).status, 200, path);
      }
  });

  test('nothing on the page moves by itself, for users who prefer it so and for all others', () => {
    const style = readFileSync('templates/web/page.css', 'utf8');
    assert.not.match(style, /transition|animation|@keyframes|scroll-behavior/);
  });
});
