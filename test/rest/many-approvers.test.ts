/** Many who approve one session at once, and one person who does so by a token and by a browser: who is counted, and what is applied. */
import type { Answer, Sent } from '../helpers/http.ts';
import { testToken } from '../helpers/rest.ts';
import type { Ruled } from '../helpers/ruled.ts';
import { as, ruledTokens, startRuled } from '../helpers/ruled.ts';
import { assert, suite } from '../helpers/suite.ts';

const crowd = Array.from({ length: 100 }, (_, index) => `person-${index}`);
const tokens = [...ruledTokens, ...crowd.map((name) => testToken({ name, role: 'reviewer' }))];

/** What an approval may get that was neither the last one nor recorded: it is applied by now, or in use for too long. */
const late = new Set(['invalid_transition', 'session_busy', 'busy', 'too_many_connections']);

suite('rest: many approvers', (test) => {
  let ruled: Ruled;
  test.before(async () => {
    ruled = await startRuled({
      tokens,
      web: { secure: false },
      approveLockTimeoutMs: 60_000,
    });
    await ruled.rest.database.query(`CREATE TABLE items (id int PRIMARY KEY, stock int);
      INSERT INTO items VALUES (1, 0)`);
  });
  test.after(() => ruled.rest.stop());

  const small = () => ruled.proposed('UPDATE items SET stock = stock + 1 WHERE id = 1');
  const stock = async () =>
    (await ruled.rest.database.query<{ stock: number }>('SELECT stock FROM items'))[0]?.stock ?? 0;
  const approvals = (id: string) =>
    ruled.rest.database.query<{ approved_as: string; voters: string[] }>(
      `SELECT approved_as, voters FROM stage.approval WHERE session = '${id.slice(5)}'`,
    );
  const decisions = async (id: string) =>
    (await ruled.rest.call('GET', `/sessions/${id}/decisions`, as('bot'))).body.decisions as {
      verdict: string;
      by: string;
    }[];
  const kindOf = ({ status, body }: Answer) => (status < 300 ? String(status) : body.error);

  for (const count of [2, 20])
    test(`of a hundred at once ${count} are counted, and the last of them applies, once`, async () => {
      await ruled.set({ approvals: { count } });
      const before = await stock();
      const id = await small();
      let waiting = crowd;
      const answers: Answer[] = [];
      // those who were kept waiting for too long try again
      for (let turn = 0; turn < 20 && waiting.length > 0; turn += 1) {
        const given = await Promise.all(waiting.map((name) => ruled.approve(id, name)));
        answers.push(...given);
        waiting = waiting.filter((_, index) => given[index]?.body.error?.endsWith('busy'));
        if ((await ruled.show(id)).status === 'approved') break;
      }
      const unlike = answers
        .map(kindOf)
        .filter((kind) => !/^20[02]$/.test(kind) && !late.has(kind));
      assert.equal(unlike, []);
      assert.is(await stock(), before + 1);
      const [sealed, ...others] = await approvals(id);
      assert.equal(others, []);
      const made = await decisions(id);
      const votes = made.filter(({ verdict }) => verdict === 'vote').map(({ by }) => by);
      assert.equal(
        made.map(({ verdict }) => verdict),
        [...Array<string>(count - 1).fill('vote'), 'approve'],
      );
      // each vote was answered as one, and the audit names the voters and the one who applied it
      assert.is(answers.filter(({ status }) => status === 202).length, votes.length);
      assert.equal(sealed?.voters, [...votes, sealed?.approved_as]);
      assert.is(new Set(sealed?.voters).size, count);
      for (const { status, body } of answers)
        if (status === 200) assert.is(body.approved_as, sealed?.approved_as);
      assert.equal(
        (await ruled.events(id)).filter((kind) => kind !== 'voted'),
        ['created', 'proposed', 'approved'],
      );
      assert.is((await ruled.rest.call('GET', '/audit/verify', as('ann'))).body.ok, true);
    });

  /** What a browser sends in which a person has logged in. */
  const browserOf = async (name: string, json: object = {}): Promise<Sent> => {
    const { body } = await ruled.rest.call('POST', '/web/links', as(name, {}));
    const code = String(body.path).split('#code=')[1];
    const login = await ruled.rest.call('POST', '/web/login', { json: { code } });
    assert.is(login.status, 200);
    const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
    return { headers: { cookie, 'stage-key': login.body.key, origin: ruled.rest.url }, json };
  };

  test('one person counts once, by a token and by browsers, one after the other and at once', async () => {
    await ruled.set({ approvals: { count: 2 } });
    const before = await stock();
    const ways = [as('ann', {}), await browserOf('ann'), await browserOf('ann')];
    const id = await small();
    for (const way of [...ways, ...ways]) {
      const { status, body } = await ruled.rest.call('POST', `/sessions/${id}/approve`, way);
      assert.equal([status, body.approvals?.count], [202, 1], JSON.stringify(body));
    }
    const other = await small();
    const all = await Promise.all(
      [...ways, ...ways].map((way) => ruled.rest.call('POST', `/sessions/${other}/approve`, way)),
    );
    for (const answer of all)
      assert.ok(answer.status === 202 || late.has(answer.body.error), answer.text);
    for (const each of [id, other]) {
      assert.equal(
        (await decisions(each)).map(({ verdict, by }) => [verdict, by]),
        [['vote', 'ann']],
      );
      assert.is((await ruled.show(each)).approvals.count, 1);
    }
    assert.is(await stock(), before);
    // the second person ends it by a browser
    const last = await ruled.rest.call('POST', `/sessions/${id}/approve`, await browserOf('bob'));
    assert.equal([last.status, last.body.status], [200, 'approved']);
    assert.equal((await approvals(id))[0]?.voters, ['ann', 'bob']);
  });

  test('nobody approves by a browser what they have proposed by a token', async () => {
    await ruled.set({ four_eyes: true, approvals: { count: 1 } });
    const { body } = await ruled.rest.call('POST', '/sessions', as('cat', {}));
    const id = String(body.session_id);
    await ruled.rest.write(id, 'UPDATE items SET stock = stock + 1 WHERE id = 1');
    await ruled.rest.call('POST', `/sessions/${id}/propose`, as('cat', {}));
    for (const way of [as('cat', {}), await browserOf('cat')]) {
      const answer = await ruled.rest.call('POST', `/sessions/${id}/approve`, way);
      assert.equal([answer.status, answer.body.error], [403, 'four_eyes_required']);
    }
    assert.is((await ruled.approve(id, 'ann')).status, 200);
  });
});
