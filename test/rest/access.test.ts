/** Tokens, foreign hosts and foreign sites. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('rest: tokens', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({
      tokens: [testToken({ secret: 'first-token' }), testToken({ secret: 'second-token' })],
    });
  });
  test.after(() => rest.stop());

  test('every configured token opens', async () => {
    for (const token of ['first-token', 'second-token']) {
      const { status } = await rest.call('GET', '/sessions', {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.is(status, 200);
    }
  });

  test('anything else answers 401 and changes nothing', async () => {
    const offers = [
      '',
      'Bearer',
      'Bearer x',
      'Bearer first-token2',
      'Bearer first-toke',
      'Basic first-token',
      'first-token',
    ];
    for (const authorization of offers) {
      const { status, headers, body } = await rest.call('POST', '/sessions', {
        headers: { authorization },
      });
      assert.is(status, 401, authorization);
      assert.is(body.error, 'unauthorized');
      assert.is(headers['www-authenticate'], 'Bearer');
    }
    assert.is((await rest.call('POST', '/sessions')).status, 401);
    assert.equal(await rest.database.query('SELECT id FROM stage.session'), []);
  });

  test('health and probes are open, the rest is not', async () => {
    for (const path of ['/health', '/livez', '/readyz'])
      assert.is((await rest.call('GET', path)).status, 200, path);
    for (const path of [
      '/metrics',
      '/info',
      '/openapi.json',
      '/nothing',
      '/health/',
      '/audit?project_id=x',
    ]) {
      assert.is((await rest.call('GET', path)).status, 401, path);
    }
  });

  test('a token never reaches the log', async () => {
    assert.not.match(rest.logged.join(''), /first-token|second-token/);
  });
});

suite('rest: hosts and sites', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ hosts: ['localhost', '127.0.0.1', '[::1]'] });
  });
  test.after(() => rest.stop());

  const withHost = (host: string) => rest.call('GET', '/livez', { headers: { host } });

  test('our own names are served, with and without port', async () => {
    for (const host of ['localhost', 'localhost:8080', '127.0.0.1:1', '[::1]:8080', 'LOCALHOST']) {
      assert.is((await withHost(host)).status, 200, host);
    }
  });

  test('a name that was made to point here is refused', async () => {
    for (const host of [
      'evil.example',
      'evil.example:8080',
      'localhost.evil.example',
      'localhost@evil.example',
      '127.0.0.1.nip.io',
    ]) {
      const { status, body } = await withHost(host);
      assert.is(status, 403, host);
      assert.is(body.error, 'forbidden');
    }
  });

  test('a page of another site is refused, our own is not', async () => {
    const host = 'localhost:8080';
    for (const origin of [
      'https://evil.example',
      'http://localhost:3000',
      'null',
      'file://',
      'http://localhost:8080.evil.example',
    ]) {
      const { status, body } = await rest.call('POST', '/sessions', { headers: { host, origin } });
      assert.is(status, 403, origin);
      assert.is(body.error, 'forbidden');
    }
    for (const site of ['cross-site', 'same-site']) {
      const headers = { host, 'sec-fetch-site': site };
      assert.is((await rest.call('POST', '/sessions', { headers })).status, 403, site);
    }
    const { status } = await rest.call('POST', '/sessions', {
      headers: { host, origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' },
    });
    assert.is(status, 201);
  });
});

suite('rest: any host', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ hosts: null });
  });
  test.after(() => rest.stop());

  test('is served where the service is not on loopback', async () => {
    assert.is(
      (await rest.call('GET', '/livez', { headers: { host: 'stage.example' } })).status,
      200,
    );
  });
});
