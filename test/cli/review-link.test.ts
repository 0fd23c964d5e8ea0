/** `stage review-link`: what it prints, and who can log in with that. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { as } from '../helpers/review-page.ts';
import { assert, suite } from '../helpers/suite.ts';
import { serve } from './served.ts';

suite('cli: review-link', (test) => {
  const tokens = [
    testToken({ name: 'ann', role: 'reviewer' }),
    testToken({ name: 'bot', role: 'agent' }),
    testToken({ name: 'dev', role: 'author' }),
    testToken({ name: 'root', role: 'operator' }),
  ];
  const served = serve(test, { tokens, web: { secure: false } });
  const env = (name: string) => ({ env: { STAGE_TOKEN: name } });
  const sessionOf = async (name: string) =>
    (await served.rest.call('POST', '/sessions', as(name))).body.id;
  const enter = (url: string) =>
    served.rest.call('POST', '/web/login', { json: { code: url.trim().split('#code=')[1] } });

  test('prints an address alone, by which a browser gets in as whoever asked', async () => {
    const id = await sessionOf('bot');
    const piped = await served.shell.run(['review-link', id], env('ann'));
    const shown = await served.shell.atTerminal(['review-link', id], env('bot'));
    for (const { code, stdout, stderr } of [piped, shown]) {
      assert.equal([code, stderr], [0, '']);
      const [address, secret] = stdout.split('#code=');
      assert.is(address, `${served.rest.url}/review/${id}`);
      assert.match(`${secret}`, /^[\w-]{43}\r?\n$/);
    }
    assert.is((await enter(piped.stdout)).body.name, 'ann');
    assert.is((await enter(shown.stdout)).body.name, 'bot');
    const own = await served.shell.run(['review-link'], {
      env: { STAGE_TOKEN: 'ann', STAGE_SESSION: id },
    });
    assert.is(own.stdout.split('#')[0], `${served.rest.url}/review/${id}`);
  });

  test('prints an address that logs nobody in with --no-login', async () => {
    const id = await sessionOf('dev');
    const { stdout } = await served.shell.run(['review-link', id, '--no-login'], env('dev'));
    assert.is(stdout, `${served.rest.url}/review/${id}\n`);
  });

  test('leads to all sessions with --inbox, and says as JSON until when', async () => {
    const { stdout } = await served.shell.run(['review-link', '--inbox', '--json'], env('ann'));
    const { url, expires_at: end } = JSON.parse(stdout);
    assert.is(url.split('#')[0], `${served.rest.url}/review`);
    const minutes = (Date.parse(end) - Date.now()) / 60_000;
    assert.ok(minutes > 10 && minutes <= 15.1, `${minutes}`);
  });

  test('is made invalid by `stage login revoke`, which names the nearest name for an unknown one', async () => {
    const { stdout: url } = await served.shell.run(['review-link', '--inbox'], env('dev'));
    const revoke = (name: string) =>
      served.shell.run(['login', 'revoke', name, '--json'], env('root'));
    const schema = JSON.parse(readFileSync('templates/schemas/login-revoke.json', 'utf8'));
    const revoked = JSON.parse((await revoke('dev')).stdout);
    assert.equal(z.fromJSONSchema(schema).parse(revoked), { name: 'dev', revoked: 1 });
    assert.is((await enter(url)).status, 401);
    const { code, stderr } = await revoke('devv');
    assert.is(code, 5);
    assert.match(stderr, /dev/);
  });

  test('makes none to what the token does not see, none without a token, and none where there is no page', async () => {
    const missing = await served.shell.run(['review-link', await sessionOf('dev')], env('bot'));
    assert.is(missing.stdout, '');
    assert.match(missing.stderr, /no session/);
    const none = await served.shell.run(['review-link', '--inbox']);
    assert.match(none.stderr, /token is required/);
    const off = await startTestRest({ database: served.rest.database, tokens });
    try {
      const surroundings = { env: { STAGE_TOKEN: 'ann', STAGE_SERVER: off.url } };
      const { code, stdout, stderr } = await served.shell.run(
        ['review-link', '--inbox'],
        surroundings,
      );
      assert.equal([code === 0, stdout], [false, '']);
      assert.match(stderr, /no review page[\s\S]*web: on/);
    } finally {
      await off.stop();
    }
  });
});
