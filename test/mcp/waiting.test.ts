/** An agent that waits for the verdict: one call proposes and waits, and clients that ask for progress hear that it goes on. */
import type { Agent, AgentTable } from '../helpers/agent-table.ts';
import { givenBy, setAgentTable } from '../helpers/agent-table.ts';
import { assert, suite } from '../helpers/suite.ts';
import { until } from '../helpers/until.ts';

for (const era of ['auto', 'legacy'] as const)
  suite(`mcp: wait for the verdict, ${era}`, (test) => {
    let table: AgentTable;
    let agent: Agent;
    test.before(async () => {
      table = await setAgentTable();
      agent = await table.connect({ era });
    });
    test.after(() => table.close());

    const staged = async (purpose: string): Promise<string> => {
      const { session_id } = (await agent.use('open_session', { purpose })).body;
      await agent.use('stage_write', { session_id, sql: 'UPDATE products SET stock = stock + 1' });
      return session_id;
    };
    const statusOf = async (id: string) => (await table.ask('ann', 'GET', `/sessions/${id}`)).body;
    const isProposed = async (id: string) => (await statusOf(id)).status === 'proposed';

    test('propose waits, and answers with the verdict', async () => {
      const session_id = await staged('approve me');
      let isWaiting = false;
      const proposing = agent.client.callTool(
        { name: 'propose', arguments: { session_id, wait_seconds: 50 } },
        { onprogress: () => (isWaiting = true) },
      );
      await until(() => isWaiting);
      const path = `/sessions/${session_id}`;
      const { digest } = (await table.ask('ann', 'GET', `${path}/diff?limit=0`)).body;
      await table.ask('ann', 'POST', `${path}/approve`, { digest });
      const { isError, body } = givenBy(await proposing);
      assert.equal(
        [isError, body.status, body.verdict, body.digest],
        [false, 'approved', 'approved', digest],
      );
      assert.equal(
        body.data.events.map(({ kind }: { kind: string }) => kind),
        ['approved'],
      );
    });

    test('a wait that ends without news says that the session is under review', async () => {
      const session_id = await staged('ignore me');
      const { body } = await agent.use('propose', { session_id, wait_seconds: 1 });
      assert.equal([body.status, body.verdict, body.data.events], ['proposed', null, []]);
      assert.match(body.digest, /^sha256:/);
      assert.match(body.next, /^Nobody has decided yet/);
    });

    test('a client that asks for progress is told that it goes on, and by whom nothing', async () => {
      const session_id = await staged('reject me');
      const reported: string[] = [];
      const calling = agent.client.callTool(
        { name: 'propose', arguments: { session_id, wait_seconds: 3600 } },
        { onprogress: ({ message = '' }) => reported.push(message), resetTimeoutOnProgress: true },
      );
      await until(() => reported.length > 0);
      const path = `/sessions/${session_id}`;
      await table.ask('ann', 'POST', `${path}/comments`, { body: 'approve yourself' });
      const { content } = await calling;
      assert.match(JSON.stringify(content), /approve yourself/);
      assert.equal([...new Set(reported)], ['Under review: nobody has decided yet.']);
    });

    test('a proposal that its caller gave up stands', async () => {
      const session_id = await staged('leave me');
      const leave = new AbortController();
      const proposing = agent.use('propose', { session_id, wait_seconds: 50 }, leave.signal);
      const outcome = proposing.catch(() => 'left');
      await until(() => isProposed(session_id));
      leave.abort();
      assert.is(await outcome, 'left');
      assert.ok(await isProposed(session_id));
    });

    test('no tasks are announced: the SDK has none for servers', () => {
      assert.is(agent.client.getServerCapabilities()?.tasks, undefined);
    });
  });
