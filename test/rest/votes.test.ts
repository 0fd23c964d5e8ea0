/** Approvals that the policy demands of several: the last one applies, and a vote counts in its round, for its diff, once a person. */
import pg from 'pg';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { as, documentOf } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const tokens = [
  testToken({ name: 'bot', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'ann', role: 'reviewer', secret: 'ann-phone' }),
  testToken({ name: 'Ann', role: 'reviewer', secret: 'upper-ann' }),
  testToken({ name: 'bob', role: 'reviewer' }),
  testToken({ name: 'cat', role: 'operator' }),
];

suite('rest: votes', (test) => {
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens, approveLockTimeoutMs: 30_000 });
    await rest.database.query(`
      CREATE TABLE items (id int PRIMARY KEY, stock int); INSERT INTO items SELECT g, 0 FROM generate_series(1, 9) g;
      CREATE TABLE notes (id int PRIMARY KEY)`);
  });
  test.after(() => rest.stop());

  const set = async (...rules: object[]) => {
    const document = documentOf(rules);
    const sent = as('cat', { document }, { 'if-match': '*' });
    const { status, body } = await rest.call('PUT', '/policy', sent);
    assert.is(status, 200, JSON.stringify(body));
  };
  const proposed = async (
    by = 'bot',
    statement = 'UPDATE items SET stock = stock + 1 WHERE id = 1',
  ) => {
    const { body } = await rest.call('POST', '/sessions', as(by, {}));
    await rest.write(body.session_id, statement);
    await rest.call('POST', `/sessions/${body.session_id}/propose`, as(by, {}));
    return body.session_id as string;
  };
  const approve = (id: string, secret: string, body = {}) =>
    rest.call('POST', `/sessions/${id}/approve`, as(secret, body));
  const show = async (id: string) => (await rest.call('GET', `/sessions/${id}`, as('bot'))).body;
  const digestOf = async (id: string) =>
    (await rest.call('GET', `/sessions/${id}/diff`, as('ann'))).body.digest as string;
  const stock = async () =>
    (await rest.database.query('SELECT stock FROM items WHERE id = 1'))[0]?.['stock'] as number;
  const sealed = async (id: string) =>
    (
      await rest.database.query(
        `SELECT approved_as, voters FROM stage.approval WHERE session = '${id.slice(5)}'`,
      )
    )[0];

  test('the last one applies, and the audit seals all names', async () => {
    await set({ approvals: { count: 2 } });
    const before = await stock();
    const id = await proposed();
    assert.equal((await show(id)).approvals, {
      needed: 2,
      count: 0,
      given: [],
      missing: [{ rule: 'r0', more: 2, from: null }],
    });
    const first = await approve(id, 'ann', { digest: await digestOf(id), approved_by: 'Ann Lee' });
    assert.equal([first.status, first.body.status], [202, 'proposed']);
    const { approvals } = first.body;
    assert.equal(
      [approvals.needed, approvals.count, approvals.missing],
      [2, 1, [{ rule: 'r0', more: 1, from: null }]],
    );
    assert.equal(
      approvals.given.map(({ at: _, ...vote }: { at: string }) => vote),
      [{ as: 'ann', counts: true, why: null }],
    );
    assert.equal((await show(id)).approvals, approvals);
    assert.is(await stock(), before);
    const last = await approve(id, 'bob');
    assert.equal([last.status, last.body.status, last.body.approved_as], [200, 'approved', 'bob']);
    assert.is(await stock(), before + 1);
    assert.equal(await sealed(id), { approved_as: 'bob', voters: ['ann', 'bob'] });
    const { body } = await rest.call('GET', `/sessions/${id}/decisions`, as('bot'));
    assert.equal(
      body.decisions.map((one: { verdict: string; by: string; claimed_by: string }) => [
        one.verdict,
        one.by,
        one.claimed_by,
      ]),
      [
        ['vote', 'ann', 'Ann Lee'],
        ['approve', 'bob', 'bob'],
      ],
    );
    const events = (await rest.call('GET', `/sessions/${id}/events`, as('bot'))).body.events;
    assert.equal(
      events.map(({ kind }: { kind: string }) => kind),
      ['created', 'proposed', 'voted', 'approved'],
    );
    assert.is((await rest.call('GET', '/audit/verify', as('ann'))).body.ok, true);
    // the voters are under the hash
    await rest.database.query(`ALTER TABLE stage.approval DISABLE TRIGGER append_only;
      UPDATE stage.approval SET voters = '["cat", "bob"]' WHERE voters IS NOT NULL`);
    assert.is((await rest.call('GET', '/audit/verify', as('ann'))).body.ok, false);
    await rest.database.query(`UPDATE stage.approval SET voters = '["ann", "bob"]' WHERE voters IS NOT NULL;
      ALTER TABLE stage.approval ENABLE TRIGGER append_only`);
    assert.is((await rest.call('GET', '/audit/verify', as('ann'))).body.ok, true);
  });

  test('a vote splits nothing', async () => {
    await set({ approvals: { count: 2 } });
    const id = await proposed('bot', 'UPDATE items SET stock = 7 WHERE id > 7');
    const part = await approve(id, 'ann', { only: [{ table: 'items', row_id: 8 }] });
    assert.equal([part.status, part.body.error], [409, 'policy_refused']);
    assert.is((await show(id)).approvals.count, 0);
  });

  test('one person never votes twice, through no door', async () => {
    await set({ approvals: { count: 2 } });
    const id = await proposed();
    for (const secret of ['ann', 'ann', 'ann-phone', 'upper-ann']) {
      const { status, body } = await approve(id, secret);
      assert.equal([status, body.approvals.count], [202, 1], secret);
    }
    const { body } = await rest.call('GET', `/sessions/${id}/decisions`, as('bot'));
    assert.is(body.decisions.length, 1);
    // nor by votes of both at once
    const other = await proposed();
    const both = await Promise.all(
      ['ann', 'ann-phone', 'upper-ann'].map((secret) => approve(other, secret)),
    );
    assert.ok(both.every(({ status }) => status === 202 || status === 409));
    assert.is((await show(other)).status, 'proposed');
  });

  test('a vote counts in its round and for its diff only', async () => {
    await set({ approvals: { count: 2 } });
    const id = await proposed();
    const forged = await approve(id, 'ann', { digest: `sha256:${'0'.repeat(64)}` });
    assert.equal([forged.status, forged.body.error], [412, 'digest_mismatch']);
    assert.is((await show(id)).approvals.count, 0);
    const old = await digestOf(id);
    assert.is((await approve(id, 'ann', { digest: old })).status, 202);
    await rest.call('POST', `/sessions/${id}/reopen`, as('bob', { message: 'again' }));
    await rest.call('POST', `/sessions/${id}/propose`, as('bot', {}));
    const { approvals } = await show(id);
    assert.equal(
      [approvals.count, approvals.given[0].counts, approvals.given[0].why],
      [0, false, 'was given in round 1'],
    );
    assert.is((await approve(id, 'bob', { digest: old })).status, 412);
    assert.is((await approve(id, 'bob')).status, 202);
    assert.is((await approve(id, 'ann')).status, 200);
  });

  test('a vote for another diff of the round does not count', async () => {
    await set({ approvals: { count: 2 } });
    const id = await proposed();
    await approve(id, 'ann');
    await rest.database.query(`ALTER TABLE stage.decision DISABLE TRIGGER append_only;
      UPDATE stage.decision SET digest = 'sha256:${'1'.repeat(64)}' WHERE session = '${id.slice(5)}';
      ALTER TABLE stage.decision ENABLE TRIGGER append_only`);
    const { status, body } = await approve(id, 'bob');
    assert.equal([status, body.approvals.count], [202, 1]);
    assert.is(body.approvals.given[0].why, 'was given for another diff');
  });

  test('those who are named agree, and nobody else', async () => {
    await set({ approvals: { count: 2, from: ['ann', 'role:operator'] } });
    const id = await proposed();
    const other = await approve(id, 'bob');
    assert.equal([other.status, other.body.error], [403, 'approver_required']);
    assert.match(other.body.hint, /ann, role:operator/);
    assert.equal((await approve(id, 'ann')).body.approvals.missing, [
      { rule: 'r0', more: 1, from: ['role:operator'] },
    ]);
    assert.is((await approve(id, 'cat')).status, 200);
    await set({ approvals: { count: 1, from: ['cat'] } });
    const single = await proposed();
    assert.is((await approve(single, 'ann')).status, 403);
    assert.is((await approve(single, 'cat')).status, 200);
    // one was enough: the first version of the approval's text
    assert.is((await sealed(single))?.['voters'], null);
  });

  test('each rule that holds is met', async () => {
    await set(
      { approvals: { count: 1, from: ['cat'] } },
      { tables: ['items'], approvals: { count: 2 } },
    );
    const id = await proposed();
    assert.is((await approve(id, 'ann')).status, 202);
    const second = await approve(id, 'bob');
    assert.equal(
      [second.status, second.body.approvals.missing],
      [202, [{ rule: 'r0', more: 1, from: ['cat'] }]],
    );
    assert.is((await approve(id, 'cat')).status, 200);
    assert.equal((await sealed(id))?.['voters'], ['ann', 'bob', 'cat']);
    const elsewhere = await proposed('bot', 'INSERT INTO notes VALUES (1)');
    assert.is((await approve(elsewhere, 'cat')).status, 200);
  });

  test('the vote of an author does not count under four eyes', async () => {
    await set({ approvals: { count: 2 } });
    const id = await proposed('cat');
    assert.is((await approve(id, 'cat')).status, 202);
    await set({ approvals: { count: 2 }, four_eyes: true });
    const { approvals } = await show(id);
    assert.equal([approvals.count, approvals.given[0].counts], [0, false]);
    assert.match(approvals.given[0].why, /cat created or proposed/);
    const own = await approve(id, 'cat');
    assert.equal([own.status, own.body.error], [403, 'four_eyes_required']);
    assert.is((await approve(id, 'ann')).status, 202);
    assert.is((await approve(id, 'bob')).status, 200);
  });

  test('an old vote does not count, and is given again', async () => {
    await set({ approvals: { count: 2, max_age: '1h' } });
    const id = await proposed();
    await approve(id, 'ann');
    await rest.database.query(`ALTER TABLE stage.decision DISABLE TRIGGER append_only;
      UPDATE stage.decision SET at = at - interval '61 minutes' WHERE session = '${id.slice(5)}';
      ALTER TABLE stage.decision ENABLE TRIGGER append_only`);
    assert.is((await approve(id, 'bob')).body.approvals.count, 1);
    assert.is((await approve(id, 'ann')).status, 200);
  });

  test('the policy that counts is that of the last approval', async () => {
    await set({ approvals: { count: 2 } });
    const id = await proposed();
    await approve(id, 'ann');
    await set({ approvals: { count: 3 } });
    const second = await approve(id, 'bob');
    assert.equal([second.status, second.body.approvals.needed], [202, 3]);
    await set({ tables: ['items'], deny: ['update'], approvals: { count: 2 } });
    assert.is((await approve(id, 'cat')).body.error, 'policy_refused');
    await set();
    assert.is((await approve(id, 'cat')).status, 200);
  });

  test('no policy is set while an approval is under way', async () => {
    await set();
    const id = await proposed();
    const writer = new pg.Client({ connectionString: rest.database.url });
    await writer.connect();
    await writer.query('BEGIN; SELECT FROM stage.audit_head FOR UPDATE');
    const waitsFor = async (words: string) =>
      (
        await rest.database.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
          [`%${words}%`],
        )
      ).length > 0;
    const approving = approve(id, 'ann');
    await until(() => waitsFor('audit_head'));
    const document = { rules: [{ name: 'r', deny: ['update'] }] };
    let isSet = false;
    const setting = rest
      .call('PUT', '/policy', as('cat', { document }, { 'if-match': '*' }))
      .finally(() => {
        isSet = true;
      });
    await until(async () => isSet || (await waitsFor('set_policy')));
    const wasSet = isSet;
    await writer.query('COMMIT');
    assert.equal([(await approving).status, (await setting).status], [200, 200]);
    await writer.end();
    assert.is(wasSet, false);
  });

  test('of two who give the last vote at once one applies it, once', async () => {
    await set({ approvals: { count: 2 } });
    for (let round = 0; round < 5; round += 1) {
      const before = await stock();
      const id = await proposed();
      assert.is((await approve(id, 'ann')).status, 202);
      const digest = await digestOf(id);
      const both = await Promise.all(
        ['bob', 'cat'].map((secret) => approve(id, secret, { digest })),
      );
      assert.ok(both.some(({ status }) => status === 200));
      assert.ok(both.every(({ status }) => status === 200 || status === 409));
      assert.is(await stock(), before + 1);
      assert.is(
        (await rest.database.query(`SELECT FROM stage.approval WHERE session = '${id.slice(5)}'`))
          .length,
        1,
      );
    }
  });
});
