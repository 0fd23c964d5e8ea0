/** A reviewer requests changes, or an author withdraws a proposal: rounds, messages, and the effect of an approval of another round. */
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'bot', role: 'agent' }),
  testToken({ name: 'dev', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'root', role: 'operator' }),
];

const as = (name: string, json: object = {}): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  json,
});

suite('rest: reopen', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens });
  });
  test.after(() => rest.stop());

  const create = async (name = 'bot') =>
    String((await rest.call('POST', '/sessions', as(name))).body.id);
  const post = (id: string, event: string, name: string, json?: object) =>
    rest.call('POST', `/sessions/${id}/${event}`, as(name, json));
  const get = async (path: string, name = 'ann') =>
    (await rest.call('GET', path, { headers: { authorization: `Bearer ${name}` } })).body;
  const reopen = (id: string, name = 'ann', message = 'only mugs') =>
    post(id, 'reopen', name, { message });
  const stage = (id: string, stock: number) =>
    rest.write(id, `UPDATE products SET stock = ${stock} WHERE id = 1`);
  const kinds = async (id: string) =>
    (await get(`/sessions/${id}/events`)).events.map(
      ({ kind, by }: { kind: string; by: string }) => `${kind} by ${by}`,
    );

  test('a session goes round until its diff is the one that is wanted', async () => {
    const id = await create();
    assert.is((await get(`/sessions/${id}`)).round, 0);
    await stage(id, 1);
    const proposed = await post(id, 'propose', 'bot', { message: 'please' });
    assert.is(proposed.body.round, 1);
    const first = (await get(`/sessions/${id}/diff`)).digest;
    const reopened = await reopen(id);
    assert.is(reopened.status, 200);
    assert.equal(
      [reopened.body.status, reopened.body.round, reopened.body.proposed_at],
      ['active', 1, undefined],
    );
    await stage(id, 2);
    assert.is((await post(id, 'propose', 'bot')).body.round, 2);
    const refused = await post(id, 'approve', 'ann', { digest: first });
    assert.equal([refused.status, refused.body.error], [412, 'digest_mismatch']);
    const second = (await get(`/sessions/${id}/diff`)).digest;
    assert.is(refused.body.digest, second);
    const approved = await post(id, 'approve', 'ann', { digest: second });
    assert.equal([approved.status, approved.body.round], [200, 2]);
    assert.is((await get(`/sessions/${id}/diff`)).digest, second);
    assert.is((await get('/audit/verify')).ok, true);
    assert.equal(await kinds(id), [
      'created by bot',
      'proposed by bot',
      'changes_requested by ann',
      'proposed by bot',
      'approved by ann',
    ]);
    const { events } = await get(`/sessions/${id}/events`);
    assert.equal(events[1].body, { message: 'please', round: 1, mutation_count: 1 });
    assert.equal(events[2].body, { message: 'only mugs', round: 1 });
    assert.is(events[4].body.digest, second);
  });

  test('each answer tells the number of the last event', async () => {
    const created = (await rest.call('POST', '/sessions', as('bot'))).body;
    const { id } = created;
    const reported = [created.last_event];
    const actions = [
      ['comments', { body: 'soon' }],
      ['propose', {}],
      ['reopen', { message: 'more' }],
      ['propose', {}],
      ['reject', {}],
    ] as const;
    for (const [action, json] of actions) {
      const { body } = await post(id, action, action === 'reject' ? 'ann' : 'bot', json);
      reported.push(body.last_event ?? (await get(`/sessions/${id}`)).last_event);
    }
    const { events } = await get(`/sessions/${id}/events`);
    assert.equal(
      reported,
      events.map(({ number }: { number: string }) => number),
    );
    const { sessions } = await get('/sessions?limit=1');
    assert.equal([sessions[0].id, sessions[0].last_event], [id, reported.at(-1)]);
  });

  test('the digest of an earlier round is refused, though nothing was changed since', async () => {
    const id = await create();
    await stage(id, 3);
    await post(id, 'propose', 'bot');
    const { digest } = await get(`/sessions/${id}/diff`);
    await reopen(id);
    const between = (await get(`/sessions/${id}/diff`)).digest;
    await post(id, 'propose', 'bot');
    assert.is((await get(`/sessions/${id}/diff`)).digest, between);
    assert.is((await post(id, 'approve', 'ann', { digest })).status, 412);
    assert.is((await post(id, 'approve', 'ann', { digest: between })).status, 200);
  });

  test('a session that was never reopened has the digest of its steps alone', async () => {
    const id = await create();
    await stage(id, 4);
    const { digest } = await get(`/sessions/${id}/diff`);
    const [row] = await rest.database.query<{ digest: string }>(
      'SELECT stage.steps_digest($1) AS digest',
      [id.slice(5)],
    );
    assert.is(row?.digest, digest);
    await post(id, 'propose', 'bot');
    assert.is((await get(`/sessions/${id}/diff`)).digest, digest);
  });

  test('is for reviewers and for the author of the session', async () => {
    const id = await create('bot');
    await post(id, 'propose', 'bot');
    const other = await reopen(id, 'dev');
    assert.equal([other.status, other.body.error], [403, 'forbidden']);
    assert.is((await reopen(id, 'bot', 'forgot something')).status, 200);
    assert.is((await kinds(id)).at(-1), 'withdrawn by bot');
    await post(id, 'propose', 'bot');
    await reopen(id, 'root');
    assert.is((await kinds(id)).at(-1), 'changes_requested by root');
    const foreign = await create('dev');
    await post(foreign, 'propose', 'dev');
    assert.is((await reopen(foreign, 'bot')).status, 404);
  });

  test('takes a proposed session and a message', async () => {
    const id = await create();
    for (const json of [
      {},
      { message: '' },
      { message: ' \n' },
      { message: 'x'.repeat(2001) },
      { message: 1 },
      { message: 'a\u0007' },
    ])
      assert.is((await post(id, 'reopen', 'ann', json)).status, 400, JSON.stringify(json));
    const states = {
      active: [],
      approved: ['propose', 'approve'],
      rejected: ['propose', 'reject'],
    };
    for (const [state, events] of Object.entries(states)) {
      const session = await create('root');
      for (const event of events) await post(session, event, 'root');
      const { status, body } = await reopen(session);
      assert.equal([status, body.error, body.status], [409, 'invalid_transition', state]);
    }
  });

  test('rows that were smuggled in do not become rows like others', async () => {
    const id = await create();
    await stage(id, 5);
    await post(id, 'propose', 'bot');
    const uuid = id.slice(5);
    await rest.database.query(`UPDATE stage.session SET sealed = 0 WHERE id = '${uuid}'`);
    const { status, body } = await reopen(id);
    assert.equal([status, body.error], [409, 'staged_after_proposal']);
    assert.is((await get(`/sessions/${id}`)).status, 'proposed');
  });

  test(
    'against an approval at the same time one wins, and the other changes nothing',
    async () => {
      for (let race = 0; race < 25; race += 1) {
        const id = await create();
        await rest.write(id, `UPDATE products SET stock = stock + 1 WHERE id = 2`);
        await post(id, 'propose', 'bot');
        const [approved, reopened] = await Promise.all([post(id, 'approve', 'ann'), reopen(id)]);
        assert.equal([approved.status, reopened.status].sort(), [200, 409]);
        const { status } = await get(`/sessions/${id}`);
        assert.is(status, approved.status === 200 ? 'approved' : 'active');
        const decided = (await kinds(id)).at(-1);
        assert.is(decided, status === 'approved' ? 'approved by ann' : 'changes_requested by ann');
      }
    },
    { timeout: 120_000 },
  );
});

suite('rest: four eyes over rounds', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({
      tokens: ['one', 'two', 'three'].map((name) => testToken({ name })),
      fourEyes: true,
    });
  });
  test.after(() => rest.stop());

  test('whoever proposed in an earlier round does not approve a later one', async () => {
    const { id } = (await rest.call('POST', '/sessions', as('one'))).body;
    const post = async (event: string, name: string, json = {}) =>
      (await rest.call('POST', `/sessions/${id}/${event}`, as(name, json))).status;
    assert.is(await post('propose', 'two'), 200);
    assert.is(await post('reopen', 'three', { message: 'again' }), 200);
    assert.is(await post('propose', 'one'), 200);
    assert.is(await post('approve', 'two'), 403);
    assert.is(await post('approve', 'one'), 403);
    assert.is(await post('approve', 'three'), 200);
  });
});
