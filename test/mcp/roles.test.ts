/** Each role is offered the tools whose requests the service allows it, and no others. The tools are those that `stage mcp` lists. */
import { roles } from '../../src/model/access.ts';
import { shortId } from '../../src/model/session.ts';
import type { Agent, AgentTable } from '../helpers/agent-table.ts';
import { setAgentTable } from '../helpers/agent-table.ts';
import type { RecordedOperations } from '../helpers/recorded-operations.ts';
import { recordOperations } from '../helpers/recorded-operations.ts';
import { assert, suite } from '../helpers/suite.ts';

/** A token of each role. */
const tokens = { author: 'dev', agent: 'bot', reviewer: 'ann', operator: 'root' };

interface Schema {
  readonly properties?: Readonly<Record<string, { readonly examples?: readonly unknown[] }>>;
}

suite('mcp: tools and roles', (test) => {
  let table: AgentTable;
  let recorded: RecordedOperations;
  let everything: Agent;
  test.before(async () => {
    table = await setAgentTable();
    const call: typeof table.daemon.call = (method, path, given) =>
      table.daemon.call(method, path, {
        ...given,
        headers: { authorization: 'Bearer root', ...given?.headers },
      });
    recorded = await recordOperations(call, true);
    everything = await table.connect({
      args: ['--allow-any-token', '--server', recorded.url],
      token: 'root',
    });
  });
  test.after(async () => {
    await table.close();
    await recorded.stop();
  });

  const toolsOf = async ({ client }: Agent) => (await client.listTools()).tools;

  /** Returns arguments for a tool: those of the examples in its schema, or ones that fit the session. */
  function argumentsFor(name: string, schema: Schema, session: string): Record<string, unknown> {
    const examples = Object.entries(schema.properties ?? {}).flatMap(([key, { examples }]) =>
      examples === undefined ? [] : [[key, examples[0]] as const],
    );
    const fitting: Readonly<Record<string, object>> = {
      open_session: { project: undefined },
      stage_write: { sql: "UPDATE products SET stock = 8 WHERE sku = 'MUG-01'", params: [] },
      split_session: { rows: [{ table: 'products', row_id: 1 }] },
      discard_session: { confirm: shortId(session) },
      comment: { row_id: 1 },
      propose: { wait_seconds: 0 },
      session_status: { wait_seconds: 0, after_event: undefined },
      show_diff: { cursor: undefined },
    };
    return { session_id: session, ...Object.fromEntries(examples), ...fitting[name] };
  }

  /** Calls a tool in a new session with two staged rows. Returns the operations that it requests. */
  async function requestsOf(name: string, schema: Schema): Promise<string[]> {
    const { session_id: session } = (await everything.use('open_session', { purpose: name })).body;
    const sql = 'UPDATE products SET stock = 7 WHERE id <= 2';
    const staged = await everything.use('stage_write', { session_id: session, sql });
    assert.not.ok(staged.isError, staged.own);
    const { session_id: _, ...given } = argumentsFor(name, schema, session);
    const takesSession = schema.properties?.['session_id'] !== undefined;
    recorded.take();
    const result = await everything.use(
      name,
      takesSession ? { session_id: session, ...given } : given,
    );
    assert.not.ok(result.isError, `${name}: ${result.own}`);
    return recorded.take();
  }

  test('each role is offered a tool if it may do all that the tool requests', async () => {
    const requests = new Map<string, readonly string[]>();
    for (const { name, inputSchema } of await toolsOf(everything))
      requests.set(name, await requestsOf(name, inputSchema as Schema));
    assert.ok(requests.size >= 11, [...requests.keys()].join());
    for (const role of roles) {
      const token = tokens[role];
      const { body } = await table.ask(token, 'GET', '/whoami');
      assert.is(body.role, role);
      const agent = await table.connect({ args: ['--allow-any-token'], token });
      const offered = (await toolsOf(agent)).map(({ name }) => name);
      for (const [name, wanted] of requests) {
        const lacking = wanted.filter((operation) => !body.operations.includes(operation));
        if (offered.includes(name)) assert.equal(lacking, [], `${role}: ${name}`);
        // what it stages goes through the proxy, not by a request
        else if (name !== 'stage_write') assert.ok(lacking.length > 0, `${role}: ${name}`);
      }
    }
  });
});
