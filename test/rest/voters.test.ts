/** The votes that count: of a person in upper or lower case, with an accepted token that may approve in the session's project. */
import pg from 'pg';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { as, documentOf } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';

const others = [
  testToken({ name: 'bot', role: 'author' }),
  testToken({ name: 'Ann', role: 'author', secret: 'author-ann' }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'cat', role: 'operator' }),
  testToken({ name: 'dan', role: 'reviewer' }),
  testToken({ name: 'dan', role: 'operator', secret: 'shop-dan', projects: ['shop'] }),
];
const bob = testToken({ name: 'bob', role: 'reviewer' });

suite('rest: voters', (test) => {
  let rest: TestRest;
  const tokens = [...others, bob];
  test.before(async () => {
    rest = await startTestRest({ tokens });
    await rest.database.query('CREATE TABLE items (id int PRIMARY KEY)');
  });
  test.after(() => rest.stop());

  const set = async (...rules: object[]) => {
    const document = documentOf(rules);
    const sent = as('cat', { document }, { 'if-match': '*' });
    const { status, body } = await rest.call('PUT', '/policy', sent);
    assert.is(status, 200, JSON.stringify(body));
  };
  let next = 0;
  const proposed = async (by = 'bot') => {
    const { body } = await rest.call('POST', '/sessions', as(by, {}));
    next += 1;
    await rest.write(body.session_id, `INSERT INTO items VALUES (${next})`);
    await rest.call('POST', `/sessions/${body.session_id}/propose`, as(by, {}));
    return body.session_id as string;
  };
  const approve = (id: string, secret: string) =>
    rest.call('POST', `/sessions/${id}/approve`, as(secret, {}));
  const votes = async (id: string) =>
    (await rest.call('GET', `/sessions/${id}`, as('bot'))).body.approvals;
  const age = (id: string, minutes: number) =>
    rest.database.query(`ALTER TABLE stage.decision DISABLE TRIGGER append_only;
      UPDATE stage.decision SET at = at - interval '${minutes} minutes' WHERE session = '${id.slice(5)}';
      ALTER TABLE stage.decision ENABLE TRIGGER append_only`);

  test('an author does not approve with a token that spells the name otherwise', async () => {
    await set({ four_eyes: true });
    const own = await approve(await proposed('author-ann'), 'ann');
    assert.equal([own.status, own.body.error], [403, 'four_eyes_required']);
    await set({ four_eyes: true, approvals: { count: 1, from: ['ANN'] } });
    assert.is((await approve(await proposed(), 'ann')).status, 200);
  });

  test('a vote counts while a token of the voter may approve in the project', async () => {
    await set({ approvals: { count: 2 } });
    const id = await proposed();
    assert.is((await approve(id, 'bob')).body.approvals.count, 1);
    const changed = [
      { now: [], why: 'no token has this name now' },
      { now: [{ ...bob, expiresAt: '2001-01-01T00:00:00Z' }], why: 'the token has expired' },
      { now: [{ ...bob, projects: ['shop'] }], why: 'the token is not valid for the project' },
      { now: [{ ...bob, role: 'agent' as const }], why: 'the token may not approve' },
    ];
    for (const { now, why } of changed) {
      tokens.splice(others.length, 1, ...now);
      const { count, given } = await votes(id);
      assert.equal([count, given[0].counts, given[0].why], [0, false, why]);
    }
    assert.is((await approve(id, 'cat')).status, 202);
    tokens.splice(others.length, 1, bob);
    assert.is((await votes(id)).count, 2);
    assert.is((await approve(id, 'ann')).status, 200);
  });

  test('a role in another project agrees to nothing', async () => {
    await set({ approvals: { count: 1, from: ['role:operator'] } });
    const id = await proposed();
    assert.equal((await approve(id, 'dan')).body.error, 'approver_required');
    assert.is((await approve(id, 'cat')).status, 200);
  });

  test('a vote is renewed when half of its longest time is over', async () => {
    await set({ approvals: { count: 2, max_age: '1h' } });
    const id = await proposed();
    await approve(id, 'ann');
    await age(id, 20);
    assert.is((await approve(id, 'ann')).body.approvals.given.length, 1);
    await age(id, 25);
    const { count, given } = (await approve(id, 'ann')).body.approvals;
    assert.equal(
      [count, given.map(({ counts, why }: { counts: boolean; why: string }) => [counts, why])],
      [
        1,
        [
          [false, 'was given again later'],
          [true, null],
        ],
      ],
    );
    await age(id, 50);
    assert.equal(
      (await votes(id)).given.map(({ counts }: { counts: boolean }) => counts),
      [false, true],
    );
    assert.is((await approve(id, 'bob')).status, 200);
  });

  test('an approval by a daemon that knows no policy fails', async () => {
    const call = `SELECT stage.approve_session('${(await proposed()).slice(5)}', 'x', 'x', 'x', false)`;
    const code = await rest.database.query(call).then(
      () => null,
      (error: { code?: string }) => error.code,
    );
    assert.is(code, '57000');
  });

  test('the votes of a session are read without its rows', async () => {
    await set({ approvals: { count: 2 } }, { tables: ['items'], max_rows: 5 });
    const id = await proposed();
    await approve(id, 'ann');
    const [found] = await rest.database.query(
      `SELECT 'stage_data.shadow_' || 'items'::regclass::oid AS shadow`,
    );
    const other = new pg.Client({ connectionString: rest.database.url });
    await other.connect();
    await other.query(`BEGIN; LOCK TABLE ${String(found?.['shadow'])}`);
    const reading = votes(id);
    const waiting = new Promise((resolve) => setTimeout(resolve, 3_000, null));
    const read = await Promise.race([reading, waiting]);
    await other.query('ROLLBACK');
    await other.end();
    assert.is((await reading).count, 1);
    assert.ok(read !== null);
  });
});
