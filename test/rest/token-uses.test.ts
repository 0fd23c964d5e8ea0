/** When tokens were last used: saved once a minute, shared by all daemons, shown to operators. */
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const as = (name: string, json?: object): Sent => ({
  headers: { authorization: `Bearer ${name}` },
  ...(json === undefined ? {} : { json }),
});

suite('rest: uses of tokens', (test) => {
  const people = ['op', 'ann', 'bob', 'cy'];
  const tokens = people.map((name) =>
    testToken({ name, role: name === 'op' ? 'operator' : 'author' }),
  );
  const rules = { tokens, web: { secure: false } };
  let rest: TestRest;
  test.before(async () => {
    rest = await startTestRest(rules);
  });
  test.after(() => rest.stop());

  const lastUse = async (name: string): Promise<string | null> => {
    const { body } = await rest.call('GET', '/tokens', as('op'));
    return body.tokens.find((token: { name: string }) => token.name === name).last_used_at;
  };
  const isSaved = (name: string) => until(() => lastUse(name));
  const stored = () => rest.database.query('SELECT * FROM stage.token_use ORDER BY token');

  test('are saved when a token is accepted, whatever is answered then', async () => {
    assert.is((await rest.call('POST', '/sessions', as('cyx', {}))).status, 401);
    assert.is((await rest.call('GET', '/metrics', as('ann'))).status, 403);
    assert.match(await isSaved('ann'), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.equal([await lastUse('bob'), await lastUse('cy')], [null, null]);
  });

  test('are saved once a minute at most', async () => {
    const before = await stored();
    assert.is((await rest.call('GET', '/whoami', as('ann'))).status, 200);
    assert.is((await rest.call('GET', '/whoami', as('bob'))).status, 200);
    await isSaved('bob');
    const mine = JSON.stringify(before.map(({ used_at: at }) => at));
    const after = (await stored()).filter(({ used_at: at }) => mine.includes(JSON.stringify(at)));
    assert.equal(after, before);
  });

  test('by another daemon and by a browser count, too', async () => {
    const other = await startTestRest({ ...rules, database: rest.database });
    try {
      const { path } = (await other.call('POST', '/web/links', as('cy', {}))).body;
      const code = path.split('#code=')[1];
      const { headers, body } = await other.call('POST', '/web/login', { json: { code } });
      await isSaved('cy');
      await rest.database.query('DELETE FROM stage.token_use');
      const cookie = String(headers['set-cookie']).split(';')[0] ?? '';
      const login = { cookie, 'stage-key': body.key };
      assert.is((await rest.call('GET', '/whoami', { headers: login })).status, 200);
      await isSaved('cy');
    } finally {
      await other.stop();
    }
  });

  test('are for operators, and tell no token', async () => {
    const { status, body } = await rest.call('GET', '/tokens', as('ann'));
    assert.equal([status, body.error], [403, 'forbidden']);
    const rows = JSON.stringify(
      await rest.database.query(`SELECT encode(token, 'hex') AS token FROM stage.token_use`),
    );
    for (const { hash } of tokens) assert.not.ok(rows.includes(hash.toString('hex').slice(0, 12)));
    const rights = `'stage.token_use', 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE'`;
    const [everybody] = await rest.database.query<{ may: boolean }>(
      `SELECT has_table_privilege('public', ${rights}) AS may`,
    );
    assert.is(everybody?.may, false);
  });
});
