/** An agent learns of the policy: the rules that hold for its session, who has agreed, and why its proposal is refused. */
import type { Agent, AgentTable } from '../helpers/agent-table.ts';
import { setAgentTable } from '../helpers/agent-table.ts';
import { beforePolicy } from '../helpers/before-policy.ts';
import { assert, suite } from '../helpers/suite.ts';

suite('mcp: policy', (test) => {
  let table: AgentTable;
  let agent: Agent;
  test.before(async () => {
    table = await setAgentTable();
    agent = await table.connect();
  });
  test.after(() => table.close());

  const set = (rules: object[]) =>
    table.database.query(`SELECT stage.set_policy(NULL, $1, '{}', 'root', NULL)`, [
      JSON.stringify({ rules }),
    ]);
  const staged = async (purpose: string) => {
    const { session_id } = (await agent.use('open_session', { purpose })).body;
    const sql = 'UPDATE products SET stock = stock + 1';
    await agent.use('stage_write', { session_id, sql });
    return session_id as string;
  };
  const status = async (session_id: string) =>
    (await agent.use('session_status', { session_id })).body.data;

  test('without one, session_status has no more', async () => {
    const session_id = await staged('no policy');
    const data = await status(session_id);
    assert.equal([data.rules, data.approvals], [undefined, undefined]);
  });

  test('the rules are told before the proposal, and by its refusal', async () => {
    await set([{ name: 'small', max_rows: 2 }]);
    const session_id = await beforePolicy(table.database, () => staged('too large'));
    assert.equal((await status(session_id)).rules, [
      {
        rule: 'small',
        holds: false,
        says: 'at most 2 rows of products: the session changes 5',
      },
    ]);
    const refused = await agent.use('propose', { session_id });
    assert.ok(refused.isError);
    assert.match(refused.own, /policy_refused.*rule "small": at most 2 rows of products/);
    assert.match(refused.own, /start a session that keeps to them/);
  });

  test('a statement is refused by the rule, its limit and what to do', async () => {
    await set([{ name: 'small', max_rows_per_statement: 2, tables: ['products'] }]);
    const { session_id } = (await agent.use('open_session', { purpose: 'refused' })).body;
    const write = (sql: string) => agent.use('stage_write', { session_id, sql });
    const large = await write('UPDATE products SET stock = stock + 1');
    assert.ok(large.isError);
    assert.match(large.own, /SQLSTATE 54000.*A rule limits how many rows may change/s);
    assert.match(large.body.data.message, /rule "small": at most 2 rows by a statement/);
    assert.is(large.body.data.constraint, 'small');
    await set([{ name: 'none', deny: ['update'] }]);
    const denied = await write('UPDATE products SET stock = 7 WHERE id = 1');
    assert.match(denied.own, /SQLSTATE 42501.*does not change by trying again/s);
  });

  test('a budget is told before it is spent, and refuses the statement that would exceed it', async () => {
    await set([{ name: 'daily', budget: { rows_per_day: 7, of: ['bot'] } }]);
    const session_id = await staged('within the budget');
    const { rules } = await status(session_id);
    const reported = (rows: string) =>
      `at most 7 rows a day by bot (UTC): 0 were proposed today, and this session ${rows}`;
    assert.equal(rules, [{ rule: 'daily', holds: true, says: reported('has 5') }]);
    const sql =
      "INSERT INTO products (sku, name, price) SELECT 'new' || g, 'new', 1 FROM generate_series(1, 3) g";
    const refused = await agent.use('stage_write', { session_id, sql });
    assert.match(refused.own, /SQLSTATE 54000.*A rule limits how many rows may change/s);
    assert.ok(
      refused.body.data.message.includes(reported('would have')),
      refused.body.data.message,
    );
    assert.match(refused.body.data.detail, /^limit budget/);
  });

  test('votes are told', async () => {
    await set([{ name: 'two', approvals: { count: 2 } }]);
    const session_id = await staged('two agree');
    await agent.use('propose', { session_id });
    assert.is((await table.ask('ann', 'POST', `/sessions/${session_id}/approve`, {})).status, 202);
    const data = await status(session_id);
    assert.is(data.approvals, '1 of 2 agreed: ann; 1 more');
    assert.equal(data.events.map(({ kind }: { kind: string }) => kind).slice(-2), [
      'proposed',
      'voted',
    ]);
  });
});
