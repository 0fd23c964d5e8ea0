/** Where the daemon may listen, and which hosts it responds to. */
import {
  allowedHosts,
  checkListenPolicy,
  explainListenError,
  reachableHost,
  urlHost,
} from '../../src/daemon/listen-policy.ts';
import { redactor } from '../../src/daemon/redact.ts';
import type { StageError } from '../../src/errors.ts';
import { testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('daemon: listen policy', (test) => {
  const check = (host: string, names: string[] = [], allowed = false, fourEyes = false) =>
    checkListenPolicy({
      host,
      tokens: names.map((name) => testToken({ name })),
      allowUnauthenticated: allowed,
      fourEyes,
    });

  test('loopback is free', () => {
    for (const host of ['127.0.0.1', '127.8.9.1', 'localhost', '::1']) {
      assert.not.throws(() => check(host), host);
    }
  });

  test('anything else needs a token, or the word that none is wanted', () => {
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'stage.example', '127.0.0.1.evil.example']) {
      assert.throws(() => check(host), /refusing to listen/, host);
      assert.not.throws(() => check(host, ['token']));
      assert.not.throws(() => check(host, [], true));
    }
  });

  test('four eyes need tokens of two names', () => {
    for (const names of [[], ['ann'], ['ann', 'ann']]) {
      assert.throws(() => check('127.0.0.1', names, true, true), /two names/);
    }
    assert.not.throws(() => check('127.0.0.1', ['ann', 'bob'], false, true));
  });

  test('requests must name the service on loopback only', () => {
    assert.equal(allowedHosts('::1'), ['localhost', '127.0.0.1', '[::1]', '[::1]']);
    assert.is(allowedHosts('0.0.0.0'), null);
  });

  test('addresses become URLs that can be reached', () => {
    assert.is(urlHost('::1'), '[::1]');
    assert.is(urlHost('127.0.0.1'), '127.0.0.1');
    assert.is(reachableHost('0.0.0.0'), 'localhost');
    assert.is(reachableHost('10.0.0.1'), '10.0.0.1');
  });

  test('a port that cannot be had is named with its flag', () => {
    const where = { host: '127.0.0.1', port: 8080, flag: '--port' };
    const error = explainListenError(
      Object.assign(new Error(), { code: 'EADDRINUSE' }),
      where,
    ) as StageError;
    assert.is(error.code, 'configuration_invalid');
    assert.match(error.message, /127\.0\.0\.1:8080/);
    assert.match(error.hint ?? '', /--port/);
    const other = new Error('other');
    assert.is(explainListenError(other, where), other);
  });
});

suite('daemon: redaction', (test) => {
  test('takes URL and password out, as written and as sent', () => {
    const url = 'postgresql://owner:s%40cret@db.example:5432/shop';
    const redact = redactor(url);
    assert.is(redact(`connect ${url}`), 'connect ***');
    assert.is(redact('password "s@cret" or s%40cret'), 'password "***" or ***');
    assert.is(redactor('postgresql://db/shop?password=hidden')('it is hidden'), 'it is ***');
    assert.is(redactor('postgresql://db/shop')('nothing to hide'), 'nothing to hide');
  });
});
