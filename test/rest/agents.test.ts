/** A token of the role agent reaches sessions of its own name, and nothing that decides or shows other sessions. */
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const as = (name: string, json?: object): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  ...(json === undefined ? {} : { json }),
});

const tokens = [
  testToken({ name: 'bot', role: 'agent' }),
  testToken({ name: 'bot', role: 'agent', secret: 'bot-again' }),
  testToken({ name: 'other', role: 'agent' }),
  testToken({ name: 'shop-bot', role: 'agent', projects: ['shop'] }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'dev', role: 'author' }),
  testToken({ name: 'root', role: 'operator' }),
];

const unknown = `sess_${'0'.repeat(32)}`;

suite('rest: agents', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens });
  });
  test.after(() => rest.stop());

  const create = async (name: string, body = {}) =>
    (await rest.call('POST', '/sessions', as(name, body))).body.session_id;

  test('whoever calls learns the name, the role, its rights and projects', async () => {
    const whoami = async (name: string) => (await rest.call('GET', '/whoami', as(name))).body;
    const { operations, ...bot } = await whoami('shop-bot');
    assert.equal(bot, {
      name: 'shop-bot',
      role: 'agent',
      rights: ['read', 'write'],
      projects: ['shop'],
    });
    const allowed = (names: readonly string[]) =>
      ['addComment', 'proposeSession', 'rehearseSession', 'approveSession', 'listAudit'].filter(
        (name) => names.includes(name),
      );
    assert.equal(allowed(operations), ['addComment', 'proposeSession']);
    assert.equal(allowed((await whoami('ann')).operations), [
      ...['addComment', 'rehearseSession', 'approveSession', 'listAudit'],
    ]);
    assert.equal((await whoami('ann')).rights, ['read', 'audit', 'review']);
    assert.equal((await whoami('dev')).rights, ['read', 'write', 'audit']);
    assert.is((await whoami('root')).projects, null);
    assert.is((await rest.call('GET', '/whoami')).status, 401);
  });

  test('where no token is demanded, the caller has no name and every right', async () => {
    const open = await startTestRest();
    try {
      const { body } = await open.call('GET', '/whoami');
      assert.equal(
        [body.name, body.role, body.rights.includes('review')],
        [null, 'operator', true],
      );
    } finally {
      await open.stop();
    }
  });

  const ways = [
    ['GET', ''],
    ['GET', '/diff'],
    ['GET', '/diff/outline'],
    ['GET', '/diff/changes?table=products'],
    ['GET', '/mutations'],
    ['GET', '/conflicts'],
    ['POST', '/propose'],
    ['DELETE', ''],
  ] as const;

  test('a session of somebody else answers as one that does not exist', async () => {
    for (const owner of ['other', 'dev', 'root']) {
      const foreign = await create(owner);
      for (const [method, path] of ways) {
        const seen = await rest.call(method, `/sessions/${foreign}${path}`, as('bot'));
        const never = await rest.call(method, `/sessions/${unknown}${path}`, as('bot'));
        assert.is(seen.status, 404, `${method} ${path} of ${owner}`);
        assert.is(seen.body.message.replace(foreign, ''), never.body.message.replace(unknown, ''));
      }
      assert.is((await rest.call('GET', `/sessions/${foreign}`, as('root'))).body.status, 'active');
    }
  });

  test('its own session it reads, proposes and deletes', async () => {
    for (const [method, path] of ways) {
      const own = await create('bot');
      await rest.write(own, 'UPDATE products SET stock = 1 WHERE id = 1');
      const { status } = await rest.call(method, `/sessions/${own}${path}`, as('bot'));
      assert.is(status, 200, `${method} ${path}`);
    }
  });

  test('many requests at once for others and itself are told apart', async () => {
    const [own, foreign] = [await create('bot'), await create('other')];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        rest.call('GET', `/sessions/${index % 2 ? own : foreign}/diff`, as('bot')),
      ),
    );
    assert.equal(
      answers.map(({ status }) => status),
      answers.map((_, index) => (index % 2 ? 200 : 404)),
    );
  });

  test('its list has its own sessions only, and counts no others', async () => {
    const own = await create('shop-bot', { project_id: 'shop' });
    await create('dev', { project_id: 'shop' });
    for (const path of ['/sessions', '/sessions?project_id=shop', '/sessions?status=active']) {
      const { body } = await rest.call('GET', path, as('shop-bot'));
      assert.equal(
        [body.sessions.map(({ id }: { id: string }) => id), body.total_count, body.has_more],
        [[own], 1, false],
        path,
      );
    }
    assert.is((await rest.call('GET', '/sessions?project_id=hr', as('shop-bot'))).status, 403);
  });

  test('it decides nothing and reads no audit', async () => {
    const own = await create('bot');
    await rest.call('POST', `/sessions/${own}/propose`, as('bot'));
    for (const [method, path] of [
      ['POST', `/sessions/${own}/approve`],
      ['POST', `/sessions/${own}/reject`],
      ['GET', '/audit?project_id=default'],
      ['GET', '/audit/aud_1'],
      ['GET', '/audit/verify'],
      ['GET', '/audit/head'],
      ['GET', '/metrics'],
    ] as const) {
      const { status, body } = await rest.call(
        method,
        path,
        as('bot', method === 'POST' ? {} : undefined),
      );
      assert.equal([status, body.error], [403, 'forbidden'], path);
    }
    assert.is((await rest.call('GET', `/sessions/${own}`, as('bot'))).body.status, 'proposed');
  });

  test('a name is an identity: another token of it is the same agent, another name never is', async () => {
    const own = await create('bot');
    assert.is((await rest.call('GET', `/sessions/${own}`, as('bot-again'))).status, 200);
    assert.is((await rest.call('GET', `/sessions/${own}`, as('other'))).status, 404);
    // a claim in the session's own metadata makes nobody its creator
    const claim = await create('other', { metadata: { created_as: 'bot' } });
    assert.is((await rest.call('GET', `/sessions/${claim}`, as('bot'))).status, 404);
  });
});
