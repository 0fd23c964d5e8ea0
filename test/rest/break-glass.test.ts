/** Approvals past the policy: by those whom a rule names, with a reason, marked until somebody else has reviewed them. */
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { as, documentOf } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';

const tokens = [
  testToken({ name: 'bot', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'Ann', role: 'reviewer', secret: 'upper-ann' }),
  testToken({ name: 'bob', role: 'reviewer' }),
  testToken({ name: 'cat', role: 'operator' }),
];

suite('rest: break-glass', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens });
    await rest.database.query(`CREATE TABLE items (id int PRIMARY KEY, stock int);
      INSERT INTO items SELECT g, 0 FROM generate_series(1, 9) g`);
  });
  test.after(() => rest.stop());

  const put = (...rules: object[]) => {
    const document = documentOf(rules);
    return rest.call('PUT', '/policy', as('cat', { document }, { 'if-match': '*' }));
  };
  const set = async (...rules: object[]) => {
    const { status, body } = await put(...rules);
    assert.is(status, 200, JSON.stringify(body));
  };
  const proposed = async (by = 'bot', statement = 'UPDATE items SET stock = stock + 1') => {
    const { body } = await rest.call('POST', '/sessions', as(by, {}));
    await rest.write(body.session_id, statement);
    await rest.call('POST', `/sessions/${body.session_id}/propose`, as(by, {}));
    return body.session_id as string;
  };
  const approve = (id: string, secret: string, body = {}) =>
    rest.call('POST', `/sessions/${id}/approve`, as(secret, body));
  const review = (id: string, secret: string, body = {}) =>
    rest.call('POST', `/sessions/${id}/review`, as(secret, body));
  const show = async (id: string) => (await rest.call('GET', `/sessions/${id}`, as('bot'))).body;
  const closed = async () => {
    const [clock] = await rest.database.query(
      `SELECT lower(to_char(now() AT TIME ZONE 'UTC' + interval '2 days', 'dy')) AS day`,
    );
    return [{ days: [String(clock?.['day'])], from: '00:00', to: '24:00', zone: 'UTC' }];
  };
  const reason = { break_glass: 'orders cannot be paid' };

  test('a person whom the rule names goes past votes, with a reason, until somebody else reviews it', async () => {
    await set({ approvals: { count: 2 }, break_glass: ['ann'] });
    const id = await proposed();
    const policy = await rest.call('GET', `/sessions/${id}/policy`, as('bot'));
    assert.equal(policy.body.break_glass, ['ann']);
    for (const other of ['bob', 'cat']) {
      const refused = await approve(id, other, reason);
      assert.equal([refused.status, refused.body.error], [403, 'approver_required'], other);
    }
    // an earlier vote of the same person does not count twice
    assert.is((await approve(id, 'ann')).status, 202);
    const done = await approve(id, 'ann', reason);
    assert.equal(
      [done.status, done.body.status, done.body.break_glass, done.body.review_due],
      [200, 'approved', 'orders cannot be paid', true],
    );
    const [sealed] = await rest.database.query(
      `SELECT grounds FROM stage.approval WHERE session = '${id.slice(5)}'`,
    );
    assert.equal(sealed?.['grounds'], { break_glass: reason.break_glass, passed: ['approvals'] });
    assert.is((await rest.call('GET', '/audit/verify', as('ann'))).body.ok, true);
    const { body } = await rest.call('GET', `/sessions/${id}/events`, as('bot'));
    assert.equal(
      body.events.map(({ kind }: { kind: string }) => kind),
      ['created', 'proposed', 'voted', 'break_glass', 'approved'],
    );
    assert.match((await rest.metrics.render()).text, /service_break_glass_total 1\n/);
    for (const own of ['ann', 'upper-ann']) {
      const refused = await review(id, own);
      assert.equal([refused.status, refused.body.error], [403, 'four_eyes_required'], own);
    }
    assert.is((await review(id, 'bot')).status, 403);
    const reviewed = await review(id, 'bob', { message: 'was right' });
    assert.equal(
      [reviewed.status, reviewed.body.review_due, reviewed.body.reviewed_as],
      [200, false, 'bob'],
    );
    assert.is((await review(id, 'bob')).status, 200);
    assert.equal((await review(id, 'cat')).body.error, 'invalid_transition');
    const { decisions } = (await rest.call('GET', `/sessions/${id}/decisions`, as('bot'))).body;
    assert.equal(
      decisions.map(({ verdict }: { verdict: string }) => verdict),
      ['vote', 'approve', 'review'],
    );
  });

  test('lists have those that are due, and no others, by page and with a text, too', async () => {
    await set({ approvals: { count: 2 }, break_glass: ['ann'] });
    const ids = [
      await proposed(),
      await proposed('bot', 'UPDATE items SET stock = 0 WHERE id < 0'),
    ];
    for (const id of ids) assert.is((await approve(id, 'ann', reason)).status, 200);
    const list = async (query: string) => {
      const { body } = await rest.call('GET', `/sessions?limit=100&${query}`, as('bot'));
      assert.is(body.total_count, body.sessions.length);
      return body.sessions.map(({ session_id }: { session_id: string }) => session_id) as string[];
    };
    const every = await list('');
    const due = await list('review_due=true');
    assert.equal(due.filter((id) => ids.includes(id)).sort(), [...ids].sort());
    for (const id of due) assert.is((await show(id)).review_due, true);
    assert.equal([...due, ...(await list('review_due=false'))].sort(), every.sort());
    assert.equal(await list(`review_due=true&search=${ids[0]}`), [ids[0]]);
    assert.is((await review(String(ids[0]), 'bob')).status, 200);
    assert.equal(
      await list('review_due=true'),
      due.filter((id) => id !== ids[0]),
    );
    const wrong = await rest.call('GET', '/sessions?review_due=yes', as('bot'));
    assert.is(wrong.status, 400);
  });

  test('the grounds are under the hash', async () => {
    const change = (grounds: string) =>
      rest.database.query(`ALTER TABLE stage.approval DISABLE TRIGGER append_only;
        UPDATE stage.approval SET grounds = ${grounds} WHERE grounds IS NOT NULL;
        ALTER TABLE stage.approval ENABLE TRIGGER append_only`);
    const verify = async () => (await rest.call('GET', '/audit/verify', as('ann'))).body.ok;
    await change(`grounds || '{"break_glass": "another"}'`);
    assert.is(await verify(), false);
    await change(`grounds || '{"break_glass": "orders cannot be paid"}'`);
    assert.is(await verify(), true);
  });

  test('windows and four eyes: each rule names who goes past it; the author does not review', async () => {
    const windows = await closed();
    await set({ windows }, { four_eyes: true, break_glass: ['cat'] });
    const id = await proposed('cat');
    assert.is((await approve(id, 'cat', reason)).body.error, 'outside_window');
    await set({ windows, break_glass: ['cat'] }, { four_eyes: true });
    assert.is((await approve(id, 'cat', reason)).body.error, 'four_eyes_required');
    await set({ windows, break_glass: ['cat'] }, { four_eyes: true, break_glass: ['cat'] });
    assert.is((await approve(id, 'cat')).body.error, 'outside_window');
    assert.is((await approve(id, 'cat', reason)).status, 200);
    const [sealed] = await rest.database.query(
      `SELECT grounds -> 'passed' AS passed FROM stage.approval WHERE session = '${id.slice(5)}'`,
    );
    assert.equal(sealed?.['passed'], ['windows', 'four_eyes']);
    const other = await proposed('bot');
    assert.is((await approve(other, 'cat', reason)).status, 200);
    assert.is((await review(other, 'ann')).status, 200);
  });

  test('an author of the session does not review it', async () => {
    const windows = await closed();
    await set({ windows, break_glass: ['ann'] });
    const id = await proposed('cat');
    assert.is((await approve(id, 'ann', reason)).status, 200);
    const { body } = await review(id, 'cat');
    assert.is(body.error, 'four_eyes_required');
    // it is approved already
    assert.match(body.message, /does not review its approval$/);
    assert.match(body.hint, /^Have somebody else review it/);
    assert.is((await review(id, 'bob')).status, 200);
  });

  test('nobody goes past what is denied, and an approval that needs nothing of it is an ordinary one', async () => {
    const windows = await closed();
    await set({ tables: ['items'], deny: ['update'], windows, break_glass: ['ann'] });
    const { body } = await rest.call('POST', '/sessions', as('bot', {}));
    await set();
    const id = await proposed();
    await set({ tables: ['items'], deny: ['update'], windows, break_glass: ['ann'] });
    assert.is((await approve(id, 'ann', reason)).body.error, 'policy_refused');
    await set({ approvals: { count: 1 }, break_glass: ['ann'] });
    const plain = await approve(id, 'ann', reason);
    assert.equal(
      [plain.status, plain.body.break_glass, plain.body.review_due],
      [200, undefined, undefined],
    );
    assert.is((await review(id, 'bob')).body.error, 'invalid_transition');
    assert.is((await rest.call('GET', `/sessions/${body.session_id}`, as('bot'))).status, 200);
  });

  test('a rule names persons whose tokens approve, and has something to go past', async () => {
    const faults = async (rule: object) => (await put(rule)).body.faults;
    assert.equal(await faults({ max_rows: 1, break_glass: ['ann'] }), [
      'rules[0].break_glass: the rule has no approvals, four_eyes or windows to go past',
    ]);
    assert.equal(await faults({ four_eyes: true, break_glass: ['anne', 'bot', 'role:operator'] }), [
      'rules[0].break_glass[0]: no token has the name "anne"; did you mean "ann"?',
      'rules[0].break_glass[1]: no token of "bot" may approve',
      'rules[0].break_glass[2]: no token has the name "role:operator"',
    ]);
    await set();
    const id = await proposed();
    assert.is((await approve(id, 'ann', reason)).status, 403);
    assert.is((await show(id)).status, 'proposed');
  });
});
