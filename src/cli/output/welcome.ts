/** The lines that `stage serve` prints once it serves: where to connect, and the next commands. */
import { readFile } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { sanitize } from '../../client/sanitize.ts';
import type { Config } from '../../config/load.ts';
import type { ServiceFacts } from '../../model/service.ts';
import type { Host } from '../host.ts';
import { rememberSession } from '../remembered-session.ts';
import type { Paint } from './colour.ts';
import { connectionString, targetOf } from './connection-string.ts';

/** The facts that the daemon reports about itself once it has started. */
interface Served {
  readonly restUrl: string;
  readonly info: ServiceFacts;
  readonly upstream:
    | { readonly ready: true }
    | { readonly ready: false; readonly error: string; readonly hint?: string };
  /** Whether there is a review page. */
  readonly hasPage: boolean;
  readonly embedded: { readonly directory: string; readonly madeAt: Date | null } | null;
}

const usualServer = 'http://127.0.0.1:8080';

/**
 * Returns a session to start with on the embedded sample, so that the printed lines can be pasted unchanged: the newest active one, or else
 * a new one, which becomes the default in this directory. A real database gets no session that was not requested.
 */
export async function openingSession(
  host: Host,
  { settings }: Config,
  { restUrl, info }: Served,
): Promise<string | null> {
  if (info.embedded === null) return null;
  const { ApiClient } = await import('../../client/api-client.ts');
  const { readTokens } = await import('../../config/tokens.ts');
  const { accepted, own } = readTokens(settings);
  // only hashes of the tokens are known, so no token can be used
  if (accepted.length > 0 && own === null) return null;
  const ca = settings.restTls && settings.tlsCert ? await readFile(settings.tlsCert, 'utf8') : null;
  const api = new ApiClient({ server: restUrl, token: own, ca, anyName: true });
  try {
    const [newest] = (await api.listSessions({ status: 'active', limit: 1 })).value.items;
    const { id } = newest ?? (await api.createSession({})).value;
    // a convenience: the daemon may run where it cannot write
    await rememberSession(host, restUrl, id).catch(() => undefined);
    return id;
  } finally {
    await api.close();
  }
}

/** Returns the lines to print. */
export function welcome(
  host: Host,
  { settings }: Pick<Config, 'settings'>,
  served: Served & { readonly session: string | null },
  paint: Paint,
): string[] {
  const { restUrl, info, upstream, embedded, session, hasPage } = served;
  const stage = programName(host);
  return [
    ...(embedded ? embeddedWarning(stage, embedded, paint) : []),
    `REST     ${restUrl}`,
    `proxy    ${info.proxy.host}:${info.proxy.port}, database ${info.database}`,
    '',
    ...(upstream.ready ? [] : notReady(upstream, stage, paint)),
    ...nextSteps(),
    '',
  ];

  /** Returns the address of the page if no token is required; else the command that makes a link. */
  function reviewPage(): string {
    const needsLogin = settings.token !== null || settings.tokenFile !== null;
    if (needsLogin) return `${stage} review-link${session ? '' : ' --inbox'}`;
    return `${restUrl}/review${session ? `/${session}` : ''}`;
  }

  function nextSteps(): string[] {
    const url = connectionString(targetOf(host, restUrl, info, session ?? 'SESSION'), 'url');
    const steps = ['diff', 'propose', 'approve'];
    const commands = session ? steps : ['session new', ...steps.slice(0, 2)];
    const { restTls, tlsCert, token, tokenFile } = settings;
    return [
      session ? 'Connect, and write: nothing reaches production.' : 'Connect with a session:',
      `  psql '${url}'`,
      ...(hasPage ? ['Review in a browser:', `  ${reviewPage()}`] : []),
      'Then:',
      ...(restUrl === usualServer ? [] : [`  export STAGE_SERVER=${restUrl}`]),
      ...(restTls ? [`  export STAGE_SERVER_CA=${tlsCert}`] : []),
      ...(token === null && tokenFile !== null ? ['  export STAGE_TOKEN=...'] : []),
      ...commands.map((command) => `  ${stage} ${command}`),
    ];
  }
}

function notReady(
  { error, hint }: Extract<Served['upstream'], { ready: false }>,
  stage: string,
  paint: Paint,
): string[] {
  return [
    paint('failure', `Production cannot be used yet: ${sanitize(error)}`),
    ...(hint ? [`  ${sanitize(hint)}`] : []),
    `  The daemon keeps trying; ${stage} status shows when it is there.`,
    '',
  ];
}

function embeddedWarning(
  stage: string,
  { directory, madeAt }: NonNullable<Served['embedded']>,
  paint: Paint,
): string[] {
  const age =
    madeAt === null
      ? 'made now'
      : `found there, made ${madeAt.toISOString().slice(0, 16).replace('T', ' ')} UTC; start anew with --fresh`;
  return [
    paint(
      'changed',
      'Production is an EMBEDDED PostgreSQL with a sample database: there is no real one here.',
    ),
    `Its data: ${sanitize(directory)} (${age}).`,
    `For a database of yours: ${stage} serve --upstream postgresql://...`,
    '',
  ];
}

/** Returns the command that called this program: its name, or `node` with the script of a checkout. */
function programName(host: Host): string {
  const script = host.argv[1] ?? 'stage';
  return basename(script) === 'stage' ? 'stage' : `node ${relative(host.cwd(), script)}`;
}
