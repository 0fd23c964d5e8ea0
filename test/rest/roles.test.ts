/** The rights of each role, the sessions that a token of other projects sees, and that authors cannot approve their own sessions. */
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const unknown = `sess_${'0'.repeat(32)}`;

const tokens = [
  testToken({ name: 'agent', role: 'author' }),
  testToken({ name: 'other', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'root', role: 'operator' }),
  testToken({ name: 'shop-agent', role: 'author', projects: ['shop'] }),
  testToken({ name: 'shop-ann', role: 'reviewer', projects: ['shop', 'crm'] }),
  testToken({ name: 'hr-ann', role: 'reviewer', projects: ['hr'] }),
];

/** Sends the caller's name as the token. */
const as = (name: string, json?: object): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  ...(json === undefined ? {} : { json }),
});

suite('rest: roles', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens });
  });
  test.after(() => rest.stop());

  const create = async (name = 'agent', body = {}) =>
    (await rest.call('POST', '/sessions', as(name, body))).body.session_id;

  const requests: readonly (readonly [string, string, string])[] = [
    ['POST', '/sessions', 'agent root'],
    ['GET', '/sessions', 'agent ann root'],
    ['GET', `/sessions/${unknown}`, 'agent ann root'],
    ['GET', `/sessions/${unknown}/diff`, 'agent ann root'],
    ['GET', `/sessions/${unknown}/diff/outline`, 'agent ann root'],
    ['GET', `/sessions/${unknown}/diff/changes?table=x`, 'agent ann root'],
    ['GET', `/sessions/${unknown}/diff/steps`, 'agent ann root'],
    ['GET', `/sessions/${unknown}/mutations`, 'agent ann root'],
    ['GET', `/sessions/${unknown}/conflicts`, 'agent ann root'],
    ['DELETE', `/sessions/${unknown}`, 'agent root'],
    ['GET', `/sessions/${unknown}/connections`, 'agent ann root'],
    ['DELETE', `/sessions/${unknown}/connections`, 'agent root'],
    ['POST', `/sessions/${unknown}/propose`, 'agent root'],
    ['POST', `/sessions/${unknown}/rehearse`, 'agent ann root'],
    ['POST', `/sessions/${unknown}/revert`, 'agent root'],
    ['POST', `/sessions/${unknown}/unstage`, 'agent root'],
    ['POST', `/sessions/${unknown}/split`, 'agent root'],
    ['POST', `/sessions/${unknown}/resolve`, 'agent root'],
    ['POST', `/sessions/${unknown}/reopen`, 'agent ann root'],
    ['POST', `/sessions/${unknown}/review`, 'ann root'],
    ['POST', `/sessions/${unknown}/comments`, 'agent ann root'],
    ['GET', `/sessions/${unknown}/comments`, 'agent ann root'],
    ['GET', `/sessions/${unknown}/card`, 'agent ann root'],
    ['GET', `/sessions/${unknown}/decisions`, 'agent ann root'],
    ['GET', `/sessions/${unknown}/events`, 'agent ann root'],
    ['GET', '/events', 'agent ann root'],
    ['POST', `/sessions/${unknown}/approve`, 'ann root'],
    ['POST', `/sessions/${unknown}/reject`, 'ann root'],
    ['GET', '/audit?project_id=x', 'agent ann root'],
    ['GET', '/audit/aud_1', 'agent ann root'],
    ['GET', '/audit/verify', 'ann root'],
    ['GET', '/audit/head', 'ann root'],
    ['GET', '/metrics', 'root'],
    ['GET', '/tokens', 'root'],
    ['GET', '/policy', 'agent ann root'],
    ['PUT', '/policy', 'root'],
    ['GET', '/policy/history', 'agent ann root'],
    ['GET', `/sessions/${unknown}/policy`, 'agent ann root'],
    ['GET', '/info', 'agent ann root'],
    ['GET', '/whoami', 'agent ann root'],
    ['POST', '/web/links', 'agent ann root'],
    ['GET', '/web/logins', 'root'],
    ['POST', '/web/logins/revoke', 'root'],
    ['GET', '/openapi.json', 'agent ann root'],
  ];
  for (const [method, path, allowed] of requests) {
    test(`${method} ${path} is for ${allowed.split(' ').join(', ')}`, async () => {
      for (const name of ['agent', 'ann', 'root']) {
        const { status, body } = await rest.call(method, path, as(name));
        assert.is(status === 403, !allowed.includes(name), name);
        if (status === 403) assert.is(body.error, 'forbidden');
      }
      assert.is((await rest.call(method, path)).status, 401);
      assert.is((await rest.call(method, path, as('agent2'))).status, 401);
    });
  }

  test('every route is among them', async () => {
    const { body } = await rest.call('GET', '/openapi.json', as('root'));
    const open = ['/health', '/livez', '/readyz', '/web/login', '/web/logout'];
    const described = Object.entries(body.paths).flatMap(([path, methods]) =>
      open.includes(path)
        ? []
        : Object.keys(methods as object).map((method) => `${method} ${path}`),
    );
    const tried = requests.map(([method, path]) => {
      const name = path.replace(/\?.*/, '').replace(unknown, '{id}').replace('aud_1', '{id}');
      return `${method.toLowerCase()} ${name}`;
    });
    assert.equal(tried.sort(), described.sort());
  });

  test('an author deletes its own sessions only', async () => {
    const session = await create('agent');
    assert.is((await rest.call('DELETE', `/sessions/${session}`, as('other'))).status, 403);
    assert.is((await rest.call('GET', `/sessions/${session}`, as('agent'))).body.status, 'active');
    assert.is((await rest.call('DELETE', `/sessions/${session}`, as('agent'))).status, 200);
    const another = await create('agent');
    assert.is((await rest.call('DELETE', `/sessions/${another}`, as('root'))).status, 200);
  });

  test('a token of one project does not see the others', async () => {
    const mine = await create('shop-agent', { project_id: 'shop' });
    const foreign = await create('agent', { project_id: 'hr' });
    const list = (path: string, name: string) => rest.call('GET', path, as(name));
    for (const suffix of ['', '/diff', '/mutations', '/conflicts']) {
      const unseen = await list(`/sessions/${foreign}${suffix}`, 'shop-agent');
      const never = await list(`/sessions/${unknown}${suffix}`, 'shop-agent');
      assert.is(unseen.status, 404);
      assert.is(unseen.body.error, 'session_not_found');
      assert.is(unseen.body.message.replace(foreign, ''), never.body.message.replace(unknown, ''));
      assert.is((await list(`/sessions/${mine}${suffix}`, 'shop-agent')).status, 200);
    }
    for (const [method, event, name] of [
      ['POST', '/propose', 'shop-agent'],
      ['POST', '/approve', 'shop-ann'],
      ['POST', '/reject', 'shop-ann'],
      ['DELETE', '', 'shop-agent'],
    ] as const) {
      assert.is((await rest.call(method, `/sessions/${foreign}${event}`, as(name))).status, 404);
    }
    assert.is((await list(`/sessions/${foreign}`, 'root')).body.status, 'active');

    const { body } = await list('/sessions', 'shop-agent');
    assert.equal(
      body.sessions.map(({ id }: { id: string }) => id),
      [mine],
    );
    assert.is(body.total_count, 1);
    assert.is((await list('/sessions?project_id=hr', 'shop-agent')).status, 403);
    assert.is((await list('/audit?project_id=hr', 'shop-agent')).status, 403);
    assert.is((await list('/audit?project_id=shop', 'shop-agent')).status, 200);
    for (const json of [{}, { project_id: 'hr' }]) {
      assert.is((await rest.call('POST', '/sessions', as('shop-agent', json))).status, 403);
    }
  });

  test('the audit tells the claim and the token apart', async () => {
    const session = await create('shop-agent', { project_id: 'shop' });
    await rest.write(session, `UPDATE products SET stock = 1 WHERE sku = 'MUG-01'`);
    await rest.call('POST', `/sessions/${session}/propose`, as('shop-agent'));
    const claim = { approved_by: 'the managing director' };
    const approved = await rest.call('POST', `/sessions/${session}/approve`, as('ann', claim));
    assert.is(approved.body.approved_by, 'the managing director');
    assert.is(approved.body.approved_as, 'ann');
    assert.is(approved.body.created_as, 'shop-agent');
    assert.is(approved.body.proposed_as, 'shop-agent');
    const { entries } = (await rest.call('GET', '/audit?project_id=shop', as('ann'))).body;
    assert.is(entries[0].approved_by, 'the managing director');
    assert.is(entries[0].approved_as, 'ann');
    const entry = `/audit/${entries[0].id}`;
    assert.is((await rest.call('GET', entry, as('shop-agent'))).status, 200);
    assert.is((await rest.call('GET', entry, as('hr-ann'))).status, 404);
  });

  test('a rejection tells the token', async () => {
    const session = await create();
    await rest.call('POST', `/sessions/${session}/propose`, as('agent'));
    const { body } = await rest.call('POST', `/sessions/${session}/reject`, as('ann', {}));
    assert.is(body.rejected_as, 'ann');
  });
});

/** Database roles that belong to tokens, by name or by configuration, and one that belongs to somebody else. */
const stagers = ['stage_test_dan', 'stage_test_fays', 'stage_test_else'];

suite('rest: four eyes', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({
      tokens: [
        testToken({ name: 'bob' }),
        testToken({ name: 'bob', secret: 'bob-again' }),
        testToken({ name: 'eve' }),
        testToken({ name: 'ann' }),
        testToken({ name: 'Stage_Test_Dan' }),
        testToken({ name: 'fay' }),
        testToken({ name: 'fay', secret: 'fay-again', databaseRoles: ['stage_test_fays'] }),
      ],
      fourEyes: true,
    });
    for (const role of stagers)
      await rest.database.query(
        `CREATE ROLE ${role} LOGIN PASSWORD '${role}'; GRANT SELECT ON products TO ${role}`,
      );
  });
  test.after(async () => {
    for (const role of stagers)
      await rest.database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await rest.stop();
  });

  const proposed = async (author: string, proposer: string, ...roles: readonly string[]) => {
    const { session_id: id } = (await rest.call('POST', '/sessions', as(author, {}))).body;
    for (const role of roles)
      await rest.write(id, 'UPDATE products SET stock = stock + 1 WHERE id = 1', [], role);
    await rest.call('POST', `/sessions/${id}/propose`, as(proposer));
    return id;
  };
  const approve = (id: string, name: string) =>
    rest.call('POST', `/sessions/${id}/approve`, as(name, { approved_by: 'somebody else' }));

  test('neither who created nor who proposed a session approves it', async () => {
    const id = await proposed('bob', 'eve');
    for (const name of ['bob', 'bob-again', 'eve']) {
      const { status, body } = await approve(id, name);
      assert.is(status, 403, name);
      assert.is(body.error, 'four_eyes_required');
      assert.match(body.hint, /neither created nor proposed/);
      assert.match(body.message, new RegExp(`^${name.replace('-again', '')} created or proposed`));
    }
    assert.is((await rest.call('GET', `/sessions/${id}`, as('ann'))).body.status, 'proposed');
    assert.is((await approve(id, 'ann')).status, 200);
  });

  test('a session of nobody is approved by nobody', async () => {
    const id = await proposed('bob', 'bob');
    await rest.database.query('UPDATE stage.session SET created_as = NULL');
    const { body } = await approve(id, 'ann');
    assert.is(body.error, 'four_eyes_required');
    assert.match(body.message, /not known who created/);
    assert.match(body.hint, /Reject the session/);
  });

  test('nor does who staged in it with a database role of the same name', async () => {
    const id = await proposed('bob', 'bob', 'stage_test_else', 'stage_test_dan');
    const { status, body } = await approve(id, 'Stage_Test_Dan');
    assert.equal([status, body.error], [403, 'four_eyes_required']);
    assert.match(
      body.message,
      /^Stage_Test_Dan may not .* the database role "stage_test_dan" staged/,
    );
    assert.is((await rest.call('GET', `/sessions/${id}`, as('ann'))).body.status, 'proposed');
    assert.is((await approve(id, 'ann')).status, 200);
  });

  test('nor with one that any token of the name is configured with', async () => {
    const id = await proposed('bob', 'bob', 'stage_test_fays');
    for (const name of ['fay', 'fay-again']) {
      const { status, body } = await approve(id, name);
      assert.equal([status, body.error], [403, 'four_eyes_required'], name);
      assert.match(body.message, /^fay may not .* the database role "stage_test_fays" staged/);
    }
    assert.is((await approve(id, 'Stage_Test_Dan')).status, 200);
  });

  test('a role that is not known may be anybody', async () => {
    const id = await proposed('bob', 'bob', 'stage_test_else');
    await rest.database.query('UPDATE stage.mutation SET role = NULL WHERE session = $1', [
      id.slice('sess_'.length),
    ]);
    const { body } = await approve(id, 'ann');
    assert.is(body.error, 'four_eyes_required');
    assert.match(body.message, /not known which database roles staged/);
    assert.match(body.hint, /Reject the session, and stage its changes anew/);
  });

  test('the author may reject', async () => {
    const id = await proposed('bob', 'bob');
    assert.is((await rest.call('POST', `/sessions/${id}/reject`, as('bob', {}))).status, 200);
  });
});
