/** How browsers log in to the review page, and what prevents others: links, cookies, origins, headers. No browser is needed. */
import type { Answer, Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const as = (name: string, json: object = {}): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  json,
});

suite('rest: logins of the review page', (test) => {
  let rest: TestRest;
  const tokens = [
    testToken({ name: 'ann', role: 'reviewer' }),
    testToken({ name: 'dev', role: 'author' }),
    testToken({ name: 'bot', role: 'agent' }),
    testToken({ name: 'brief', role: 'reviewer' }),
    testToken({ name: 'op', role: 'operator' }),
  ];
  test.before(async () => {
    rest = await startTestRest({ tokens, web: { secure: false } });
  });
  test.after(() => rest.stop());

  const codeFor = async (name: string) =>
    (await rest.call('POST', '/web/links', as(name))).body.path.split('#code=')[1] as string;
  const use = (code: string, headers = {}) =>
    rest.call('POST', '/web/login', { json: { code }, headers });
  /** The request of a browser after a response that has logged it in. */
  const loginOf = ({ headers, body }: Answer) => ({
    cookie: String(headers['set-cookie']).split(';')[0] ?? '',
    'stage-key': body.key as string,
  });
  const logIn = async (name: string) => loginOf(await use(await codeFor(name)));
  const own = () => ({ origin: rest.url });
  const statusBy = async (headers: Record<string, string>) =>
    (await rest.call('GET', '/whoami', { headers })).status;

  test('a link is good once, and its cookie is out of reach of scripts and other sites', async () => {
    const code = await codeFor('ann');
    const answer = await use(code);
    assert.is(answer.status, 200);
    assert.match(
      String(answer.headers['set-cookie']),
      /^stage_login=[\w-]{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/,
    );
    const again = await use(code);
    assert.equal([again.status, again.headers['set-cookie']], [401, undefined]);
    const { body } = await rest.call('GET', '/whoami', { headers: loginOf(answer) });
    assert.equal([body.name, body.role], ['ann', 'reviewer']);
  });

  test('many at once use a link up once', async () => {
    const code = await codeFor('ann');
    const answers = await Promise.all(Array.from({ length: 8 }, () => use(code)));
    assert.is(answers.filter(({ status }) => status === 200).length, 1);
  });

  test('a link is no login, and a login is no link', async () => {
    const [code, login] = [await codeFor('ann'), await logIn('ann')];
    const [cookie, key] = [login.cookie, login['stage-key']];
    for (const forged of ['', 'x', 'a'.repeat(43), code, `${code}.${code}`])
      assert.is(await statusBy({ ...login, cookie: `stage_login=${forged}` }), 401);
    for (const used of [cookie.slice('stage_login='.length), key, `${cookie}.${key}`])
      assert.is((await use(used)).status, 401);
    assert.is(await statusBy({ ...login, cookie: `${cookie}; ${cookie}` }), 401);
    assert.is(await statusBy(login), 200);
  });

  test('a cookie, which other ports of the host are sent too, is good with its key only', async () => {
    const [login, other] = [await logIn('ann'), await logIn('ann')];
    const { cookie } = login;
    for (const half of [{ cookie }, { 'stage-key': login['stage-key'] }])
      assert.is(await statusBy({ ...half }), 401);
    for (const key of ['', 'a'.repeat(43), other['stage-key']])
      assert.is(await statusBy({ cookie, 'stage-key': key }), 401);
    const sent = { headers: { cookie, ...own() }, json: {} };
    await rest.call('POST', '/web/logout', sent);
    assert.is(await statusBy(login), 200);
  });

  test('links and logins end with their time', async () => {
    const [code, login] = [await codeFor('ann'), await logIn('ann')];
    await rest.database.query(`UPDATE stage.login SET expires_at = now() - interval '1 s'`);
    assert.equal([(await use(code)).status, await statusBy(login)], [401, 401]);
    await codeFor('ann');
    const left = await rest.database.query('SELECT FROM stage.login');
    assert.is(left.length, 1);
  });

  test('of the secrets nothing is kept but hashes, and nothing is logged', async () => {
    const code = await codeFor('ann');
    const { cookie, 'stage-key': key } = await logIn('ann');
    await use('a code that is none');
    await use(`${code}${'x'.repeat(300)}`);
    const [kept] = await rest.database.query<{ rows: string }>(
      `SELECT string_agg(encode(hash, 'escape') || encode(token, 'escape') || l::text, ' ') AS rows FROM stage.login l`,
    );
    for (const secret of [code, key, cookie.slice('stage_login='.length)]) {
      assert.not.ok(kept?.rows.includes(secret));
      assert.not.ok(rest.logged.join().includes(secret));
      assert.not.ok((await rest.call('GET', '/metrics', as('ann'))).text.includes(secret));
    }
  });

  test('a login does what its token may, and ends with it', async () => {
    const [ann, dev, brief] = [await logIn('ann'), await logIn('dev'), await logIn('brief')];
    const { body } = await rest.call('POST', '/sessions', as('dev'));
    const approve = (login: Record<string, string>) =>
      rest.call('POST', `/sessions/${body.id}/approve`, {
        headers: { ...login, ...own() },
        json: {},
      });
    await rest.call('POST', `/sessions/${body.id}/propose`, as('dev'));
    assert.is((await approve(dev)).status, 403);
    const approved = await approve(ann);
    assert.equal([approved.status, approved.body.approved_as], [200, 'ann']);
    tokens.splice(3, 1);
    assert.equal([await statusBy(brief), await statusBy(ann)], [401, 200]);
    const code = await codeFor('ann');
    tokens.push(testToken({ name: 'brief', role: 'reviewer', secret: 'another' }));
    assert.equal([await statusBy(brief), (await use(code)).status], [401, 200]);
  });

  test('what a browser changes has to come from the page', async () => {
    const login = await logIn('dev');
    const create = (headers: Record<string, string>) =>
      rest.call('POST', '/sessions', { headers: { ...login, ...headers }, json: {} });
    assert.is((await create(own())).status, 201);
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { ...own(), 'sec-fetch-site': 'cross-site' },
      { ...own(), 'sec-fetch-site': 'same-site' },
    ])
      assert.is((await create(headers)).status, 403, JSON.stringify(headers));
    assert.is((await use(await codeFor('ann'), { origin: 'https://evil.example' })).status, 403);
  });

  test('a browser makes no links, and nobody one for a session that is not there for it', async () => {
    const sent = { headers: { ...(await logIn('ann')), ...own() }, json: {} };
    assert.is((await rest.call('POST', '/web/links', sent)).status, 403);
    const { body } = await rest.call('POST', '/sessions', as('dev'));
    for (const session_id of [body.id, 'x', '__proto__'])
      assert.is((await rest.call('POST', '/web/links', as('bot', { session_id }))).status, 404);
    assert.is((await rest.call('POST', '/web/links', { json: {} })).status, 401);
  });

  test('who logs out is out, on this browser alone', async () => {
    const [here, there] = [await logIn('ann'), await logIn('ann')];
    const sent = { headers: { ...here, ...own() }, json: {} };
    const { headers } = await rest.call('POST', '/web/logout', sent);
    assert.match(String(headers['set-cookie']), /^stage_login=; Path=\/; Max-Age=0;/);
    assert.equal([await statusBy(here), await statusBy(there)], [401, 200]);
  });

  test('a link from elsewhere leads to the page, and to nothing else', async () => {
    const visit = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    const get = async (path: string, headers: object = visit, method = 'GET') =>
      (await rest.call(method, path, { headers: { ...headers } })).status;
    assert.equal([await get('/review'), await get(`/review/sess_${'0'.repeat(32)}`)], [200, 200]);
    for (const path of ['/sessions', '/health', '/whoami', '/review/assets/page.css'])
      assert.is(await get(path), 403, path);
    assert.is(await get('/review', { ...visit, 'sec-fetch-dest': 'iframe' }), 403);
    assert.is(await get('/review', { ...visit, 'sec-fetch-mode': 'no-cors' }), 403);
    assert.is(await get('/review', visit, 'POST'), 403);
  });

  test('what stands in front of the service may speak TLS for it: the browser tells', async () => {
    const { host } = new URL(rest.url);
    const answer = await use(await codeFor('ann'), { origin: `https://${host}` });
    assert.match(String(answer.headers['set-cookie']), /^__Host-stage_login=.*; Secure$/);
    const login = loginOf(answer);
    assert.is(await statusBy(login), 200);
    const plain = (await logIn('dev')).cookie;
    assert.is(await statusBy({ ...login, cookie: `${plain}; ${login.cookie}` }), 200);
  });

  test('no browser keeps an answer, nor takes it for what it does not say it is', async () => {
    const paths = ['/review', '/whoami', '/livez', '/metrics', '/none'];
    for (const path of paths) {
      const { headers } = await rest.call('GET', path, as('ann'));
      const [kept, type] = [headers['cache-control'], headers['x-content-type-options']];
      assert.equal([path, kept, type], [path, 'no-store', 'nosniff']);
    }
  });

  test('every daemon of a database knows a login, and its end', async () => {
    const other = await startTestRest({ database: rest.database, tokens, web: { secure: false } });
    try {
      const code = await codeFor('ann');
      const login = loginOf(await other.call('POST', '/web/login', { json: { code } }));
      assert.is((await use(code)).status, 401);
      assert.is(await statusBy(login), 200);
      await other.call('POST', '/web/logout', { headers: login, json: {} });
      assert.is(await statusBy(login), 401);
    } finally {
      await other.stop();
    }
  });

  test('four eyes takes a login for its token', async () => {
    const rules = { web: { secure: false }, fourEyes: true };
    const strict = await startTestRest({ database: rest.database, tokens, ...rules });
    try {
      const login = await logIn('op');
      const { id } = (await strict.call('POST', '/sessions', as('op'))).body;
      await strict.call('POST', `/sessions/${id}/propose`, { headers: login, json: {} });
      for (const sent of [as('op'), { headers: login, json: {} }]) {
        const { body } = await strict.call('POST', `/sessions/${id}/approve`, sent);
        assert.is(body.error, 'four_eyes_required');
      }
      const other = { headers: await logIn('ann'), json: {} };
      assert.is((await strict.call('POST', `/sessions/${id}/approve`, other)).status, 200);
    } finally {
      await strict.stop();
    }
  });

  test('nobody but the service reads or makes logins', async () => {
    const rights = "'stage.login', 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE'";
    const [everybody] = await rest.database.query<{ may: boolean }>(
      `SELECT has_table_privilege('public', ${rights}) OR has_any_column_privilege('public', 'stage.login', 'SELECT, INSERT, UPDATE') AS may`,
    );
    assert.is(everybody?.may, false);
  });

  test('over TLS the cookie is sent over TLS only; where there is no page, there is nothing of it', async () => {
    const others = { database: rest.database, tokens };
    const [secure, off] = [
      await startTestRest({ ...others, web: { secure: true } }),
      await startTestRest(others),
    ];
    try {
      const { body } = await secure.call('POST', '/web/links', as('ann'));
      const code = body.path.split('#code=')[1];
      const { headers } = await secure.call('POST', '/web/login', { json: { code } });
      assert.match(
        String(headers['set-cookie']),
        /^__Host-stage_login=[\w-]{43}; Path=\/; .*; Secure$/,
      );
      const login = await logIn('ann');
      const calls: readonly [string, string][] = [
        ['GET', '/review'],
        ['GET', `/review/sess_${'0'.repeat(32)}`],
        ['POST', '/web/login'],
        ['POST', '/web/logout'],
        ['POST', '/web/links'],
      ];
      for (const [method, path] of calls) {
        const sent = method === 'GET' ? {} : as('ann', path === '/web/login' ? { code: 'x' } : {});
        assert.is((await off.call(method, path, sent)).status, 404, path);
      }
      assert.is((await off.call('GET', '/whoami', { headers: login })).status, 401);
      assert.is((await secure.call('GET', '/whoami', { headers: login })).status, 401);
    } finally {
      await secure.stop();
      await off.stop();
    }
  });
});
