/** The address of the review page that an agent passes on to a person. */
import type { AgentTable } from '../helpers/agent-table.ts';
import { setAgentTable } from '../helpers/agent-table.ts';
import { assert, suite } from '../helpers/suite.ts';

for (const web of ['on', 'off'] as const)
  suite(`mcp: review page ${web}`, (test) => {
    let table: AgentTable;
    test.before(async () => {
      table = await setAgentTable({ web });
    });
    test.after(() => table.close());

    test('propose and session_status give the address, where there is a page', async () => {
      const agent = await table.connect();
      const { session_id } = (await agent.use('open_session', { purpose: web })).body;
      await agent.use('stage_write', { session_id, sql: 'UPDATE products SET stock = 1' });
      const url = web === 'on' ? `${table.daemon.restUrl}/review/${session_id}` : undefined;
      assert.is((await agent.use('session_status', { session_id })).body.review_url, url);
      assert.is((await agent.use('propose', { session_id })).body.review_url, url);
      if (url !== undefined) assert.is((await fetch(url)).status, 200);
    });
  });
