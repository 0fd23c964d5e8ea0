/** `stage mcp`: lets an agent work in sessions through the Model Context Protocol. */
import { Option } from 'commander';
import { StageError } from '../../../errors.ts';
import type { ConfigClient } from '../../../mcp/client-config.ts';
import { clientConfig, configClients } from '../../../mcp/client-config.ts';
import type { ServerInfo } from '../../../model/service.ts';
import { isSessionId } from '../../../model/session.ts';
import { packageVersion } from '../../../package-version.ts';
import type { Context } from '../../context.ts';
import { defineCommand } from '../../define-command.ts';
import { interruptible } from '../../interrupt.ts';
import { libpqUrl, targetOf } from '../../output/connection-string.ts';
import type { ClientSettings } from '../../settings.ts';
import { readSettings } from '../../settings.ts';

interface Options {
  readonly project?: string;
  readonly url?: string;
  readonly listen?: string;
  readonly printConfig?: ConfigClient;
  readonly allowAnyToken?: true;
}

export const mcpCommand = defineCommand<Options>({
  description:
    'Serve the Model Context Protocol: an agent opens sessions, reads, stages changes, proposes them and receives the verdict. ' +
    'It can never approve. Its token comes from STAGE_TOKEN, its database login from PGUSER, PGPASSWORD, PGPASSFILE and PGDATABASE. ' +
    'With --session it works in that session only.',
  options: [
    ['-p, --project <project>', 'project of sessions that are opened'],
    ['--url <url>', "database login as a URL; host and port are the proxy's unless it names them"],
    ['--listen <host:port>', 'serve over HTTP, each request with a token of its own'],
    new Option('--print-config <client>', 'print what a client wants in its configuration').choices(
      configClients,
    ),
    ['--allow-any-token', 'take a token that may approve, or none'],
  ],
  examples: [
    'stage mcp --print-config claude > .mcp.json',
    'STAGE_TOKEN=... PGUSER=agent PGPASSWORD=... stage mcp --project shop',
    'stage mcp --listen 127.0.0.1:8090',
  ],
  work: async (context, options) => {
    const settings = await readSettings(context.host, context.options);
    if (settings.session !== null) demandSessionId(settings.session);
    if (options.printConfig) return printConfig(context, settings, options.printConfig, options);
    return serve(context, settings, options);
  },
});

function demandSessionId(session: string): void {
  if (isSessionId(session)) return;
  throw new StageError('usage', `${JSON.stringify(session)} is no session id`, {
    hint: 'Name it whole, as `stage session list` does.',
  });
}

async function printConfig(
  { host, out }: Context,
  { server, session }: ClientSettings,
  client: ConfigClient,
  { project }: Options,
): Promise<void> {
  const facts = {
    server,
    session,
    project,
    user: host.env['PGUSER'],
    database: host.env['PGDATABASE'],
  };
  await out.line(JSON.stringify(clientConfig(client, facts), null, 2));
}

async function serve(context: Context, settings: ClientSettings, options: Options): Promise<void> {
  // the protocol's library is slow to load
  const { createAdmission } = await import('../../../mcp/admission.ts');
  const given = options.url === undefined ? undefined : readGiven(options.url);
  const admit = createAdmission({
    server: settings.server,
    urlAt: (info) => loginOf(context, settings.server, info, given),
    pinned: settings.session,
    project: options.project,
    version: packageVersion(),
    allowAnyToken: options.allowAnyToken ?? false,
  });
  await interruptible(context.host, async ({ signal }) => {
    if (options.listen === undefined) return serveStdio(context, settings, admit, signal);
    return serveHttp(context, options.listen, admit, signal);
  });
}

type Admit = ReturnType<typeof import('../../../mcp/admission.ts').createAdmission>;

async function serveStdio(
  { host }: Context,
  { token }: ClientSettings,
  admit: Admit,
  signal: AbortSignal,
) {
  const { serveOverStdio } = await import('../../../mcp/serve-stdio.ts');
  const place = await admit(token);
  try {
    await serveOverStdio(place, { stdin: host.stdin, stdout: host.stdout, signal });
  } finally {
    await place.close();
  }
}

async function serveHttp({ out }: Context, listen: string, admit: Admit, signal: AbortSignal) {
  const { isLoopback, readAddress, serveOverHttp } = await import('../../../mcp/serve-http.ts');
  const address = readAddress(listen);
  const server = await serveOverHttp({ ...address, admit });
  await out.note(`serving the Model Context Protocol on http://${address.host}:${server.port}`);
  if (!isLoopback(address.host))
    await out.note(
      'tokens pass over the network as they are: put something that speaks TLS in front',
    );
  try {
    await new Promise((_, reject) => signal.addEventListener('abort', reject));
  } finally {
    await server.stop();
  }
}

/** Returns the URL of the agent's login: at the proxy, unless --url names another host. */
function loginOf({ host }: Context, server: string, info: ServerInfo, wanted?: URL): string {
  const target = targetOf(
    host,
    server,
    { ...info, database: host.env['PGDATABASE'] || info.database },
    '',
  );
  const url = new URL(libpqUrl(host, { ...target, options: '' }));
  if (wanted === undefined) return url.href;
  const parts = ['username', 'password', 'hostname', 'port'] as const;
  for (const part of parts) if (wanted[part]) url[part] = wanted[part];
  // the default user's password does not belong to another user
  if (wanted.username && !wanted.password) url.password = host.env['PGPASSWORD'] ?? '';
  if (wanted.pathname.length > 1) url.pathname = wanted.pathname;
  for (const [name, value] of wanted.searchParams) url.searchParams.set(name, value);
  url.searchParams.delete('options');
  return url.href;
}

function readGiven(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url && /^postgres(?:ql)?:$/.test(url.protocol)) return url;
  throw new StageError('usage', '--url is no connection URL', {
    hint: 'Write it as --url postgresql:///shop?user=agent: host and port are those of the proxy unless it names others.',
  });
}
