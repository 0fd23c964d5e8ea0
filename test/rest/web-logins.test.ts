/** Logins of the review page are listed and revoked, at all daemons of a database. */
import pg from 'pg';
import type { Answer, Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const as = (name: string, json: object = {}): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  json,
});

suite('rest: revoked logins of the review page', (test) => {
  let one: TestRest;
  let other: TestRest;
  const tokens = [
    testToken({ name: 'ann', role: 'reviewer' }),
    testToken({ name: 'ann', role: 'author', secret: 'ann-as-author' }),
    testToken({ name: 'bob', role: 'reviewer' }),
    testToken({ name: 'root', role: 'operator' }),
    testToken({ name: 'shopkeeper', role: 'operator', projects: ['shop'] }),
  ];
  test.before(async () => {
    one = await startTestRest({ tokens, web: { secure: false } });
    other = await startTestRest({ tokens, web: { secure: false }, database: one.database });
  });
  test.after(async () => {
    await other.stop();
    await one.stop();
  });

  const codeFor = async (secret: string) =>
    (await one.call('POST', '/web/links', as(secret))).body.path.split('#code=')[1] as string;
  const use = (code: string) => one.call('POST', '/web/login', { json: { code } });
  const loginOf = ({ headers, body }: Answer) => ({
    cookie: String(headers['set-cookie']).split(';')[0] ?? '',
    'stage-key': body.key as string,
  });
  const logIn = async (secret: string) => loginOf(await use(await codeFor(secret)));
  const statuses = async (headers: Record<string, string>) =>
    Promise.all(
      [one, other].map(async (rest) => (await rest.call('GET', '/whoami', { headers })).status),
    );
  const revoke = async (rest: TestRest, name: string) =>
    (await rest.call('POST', '/web/logins/revoke', as('root', { name }))).body;
  const listed = async () => {
    const { body } = await other.call('GET', '/web/logins', as('root'));
    return body.logins.map(({ name, kind }: Record<string, string>) => `${name} ${kind}`);
  };

  test('end at the next request on both daemons, and those of others stay', async () => {
    const anns = [await logIn('ann'), await logIn('ann-as-author')];
    const bob = await logIn('bob');
    const code = await codeFor('ann');
    for (const login of [...anns, bob]) assert.equal(await statuses(login), [200, 200]);
    assert.equal((await listed()).sort(), [
      'ann browser',
      'ann browser',
      'ann link',
      'bob browser',
    ]);
    assert.equal(await revoke(one, 'ann'), { name: 'ann', revoked: 3 });
    for (const login of anns) assert.equal(await statuses(login), [401, 401]);
    assert.equal(await statuses(bob), [200, 200]);
    assert.is((await use(code)).status, 401);
    assert.equal(await listed(), ['bob browser']);
    assert.equal(await revoke(other, 'ann'), { name: 'ann', revoked: 0 });
    const { text } = await one.call('GET', '/web/logins', as('root'));
    assert.not.ok(text.includes(bob['stage-key']));
    assert.equal(await statuses(await logIn('ann')), [200, 200]);
    await revoke(one, 'ann');
  });

  test('of a name that no token has are an error, which names the nearest one', async () => {
    const { status, body } = await one.call(
      'POST',
      '/web/logins/revoke',
      as('root', { name: 'anm' }),
    );
    assert.equal([status, body.error], [404, 'not_found']);
    assert.match(body.hint, /Did you mean ann\?/);
  });

  test('of others are not ended by an operator of some projects', async () => {
    const login = await logIn('bob');
    const asked = (name: string) =>
      one.call('POST', '/web/logins/revoke', as('shopkeeper', { name }));
    for (const name of ['bob', 'nobody']) {
      const { status, body } = await asked(name);
      assert.equal([status, body.error], [403, 'forbidden']);
    }
    assert.equal(await statuses(login), [200, 200]);
    assert.is((await asked('shopkeeper')).status, 200);
    await revoke(one, 'bob');
  });

  test('a login that is being made is ended, too', async () => {
    const login = await logIn('ann');
    const client = new pg.Client({ connectionString: one.database.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO stage.login SELECT decode(repeat('ab', 32), 'hex'), kind, token, expires_at FROM stage.login WHERE kind = 'browser' ORDER BY expires_at DESC LIMIT 1`,
    );
    let done = false;
    const revoked = revoke(one, 'ann').finally(() => {
      done = true;
    });
    const waits = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'stage.login'::regclass`;
    await until(async () => done || (await one.database.query(waits)).length > 0);
    await client.query('COMMIT');
    await client.end();
    await revoked;
    assert.equal(await statuses(login), [401, 401]);
    assert.not.ok((await listed()).includes('ann browser'));
  });
});
