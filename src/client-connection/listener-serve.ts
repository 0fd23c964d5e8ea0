/** Serves one client connection from its first byte to its last. */
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { StageError } from '../errors.ts';
import type { ProxyServices, RunPipeline } from '../server-connection/connected-pair.ts';
import type { ConnectionList, PipelineHandle } from '../server-connection/connection-list.ts';
import { wireError } from '../server-connection/wire-error.ts';
import { errorResponse } from '../wire/backend-messages.ts';
import type { Admission } from './listener-admission.ts';
import type { StallMonitor } from './stall-monitor.ts';
import type { ClientCancel, ClientStartup } from './startup.ts';
import { readOpening } from './startup.ts';
import type { LoggedIn, LoginServices } from './startup-login.ts';
import { logIn } from './startup-login.ts';
import { ConnectionEnded } from './startup-stream.ts';

export interface ServeContext extends LoginServices {
  readonly services: ProxyServices;
  readonly run: RunPipeline;
  /** Null when the proxy does not offer TLS. */
  readonly secureContext: SecureContext | null;
  readonly admission: Admission;
  readonly stallMonitor: StallMonitor;
  readonly connections: ConnectionList;
  /** All open sockets, of clients and upstreams. */
  readonly sockets: Set<Socket>;
  /** One controller for each connection that is served. It is aborted, with the error for its client, when the daemon stops. */
  readonly running: Set<AbortController>;
}

/** The time that a client has to read the last message before its socket is destroyed. */
const farewellMs = 2000;

/** Serves an accepted socket until the client and its upstream are done. Never rejects. */
export async function serve(plain: Socket, context: ServeContext): Promise<void> {
  const address = plain.remoteAddress ?? '';
  const leaveSilent = context.admission.arrive(plain);
  // One for each connection, although all are aborted together: a shared signal would accumulate listeners.
  const control = new AbortController();
  context.running.add(control);
  let client = plain;
  const use = (socket: Socket) => {
    client = socket;
    ignoreErrors(socket, context);
  };
  use(plain);
  const timer = setTimeout(
    // guard: a login takes only so long
    () => control.abort(tooSlow()),
    context.services.settings.loginTimeoutMs,
  );
  try {
    const opening = await readOpening(plain, context.secureContext, control.signal, use);
    leaveSilent();
    if (opening.kind === 'cancel') {
      // guard: a client that has closed its side waits for the proxy until the upstream has the request
      client.allowHalfOpen = true;
      await cancel(opening, context);
    } else
      await connect(opening, { address, context, control, onLoggedIn: () => clearTimeout(timer) });
    farewell(client, null);
  } catch (error) {
    logRefusal(error, address, context);
    farewell(client, error);
  } finally {
    clearTimeout(timer);
    context.running.delete(control);
  }
}

async function cancel(
  { packet }: ClientCancel,
  { cancelKeys, services }: ServeContext,
): Promise<void> {
  await cancelKeys.cancel(packet).catch((error: Error) => {
    services.log.warn('a cancel request did not reach the upstream', { error: error.message });
  });
}

interface Connecting {
  readonly address: string;
  readonly context: ServeContext;
  readonly control: AbortController;
  readonly onLoggedIn: () => void;
}

async function connect(opening: ClientStartup, connecting: Connecting): Promise<void> {
  const { address, context, control } = connecting;
  const { services } = context;
  const leave = context.admission.admit(address);
  try {
    const loggedIn = await logIn(opening, context, control.signal);
    if (loggedIn === null) {
      services.log.info('client refused by the upstream', { address });
      return;
    }
    connecting.onLoggedIn();
    const { pair, key } = loggedIn;
    ignoreErrors(pair.upstream, context);
    const handle = { state: () => 'idle', end: () => pair.client.destroy() } as PipelineHandle;
    const forget = remember(loggedIn, handle, connecting);
    const stopMonitoring = context.stallMonitor.add(pair.client, () => {
      const facts = { process_id: pair.processId, address };
      services.log.info('connection ended: the client does not read its responses', facts);
    });
    services.metrics.connectionOpened();
    // After any failure, the client may be in the middle of a message, so it cannot receive an error any more.
    await context
      .run({ ...pair, handle, shutdown: control.signal }, services)
      .catch((error: Error) => {
        services.log.error('connection failed', {
          process_id: pair.processId,
          error: error.message,
        });
        pair.client.destroy();
      });
    services.metrics.connectionClosed();
    stopMonitoring();
    forget();
    key.revoke();
    pair.upstream.destroy();
  } finally {
    leave();
  }
}

function remember(
  { pair, backend }: LoggedIn,
  handle: PipelineHandle,
  { address, context }: Connecting,
): () => void {
  const connectedAt = new Date().toISOString();
  const { session, user: role } = pair;
  return context.connections.add({
    sessionId: session.id,
    backend,
    role,
    address,
    connectedAt,
    handle,
  });
}

function ignoreErrors(socket: Socket, { sockets }: ServeContext): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  // `close` follows every error and is handled. Without this listener an error would end the process.
  socket.on('error', () => undefined);
}

/** Sends the error, if there is one, and closes the socket so that the client can read it. */
function farewell(client: Socket, error: unknown): void {
  if (client.destroyed) return;
  if (error === null || error instanceof ConnectionEnded) client.end();
  else client.end(errorResponse(wireError('FATAL', error)));
  // Unread bytes would turn the close into a reset, and the client would lose the message.
  client.resume();
  const timer = setTimeout(() => client.destroy(), farewellMs);
  client.once('close', () => clearTimeout(timer));
}

function logRefusal(error: unknown, address: string, { services }: ServeContext): void {
  if (error instanceof ConnectionEnded) {
    services.log.debug('client left while logging in', { address });
  } else if (error instanceof StageError) {
    services.log.info('client refused', { address, code: error.code, sqlstate: error.sqlstate });
  } else {
    services.log.error('login failed', { address, error: String(error) });
  }
}

function tooSlow(): StageError {
  return new StageError('server_unavailable', 'canceling authentication due to timeout', {
    sqlstate: '57014',
    hint: 'The client or the upstream database did not answer in time.',
  });
}
