/** Generates the configuration with which agent programs start `stage mcp`. */
import type { JsonObject } from '../model/json.ts';

export const configClients = ['claude', 'cursor', 'vscode'] as const;
export type ConfigClient = (typeof configClients)[number];

export interface ConfigFacts {
  readonly server: string;
  readonly session: string | null;
  readonly project: string | undefined;
  readonly user: string | undefined;
  readonly database: string | undefined;
}

/** The syntax in which each program refers to an environment variable, so that secrets stay out of the file. */
const fromEnvironment: Readonly<Record<ConfigClient, (name: string) => string>> = {
  claude: (name) => `\${${name}}`,
  cursor: (name) => `\${env:${name}}`,
  vscode: (name) => `\${env:${name}}`,
};

/** Generates the configuration. It contains no secret. */
export function clientConfig(client: ConfigClient, facts: ConfigFacts): JsonObject {
  const { server, session, project, user, database } = facts;
  const take = fromEnvironment[client];
  const args = [
    'mcp',
    ...['--server', server],
    ...(session === null ? [] : ['--session', session]),
    ...(project === undefined ? [] : ['--project', project]),
  ];
  const env = {
    STAGE_TOKEN: take('STAGE_TOKEN'),
    PGUSER: user ?? take('PGUSER'),
    PGPASSWORD: take('PGPASSWORD'),
    ...(database === undefined ? {} : { PGDATABASE: database }),
  };
  const entry = { command: 'stage', args, env };
  if (client === 'vscode') return { servers: { stage: { type: 'stdio', ...entry } } };
  return { mcpServers: { stage: entry } };
}
