/** How `stage mcp` starts: the configuration that it prints for its clients, and the tokens that it refuses. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createShell, installStage } from '../cli/stage.ts';
import type { AgentTable } from '../helpers/agent-table.ts';
import { agentOf, setAgentTable } from '../helpers/agent-table.ts';
import { startTestDaemon } from '../helpers/daemon.ts';
import { assert, rejects, suite } from '../helpers/suite.ts';

/** The syntax of a variable in Cursor and VS Code. */
const variable = (name: string) => `$\{env:${name}}`;

suite('mcp: start', (test) => {
  let table: AgentTable;
  test.before(async () => {
    table = await setAgentTable();
  });
  test.after(() => table.close());

  const start = async (
    token: string,
    args: readonly string[] = [],
    server = table.daemon.restUrl,
  ) => {
    const shell = await createShell(server);
    try {
      const env = { ...table.env(token), STAGE_SERVER: server };
      return await shell.spawn(['mcp', ...args], { env, input: '' });
    } finally {
      await shell.clear();
    }
  };

  for (const token of ['ann', 'root']) {
    test(`refuses the token of ${token}, before anything is said in the protocol`, async () => {
      const { code, stdout, stderr } = await start(token);
      assert.equal([code, stdout], [4, '']);
      assert.match(
        stderr,
        /^error: stage mcp does not start: the token has the role (?:reviewer|operator)/,
      );
    });
  }

  test('refuses a service that demands no token, unless it is told to take it', async () => {
    const open = await startTestDaemon({ database: table.database });
    try {
      const refused = await start('', [], open.restUrl);
      assert.equal([refused.code, refused.stdout], [4, '']);
      assert.match(refused.stderr, /demands no token/);
      const taken = await start('', ['--allow-any-token'], open.restUrl);
      assert.equal([taken.code, taken.stderr], [0, '']);
    } finally {
      await open.stop();
    }
  });

  test('offers a reviewer no tool that the token does not allow', async () => {
    const { client } = await table.connect({ args: ['--allow-any-token'], token: 'ann' });
    const { tools } = await client.listTools();
    assert.equal(
      tools.map(({ name }) => name),
      ['list_tables', 'query', 'show_diff', 'check_conflicts', 'session_status', 'comment'],
    );
    await rejects(client.callTool({ name: 'propose', arguments: {} }));
  });

  test('takes the token of an agent and of an author, and ends with its input', async () => {
    for (const token of ['bot', 'dev']) {
      const { code, stdout } = await start(token);
      assert.equal([code, stdout], [0, ''], token);
    }
    assert.is((await start('nobody')).code, 4);
    assert.is((await start('bot', [], 'http://127.0.0.1:1')).code, 7);
  });

  test('refuses what is no session, no address and no URL', async () => {
    for (const args of [
      ['--session', 'sess_1'],
      ['--listen', '8090'],
      ['--listen', '127.0.0.1:99999'],
      ['--url', 'http://x/'],
      ['--print-config', 'emacs'],
    ])
      assert.is((await start('bot', args)).code, 64, args.join(' '));
  });

  test('prints a configuration without secrets, which starts it as it says', async () => {
    const shell = await createShell(table.daemon.restUrl);
    try {
      const env = { ...table.env('secret-token'), PGPASSWORD: 'secret-password' };
      const printed = async (client: string) => {
        const { code, stdout } = await shell.run(['mcp', '--print-config', client], { env });
        assert.is(code, 0);
        assert.not.match(stdout, /secret/);
        return JSON.parse(stdout);
      };
      const { servers } = await printed('vscode');
      assert.equal(
        [servers.stage.type, servers.stage.env.STAGE_TOKEN],
        ['stdio', variable('STAGE_TOKEN')],
      );
      assert.is((await printed('cursor')).mcpServers.stage.env.PGPASSWORD, variable('PGPASSWORD'));
      const { command, args, env: wanted } = (await printed('claude')).mcpServers.stage;
      // as Claude Code expands the variables of the file
      const given: Record<string, string> = table.env();
      const expanded = Object.entries<string>(wanted).map(([name, value]) => [
        name,
        value.replace(/\$\{(\w+)\}/g, (_, variable: string) => given[variable] ?? ''),
      ]);
      const place = { ...(await installStage(shell)), ...Object.fromEntries(expanded) };
      const client = new Client({ name: 'test', version: '0' });
      await client.connect(
        new StdioClientTransport({ command, args, env: place, stderr: 'ignore' }),
      );
      const agent = agentOf(client);
      assert.is(
        (await agent.use('open_session', { purpose: 'from the file' })).body.status,
        'active',
      );
      await agent.close();
    } finally {
      await shell.clear();
    }
  });

  test('takes the login from a URL that leaves host and port to the proxy', async () => {
    const { name } = table.clerk;
    const url = `postgresql:///${table.database.name}?user=${name}&password=${name}`;
    const agent = await table.connect({ args: ['--url', url] });
    const { session_id } = (await agent.use('open_session', { purpose: 'by URL' })).body;
    const { body } = await agent.use('query', { session_id, sql: 'SELECT current_user' });
    assert.equal(body.data.rows, [[name]]);
    const wrong = await table.connect({
      args: ['--url', url.replace(/password=.*/, 'password=wrong')],
    });
    const refused = await wrong.use('query', { session_id, sql: 'SELECT 1' });
    assert.equal([refused.isError, refused.body.sqlstate, refused.data], [true, '28P01', '']);
  });
});
