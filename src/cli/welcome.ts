/** What `stage serve` says once it serves: where to connect, and the next commands. */
import { basename, relative } from 'node:path';
import type { ServerInfo } from '../client/answers.ts';
import type { Config } from '../config/load.ts';
import type { Paint } from './colour.ts';
import { connectionString, targetOf } from './connection-string.ts';
import type { Host } from './host.ts';
import { rememberSession } from './remembered-session.ts';

interface Served {
  readonly restUrl: string;
  readonly info: ServerInfo;
}

const usualServer = 'http://127.0.0.1:8080';

/**
 * On the embedded sample, gives a session to start with: the newest active one, else a new one, which the commands
 * in this directory then mean. The printed lines can be pasted as they are. In front of a real database nothing is
 * created that nobody asked for.
 */
export async function openingSession(
  host: Host,
  config: Config,
  { restUrl, info }: Served,
): Promise<string | null> {
  if (info.embedded === null) return null;
  const { ApiClient } = await import('../client/api-client.ts');
  const { readTokens } = await import('../config/tokens.ts');
  const { accepted, own } = readTokens(config.settings);
  // of tokens that are kept as hashes there is none to show
  if (accepted.length > 0 && own === null) return null;
  const api = new ApiClient({ server: restUrl, token: own });
  try {
    const [newest] = (await api.listSessions({ status: 'active', limit: 1 })).value.items;
    const { id } = newest ?? (await api.createSession({})).value;
    // a convenience: daemons also run where they can write nothing
    await rememberSession(host, restUrl, id).catch(() => undefined);
    return id;
  } finally {
    await api.close();
  }
}

/** The lines to print. */
export function welcome(
  host: Host,
  { restUrl, info }: Served,
  session: string | null,
  paint: Paint,
): string[] {
  const url = connectionString(targetOf(host, restUrl, info, session ?? 'SESSION'), 'url');
  const stage = programName(host);
  const steps = ['diff', 'propose', 'approve'];
  const commands = session ? steps : ['session new', ...steps.slice(0, 2)];
  return [
    ...(info.embedded ? embeddedWarning(stage, paint) : []),
    `REST     ${restUrl}`,
    `proxy    ${info.proxy.host}:${info.proxy.port}, database ${info.database}`,
    '',
    session ? 'Connect, and write: nothing reaches production.' : 'Connect with a session:',
    `  psql '${url}'`,
    'Then:',
    ...(restUrl === usualServer ? [] : [`  export STAGE_SERVER=${restUrl}`]),
    ...commands.map((command) => `  ${stage} ${command}`),
    '',
  ];
}

function embeddedWarning(stage: string, paint: Paint): string[] {
  return [
    paint(
      'changed',
      'Production is an EMBEDDED PostgreSQL with a sample database: there is no real one here.',
    ),
    `For a database of yours: ${stage} serve --upstream postgresql://...`,
    '',
  ];
}

/** How this program was called: by its name, or from a checkout that nobody installed. */
function programName(host: Host): string {
  const script = host.argv[1] ?? 'stage';
  return basename(script) === 'stage' ? 'stage' : `node ${relative(host.cwd(), script)}`;
}
