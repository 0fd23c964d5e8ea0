/** `stage mcp --listen`: each request has its own token, and foreign sites and host names are refused. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { stageCommand } from '../cli/stage.ts';
import type { AgentTable } from '../helpers/agent-table.ts';
import { agentOf, setAgentTable } from '../helpers/agent-table.ts';
import { callHttp } from '../helpers/http.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

async function listen(env: Record<string, string>): Promise<[ChildProcess, string]> {
  const args = [...stageCommand, 'mcp', '--listen', '127.0.0.1:0'];
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  for await (const chunk of server.stderr ?? []) {
    said += String(chunk);
    const found = /http:\/\/[\d.:]+/.exec(said)?.[0];
    if (found) return [server, found];
  }
  throw new Error(said);
}

async function end(server: ChildProcess): Promise<void> {
  const ended = once(server, 'close');
  server.kill('SIGTERM');
  await ended;
}

suite('mcp over HTTP', (test) => {
  let table: AgentTable;
  let server: ChildProcess;
  let url: string;
  test.before(async () => {
    table = await setAgentTable();
    // the process itself has a token, but serves no request with it
    [server, url] = await listen(table.env());
  });
  test.after(async () => {
    await end(server);
    await table.close();
  });

  const connect = async (token: string, mode: 'legacy' | 'auto' = 'auto', at = url) => {
    const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(at), { requestInit }));
    return agentOf(client);
  };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const post = (headers: Record<string, string>, json: unknown = message) =>
    callHttp(url, 'POST', '/', {
      json,
      headers: { accept: 'application/json, text/event-stream', ...headers },
    });
  const bot = { authorization: 'Bearer bot' };

  test('needs no token of its own', async () => {
    const { STAGE_TOKEN: _, ...env } = table.env();
    const [tokenless, address] = await listen(env);
    try {
      const mine = await connect('bot', 'auto', address);
      const { session_id } = (await mine.use('open_session', { purpose: 'no token' })).body;
      const sql = 'UPDATE products SET stock = 4 WHERE id = 4';
      assert.is((await mine.use('stage_write', { session_id, sql })).body.rows_affected, 1);
    } finally {
      await end(tokenless);
    }
  });

  for (const era of ['legacy', 'auto'] as const) {
    test(`an agent of the era ${era} stages with its own token, and another does not see it`, async () => {
      const [mine, other] = [await connect('bot', era), await connect('other', era)];
      const { session_id } = (await mine.use('open_session', { purpose: `http ${era}` })).body;
      const sql = 'UPDATE products SET stock = 3 WHERE id = 3';
      assert.is((await mine.use('stage_write', { session_id, sql })).body.rows_affected, 1);
      const { body } = await table.ask('ann', 'GET', `/sessions/${session_id}`);
      assert.is(body.created_as, 'bot');
      for (const tool of ['show_diff', 'session_status', 'propose', 'check_conflicts']) {
        const refused = await other.use(tool, { session_id });
        assert.equal([refused.isError, refused.body.error], [true, 'session_not_found'], tool);
      }
      await rejects(other.client.readResource({ uri: `stage://session/${session_id}/diff` }));
      await Promise.all([mine.close(), other.close()]);
    });
  }

  test('no token, an unknown one, and one that may review are turned away', async () => {
    assert.is((await post({})).status, 401);
    assert.is((await post({ authorization: 'Bearer nobody' })).status, 401);
    for (const name of ['ann', 'root']) {
      const { status, text } = await post({ authorization: `Bearer ${name}` });
      assert.is(status, 403);
      assert.match(text, /does not start: the token has the role/);
    }
    assert.is((await post(bot)).status, 200);
  });

  test('names and sites of others are turned away', async () => {
    const { host } = new URL(url);
    for (const headers of [
      { host: 'evil.example' },
      { host: `evil.example:${new URL(url).port}` },
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://localhost:1` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])
      assert.is((await post({ ...bot, ...headers })).status, 403, JSON.stringify(headers));
    assert.is((await post({ ...bot, host, origin: `http://${host}` })).status, 200);
  });

  test('what is no request of the protocol does no harm', async () => {
    assert.is((await callHttp(url, 'GET', '/', { headers: bot })).status, 405);
    const raw = (text: string, type = 'application/json') =>
      callHttp(url, 'POST', '/', { raw: text, headers: { ...bot, 'content-type': type } });
    assert.ok((await raw('{')).status >= 400);
    assert.ok((await raw('x', 'text/plain')).status >= 400);
    assert.is((await raw(`"${'x'.repeat(5_000_000)}"`)).status, 413);
    assert.is((await post(bot)).status, 200);
  });
});
