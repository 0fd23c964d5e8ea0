/** Budgets of the policy at proposals: the rows that an author proposes in a day, in all sessions, through all tokens and daemons. */
import pg from 'pg';
import { beforePolicy } from '../helpers/before-policy.ts';
import type { Sent } from '../helpers/http.ts';
import type { TestRest } from '../helpers/rest.ts';
import { startTestRest, testToken } from '../helpers/rest.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

const tokens = [
  testToken({ name: 'bot', role: 'agent' }),
  testToken({ name: 'Bot', role: 'author', secret: 'second' }),
  testToken({ name: 'bea', role: 'author' }),
  testToken({ name: 'ann', role: 'reviewer' }),
  testToken({ name: 'root', role: 'operator' }),
];

const as = (name: string, json: object = {}, headers = {}): Sent => ({
  headers: { authorization: `Bearer ${name}`, ...headers },
  json,
});

suite('rest: budgets', (test) => {
  let rest: TestRest;
  let other: TestRest;
  test.before(async () => {
    rest = await startTestRest({ tokens });
    other = await startTestRest({ tokens, database: rest.database });
    await rest.database.query(
      'CREATE TABLE items (id int PRIMARY KEY, n int); INSERT INTO items SELECT g, g FROM generate_series(1, 100) g',
    );
  });
  test.after(async () => {
    await other.stop();
    await rest.stop();
  });
  test.beforeEach(async () => {
    await rest.database.query('DELETE FROM stage.proposed_rows');
  });

  const set = (...rules: object[]) =>
    rest.call('PUT', '/policy', as('root', { document: { rules } }, { 'if-match': '*' }));
  const daily = (budget: object) => set({ name: 'daily', budget: { rows_per_day: 5, ...budget } });
  const staged = async (rows: number, by = 'bot') => {
    const { body } = await rest.call('POST', '/sessions', as(by, { project_id: 'default' }));
    const update = `UPDATE items SET n = n + 1 WHERE id <= ${rows}`;
    await beforePolicy(rest.database, () => rest.write(body.session_id, update));
    return body.session_id as string;
  };
  const propose = (id: string, by = 'bot', at = rest) =>
    at.call('POST', `/sessions/${id}/propose`, as(by));
  const statusOf = async (rows: number, by = 'bot', proposer = by) =>
    (await propose(await staged(rows, by), proposer)).status;

  test('rows of all sessions of a day count, and the rest is told', async () => {
    assert.is((await daily({})).status, 200);
    assert.is(await statusOf(3), 200);
    const id = await staged(3);
    const { status, body } = await propose(id);
    assert.equal([status, body.error, body.violations[0].limit], [409, 'policy_refused', 'budget']);
    const says = 'at most 5 rows a day by bot (UTC): 3 were proposed today, and this session has 3';
    assert.is(body.violations[0].says, says);
    assert.match(body.hint, /tomorrow/);
    const reported = (await rest.call('GET', `/sessions/${id}/policy`, as('bot'))).body.verdicts;
    assert.equal([reported[0].holds, reported[0].says], [false, says]);
    assert.is(await statusOf(2), 200);
    assert.is(await statusOf(1), 409);
    assert.is(await statusOf(5, 'bea'), 200);
  });

  test('a session counts once, also when it is gone', async () => {
    await daily({});
    const id = await staged(4);
    for (const _ of [1, 2]) {
      assert.is((await propose(id)).status, 200);
      await rest.call('POST', `/sessions/${id}/reopen`, as('ann', { message: 'again' }));
    }
    assert.is((await rest.call('DELETE', `/sessions/${id}`, as('root'))).status, 200);
    assert.is(await statusOf(2), 409);
    assert.is(await statusOf(1), 200);
  });

  test('a second token, and the session of somebody else, have no budget of their own', async () => {
    await daily({});
    assert.is(await statusOf(4), 200);
    assert.is(await statusOf(2, 'second'), 409);
    assert.is(await statusOf(2, 'bea', 'second'), 409);
    assert.is(await statusOf(2, 'bea'), 200);
  });

  test('a split does not slip under it', async () => {
    await daily({});
    const id = await staged(6);
    assert.is((await propose(id)).status, 409);
    const only = [1, 2, 3].map((row_id) => ({ table: 'items', row_id }));
    const split = await rest.call('POST', `/sessions/${id}/split`, as('root', { only }));
    assert.is(split.status, 201);
    assert.is((await propose(split.body.session_id)).status, 200);
    assert.is((await propose(id)).status, 409);
  });

  test('proposals at once, at two daemons, spend it once', async () => {
    await daily({});
    const ids = [await staged(3), await staged(3), await staged(3)];
    // both have to be under way before the first one commits
    const client = new pg.Client({ connectionString: rest.database.url });
    await client.connect();
    await client.query('BEGIN; SELECT FROM stage.event_head FOR UPDATE');
    const all = ids.map((id, index) => propose(id, 'bot', index % 2 === 0 ? rest : other));
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => (await rest.database.query(waiting)).length === ids.length);
    await client.query('COMMIT');
    await client.end();
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    assert.equal(statuses.sort(), [200, 409, 409]);
  });

  test('a day begins at midnight in its zone, and a rule can name authors', async () => {
    await daily({ zone: 'Asia/Tokyo', of: ['bot'] });
    assert.is(await statusOf(5), 200);
    assert.is(await statusOf(9, 'bea'), 200);
    const midnight = `date_trunc('day', now() AT TIME ZONE 'Asia/Tokyo') AT TIME ZONE 'Asia/Tokyo'`;
    const move = (to: string) => rest.database.query(`UPDATE stage.proposed_rows SET at = ${to}`);
    await move(midnight);
    assert.is(await statusOf(1), 409);
    await move(`${midnight} - interval '1 second'`);
    assert.is(await statusOf(1), 200);
  });

  test('what means nothing is refused', async () => {
    assert.equal((await daily({ of: ['bott'], zone: 'UTC' })).body.faults, [
      'rules[0].budget.of[0]: no token has the name "bott"; did you mean "bot"?',
    ]);
    const both = { name: 'r', tables: ['items'], budget: { rows_per_day: 1 } };
    assert.match((await set(both)).body.message, /without tables/);
    assert.match((await daily({ zone: 'Berlin' })).body.message, /must be a time zone/);
    assert.match((await daily({ zon: 'UTC' })).body.message, /did you mean zone/);
  });
});
