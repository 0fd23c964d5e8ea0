/** A daemon with tokens, a database role for the agent, and the official client that talks to `stage mcp` in a separate process. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { stageCommand } from '../cli/stage.ts';
import type { TestDaemon } from './daemon.ts';
import { startTestDaemon } from './daemon.ts';
import type { TestDatabase } from './database.ts';
import { createTestDatabase } from './database.ts';
import type { Answer } from './http.ts';
import type { TestRole } from './roles.ts';
import { createRole } from './roles.ts';

/** The result of a tool. */
export interface Given {
  readonly isError: boolean;
  /** The service's own sentences, and facts. */
  readonly own: string;
  /** The part that is marked as data; empty if there is none. */
  readonly data: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it at will, and fail where it is not as expected
  readonly body: any;
}

export interface Agent {
  readonly client: Client;
  readonly pid: number | null;
  use(tool: string, input?: Record<string, unknown>, signal?: AbortSignal): Promise<Given>;
  close(): Promise<void>;
}

export interface AgentTable {
  readonly daemon: TestDaemon;
  readonly database: TestDatabase;
  /** The agent's database role. */
  readonly clerk: TestRole;
  /** Returns the environment in which `stage mcp` is started. */
  env(token?: string): Record<string, string>;
  /** Starts `stage mcp` and connects to it. `close` of the table ends it. */
  connect(options?: { args?: string[]; token?: string; era?: 'legacy' | 'auto' }): Promise<Agent>;
  /** Sends a request to the REST interface. The caller's name is the token. */
  ask(name: string, method: string, path: string, json?: object): Promise<Answer>;
  close(): Promise<void>;
}

const rights =
  'GRANT SELECT, INSERT, UPDATE, DELETE ON products TO $role; GRANT SELECT, DELETE ON customers TO $role; GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO $role';
const people = [
  'bot agent',
  'other agent',
  'shop agent:shop',
  'dev author',
  'ann reviewer',
  'root operator',
];

/** Starts the daemon with its tokens and the role. @param flags further settings */
export async function setAgentTable(
  flags: Readonly<Record<string, unknown>> = {},
): Promise<AgentTable> {
  const folder = mkdtempSync(join(tmpdir(), 'stage-agent-'));
  const database = await createTestDatabase();
  const clerk = await createRole(database, rights);
  const tokenFile = join(folder, 'tokens');
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const lines = people.map((line) => `${line} sha256:${hash(line.split(' ')[0] ?? '')}`);
  writeFileSync(tokenFile, lines.join('\n'), { mode: 0o600 });
  const daemon = await startTestDaemon({ database, flags: { tokenFile, ...flags } });
  const agents: Agent[] = [];
  const env = (token = 'bot') => ({
    HOME: folder,
    PATH: process.env['PATH'] ?? '',
    STAGE_SERVER: daemon.restUrl,
    STAGE_TOKEN: token,
    PGUSER: clerk.name,
    PGPASSWORD: clerk.name,
  });
  return {
    daemon,
    database,
    clerk,
    env,
    connect: async ({ args = [], token, era = 'auto' } = {}) => {
      const agent = await connectAgent([...stageCommand, 'mcp', ...args], env(token), folder, era);
      agents.push(agent);
      return agent;
    },
    ask: (name, method, path, json) => {
      const headers = { authorization: `Bearer ${name}` };
      return daemon.call(method, path, json ? { headers, json } : { headers });
    },
    close: async () => {
      await Promise.all(agents.map((agent) => agent.close()));
      await daemon.stop();
      await clerk.drop();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function connectAgent(
  args: string[],
  env: Record<string, string>,
  cwd: string,
  mode: 'legacy' | 'auto',
): Promise<Agent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env,
    cwd,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return { pid: transport.pid, ...agentOf(client) };
}

/** Returns the facts of a result, its next step and its data; empty where it has none. */
function readTexts([own = '', data]: string[]): object {
  const [, next, facts = '{}'] = /\nNext: (.*)\nFacts: (.*)$/.exec(own) ?? [];
  const shown = data === undefined ? {} : { data: JSON.parse(data.slice(data.indexOf('\n'))) };
  return { ...JSON.parse(facts), ...(next === undefined ? {} : { next }), ...shown };
}

/** Reads the result of a tool. */
export function givenBy({ content, isError }: CallToolResult): Given {
  const texts = content.map((part) => (part.type === 'text' ? part.text : ''));
  return {
    isError: isError === true,
    own: texts[0] ?? '',
    data: texts[1] ?? '',
    body: readTexts(texts),
  };
}

/** Returns an agent for a connected client. */
export function agentOf(client: Client): Omit<Agent, 'pid'> {
  return {
    client,
    use: async (name, input = {}, signal) => {
      const options = signal === undefined ? {} : { signal };
      return givenBy(await client.callTool({ name, arguments: input }, options));
    },
    close: () => client.close(),
  };
}
