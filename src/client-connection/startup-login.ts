/** Logs a client in: reads its parameters, finds its session, opens the upstream as the client's role, and prepares both. */
import { noticeGone } from '../db/connection-settings.ts';
import type { OpenedSession } from '../model/session.ts';
import { CancelRequests } from '../server-connection/cancel-requests.ts';
import type { ConnectedPair } from '../server-connection/connected-pair.ts';
import { backendKeyData, readyForQuery } from '../wire/backend-messages.ts';
import { startupMessage } from '../wire/startup.ts';
import { relayAuthentication } from './authentication.ts';
import type { CancelKeys, IssuedKey } from './cancel.ts';
import { cancelUpstream } from './cancel.ts';
import type { ClientStartup } from './startup.ts';
import { settleVersion } from './startup.ts';
import type { Login } from './startup-parameters.ts';
import {
  demandStandardStrings,
  pinnedParameters,
  readLogin,
  unknownSession,
} from './startup-parameters.ts';
import { question, readReports } from './startup-settings.ts';
import type { StartupStream } from './startup-stream.ts';
import type { UpstreamOpening } from './upstream.ts';
import { openUpstream } from './upstream.ts';
import type { UpstreamTarget } from './upstream-target.ts';

export interface LoginServices {
  /** Called once for each connection. */
  readonly target: () => UpstreamTarget;
  readonly cancelKeys: CancelKeys;
  readonly findSession: (id: string, role: string) => Promise<OpenedSession | null>;
  /** Whether the upstream can detect, while it runs a statement, that the proxy has disconnected. */
  readonly isNoticedGone: () => boolean;
}

export interface LoggedIn {
  readonly pair: Omit<ConnectedPair, 'shutdown' | 'handle'>;
  /** The process id of the server's backend. */
  readonly backend: number;
  /** The caller revokes it when the connection has ended. */
  readonly key: IssuedKey;
}

/**
 * Logs a client in.
 * @returns null when the upstream refused the login; the client has got the upstream's error by then
 * @throws StageError for the client, ConnectionEnded, or the signal's reason; the upstream's socket is closed by then
 */
export async function logIn(
  { stream: client, packet }: ClientStartup,
  services: LoginServices,
  signal: AbortSignal,
): Promise<LoggedIn | null> {
  const protocolMinor = settleVersion(client, packet);
  const target = services.target();
  const login = readLogin(packet.parameters, target.database);
  const user = new Map(login.parameters).get('user') ?? '';
  const session = await orAborted(services.findSession(login.sessionId, user), signal);
  if (session === null) throw unknownSession(login.sessionId);
  demandStandardStrings(session, login);
  const reads = login.reads ?? session.reads;
  const startup = startupMessage([
    ...(services.isNoticedGone() ? [noticeGone] : []),
    ...login.parameters,
    ...pinnedParameters({ sessionId: session.id, reads, access: login.access }),
  ]);
  const opening = await openUpstream(target, startup, signal);
  const upstream = opening.stream;
  try {
    const ready = await makeReady({ client, opening, login, target, protocolMinor }, services);
    if (ready === null) return null;
    const { key, cancel, cancels, backend, countsBytes } = ready;
    const pair = {
      client: client.socket,
      upstream: upstream.socket,
      session,
      user,
      reads,
      notice: login.notice,
      access: login.access,
      leftover: client.release(),
      upstreamLeftover: upstream.release(),
      protocolMinor,
      countsBytes,
      processId: key.processId,
      cancel,
      cancels,
    };
    return { pair, key, backend };
  } catch (error) {
    upstream.socket.destroy();
    throw error;
  }
}

interface Joining {
  readonly client: StartupStream;
  readonly opening: UpstreamOpening;
  readonly login: Login;
  readonly target: UpstreamTarget;
  readonly protocolMinor: number;
}

/** Returns the length of the secret. Protocol 3.0 allows only 4 bytes, 3.2 allows secrets that are too long to guess. */
const secretBytes = (protocolMinor: number) => (protocolMinor >= 2 ? 32 : 4);

interface ReadyKey {
  readonly key: IssuedKey;
  readonly cancel: () => Promise<void>;
  readonly cancels: CancelRequests;
  readonly backend: number;
  readonly countsBytes: boolean;
}

/** Relays the login and the server's reports after it. Returns the client's cancel key and the function behind it, or null when refused. */
async function makeReady(
  joining: Joining,
  { cancelKeys }: LoginServices,
): Promise<ReadyKey | null> {
  const { client, opening, target } = joining;
  const upstream = opening.stream;
  const answer = await relayAuthentication({ client, upstream }, opening.first);
  if (answer.outcome === 'refused') return refuse(joining, [answer.frame]);
  upstream.socket.write(question);
  const reports = await readReports(upstream, joining.login.access);
  if (reports.outcome === 'refused') return refuse(joining, [answer.frame, ...reports.messages]);
  const upstreamKey = reports.key;
  const cancel = async () => {
    if (upstreamKey !== null) await cancelUpstream(target, opening.encrypted, upstreamKey);
  };
  const bytes = secretBytes(joining.protocolMinor);
  const cancels = new CancelRequests();
  const key = cancelKeys.issue(bytes, upstreamKey?.processId, () => {
    cancels.note();
    return cancel();
  });
  client.socket.write(
    Buffer.concat([
      answer.frame,
      ...reports.messages,
      backendKeyData(key.processId, key.secret),
      readyForQuery('I'),
    ]),
  );
  const countsBytes = reports.settings.get('server_encoding') === 'SQL_ASCII';
  return { key, cancel, cancels, backend: upstreamKey?.processId ?? 0, countsBytes };
}

function refuse({ client, opening }: Joining, messages: readonly Buffer[]): null {
  client.socket.write(Buffer.concat(messages));
  opening.stream.socket.destroy();
  return null;
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
