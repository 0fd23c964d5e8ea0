/** The listener of the proxy alone, in front of a real server, with a pipeline that passes bytes. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { ListenerOptions } from '../../src/client-connection/listener.ts';
import { createListener } from '../../src/client-connection/listener.ts';
import { StartupStream } from '../../src/client-connection/startup-stream.ts';
import { parseUpstream } from '../../src/client-connection/upstream-target.ts';
import type { Database } from '../../src/db/database.ts';
import { createLog } from '../../src/log.ts';
import type { OpenedSession, ReadsMode, Session } from '../../src/model/session.ts';
import type { OverlayManager } from '../../src/overlay/install/manager.ts';
import type {
  ConnectedPair,
  ProxySettings,
  RunPipeline,
} from '../../src/server-connection/connected-pair.ts';
import { UserCalls } from '../../src/server-connection/user-calls.ts';
import { errorResponse } from '../../src/wire/backend-messages.ts';
import { decodeErrorFields, errorFields } from '../../src/wire/error-fields.ts';
import { backendLimits } from '../../src/wire/limits.ts';
import { backend } from '../../src/wire/message-codes.ts';
import { madeSession } from './made-session.ts';

export interface TestListener {
  readonly port: number;
  /** The only session. */
  readonly session: Session & OpenedSession;
  /** The logged-in connections that were handed over, oldest first. */
  readonly pairs: ConnectedPair[];
  /** Lines of the log. */
  readonly log: string[];
  /** Returns a connection URL, with the session unless other options are given. */
  url(user: string, password: string, options?: string): string;
  stop(graceMs?: number): Promise<void>;
}

interface TestListenerOptions
  extends Partial<Pick<ListenerOptions, 'tls' | 'maxConnectionsPerAddress'>> {
  /** 50 by default. */
  readonly maxConnections?: number;
  readonly upstream: string;
  readonly settings?: Partial<ProxySettings>;
  readonly reads?: ReadsMode;
  readonly findSession?: ListenerOptions['findSession'];
  readonly run?: RunPipeline;
}

export const listenerSettings: ProxySettings = {
  maxStatementBytes: 1_000_000,
  maxMessageBytes: 1_000_000,
  loginTimeoutMs: 10_000,
  allowFunctions: [],
  statementCacheSize: 10,
  stallTimeoutMs: 30_000,
  shutdownGraceMs: 1000,
  stagedNotice: false,
};

export async function startTestListener(options: TestListenerOptions): Promise<TestListener> {
  const session = {
    ...madeSession({
      id: `sess_${randomBytes(16).toString('hex')}`,
      reads: options.reads ?? 'production',
    }),
    escapesBackslashes: false,
  };
  const pairs: ConnectedPair[] = [];
  const log: string[] = [];
  const target = parseUpstream(options.upstream);
  const run = options.run ?? passBytes;
  const listener = createListener({
    host: '127.0.0.1',
    port: 0,
    target: () => target,
    isNoticedGone: () => false,
    findSession: options.findSession ?? (async (id) => (id === session.id ? session : null)),
    run: (pair, services) => {
      pairs.push(pair);
      return run(pair, services);
    },
    services: {
      db: {} as Database,
      overlays: {} as OverlayManager,
      userCalls: { current: new UserCalls([], []) },
      log: createLog('debug', { write: (line: string) => log.push(line) }),
      metrics: {
        query: ignore,
        refused: ignore,
        staged: ignore,
        connectionOpened: ignore,
        connectionClosed: ignore,
      },
      settings: { ...listenerSettings, ...options.settings },
    },
    ...(options.tls ? { tls: options.tls } : {}),
    maxConnections: () => options.maxConnections ?? 50,
    maxConnectionsPerAddress: options.maxConnectionsPerAddress ?? null,
  });
  const { port } = await listener.start();
  const sessionOption = `-c service_session=${session.id}`;
  return {
    port,
    session,
    pairs,
    log,
    url: (user, password, given = sessionOption) =>
      `postgresql://${user}:${password}@127.0.0.1:${port}/${target.database}?options=${encodeURIComponent(given)}`,
    stop: (graceMs = 1000) => listener.stop(graceMs),
  };
}

/** Replaces the statement pipeline. */
const passBytes: RunPipeline = async ({
  client,
  upstream,
  leftover,
  upstreamLeftover,
  shutdown,
}) => {
  const closed = Promise.all([once(client, 'close'), once(upstream, 'close')]);
  upstream.write(leftover);
  client.write(upstreamLeftover);
  client.pipe(upstream).pipe(client);
  client.once('close', () => upstream.destroy());
  upstream.once('close', () => client.destroySoon());
  shutdown.addEventListener('abort', () => {
    client.end(
      errorResponse(errorFields('FATAL', { sqlstate: '57P01', message: 'shutting down' })),
    );
    upstream.destroy();
  });
  await closed;
};

/** A client that sends and receives raw messages. */
export interface RawClient {
  readonly socket: Socket;
  readonly stream: StartupStream;
  /** Reads until the connection ends; returns the received types, and the SQLSTATE and hint of the last error. */
  readToEnd(): Promise<{ types: string; sqlstate: string | undefined; hint: string | undefined }>;
}

export async function connectRaw(port: number, ...packets: readonly Buffer[]): Promise<RawClient> {
  const socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'connect');
  socket.on('error', ignore);
  for (const packet of packets) socket.write(packet);
  const stream = new StartupStream(socket, backendLimits(), AbortSignal.timeout(20_000));
  return { socket, stream, readToEnd: () => readToEnd(stream) };
}

async function readToEnd(stream: StartupStream) {
  let types = '';
  let fields: ReadonlyMap<string, string> = new Map();
  try {
    for (;;) {
      const message = await stream.next();
      types += String.fromCharCode(message.type);
      if (message.type === backend.errorResponse) fields = decodeErrorFields(message.payload);
    }
  } catch {
    stream.socket.destroy();
  }
  return { types, sqlstate: fields.get('C'), hint: fields.get('H') };
}

function ignore(): void {}
