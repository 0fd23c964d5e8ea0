/** Accepts clients, and closes their connections in order when the daemon stops. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { SecureContext, SecureContextOptions } from 'node:tls';
import { createSecureContext } from 'node:tls';
import { StageError } from '../errors.ts';
import type { OpenedSession } from '../model/session.ts';
import type { ProxyServices, RunPipeline } from '../server-connection/connected-pair.ts';
import type { ConnectionList } from '../server-connection/connection-list.ts';
import { createConnectionList } from '../server-connection/connection-list.ts';
import { createCancelKeys } from './cancel.ts';
import { createAdmission } from './listener-admission.ts';
import type { ServeContext } from './listener-serve.ts';
import { serve } from './listener-serve.ts';
import { createStallMonitor } from './stall-monitor.ts';
import type { UpstreamTarget } from './upstream-target.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly services: ProxyServices;
  /** Called for each connection, because the target changes after a failover. */
  readonly target: () => UpstreamTarget;
  /** Resolves to null for an id that does not exist. */
  readonly findSession: (id: string, role: string) => Promise<OpenedSession | null>;
  readonly run: RunPipeline;
  /** See LoginServices. */
  readonly isNoticedGone: () => boolean;
  /** Certificate and key for clients that request encryption. Without them the proxy declines encryption. */
  readonly tls?: Pick<SecureContextOptions, 'cert' | 'key'>;
  /** Called for each connection: the capacity of production is unknown until it has been queried. */
  readonly maxConnections: () => number;
  /** Null for no limit per address. */
  readonly maxConnectionsPerAddress: number | null;
}

export interface Listener {
  /** Begins to listen. Resolves to the address in use; rejects when the address is not available. */
  start(): Promise<{ host: string; port: number }>;
  /** The connections that are served. */
  readonly connections: Omit<ConnectionList, 'add'>;
  /** Stops accepting, waits up to `graceMs` for connections to end, then closes the rest. Resolves when all have ended. */
  stop(graceMs: number): Promise<void>;
}

/** The limit on connections that have sent nothing yet. They cost one socket each, and are the first to be closed. */
const maxSilent = 1000;

/** Idle time before keepalive probes start, which detect peers that vanished. */
const keepAliveMs = 10_000;

/**
 * Creates a listener. It binds no port before `start`.
 * @throws StageError `configuration_invalid` when the certificate or key is invalid
 */
export function createListener(options: ListenerOptions): Listener {
  const context = createContext(options);
  const serving = new Set<Promise<void>>();
  const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs };
  const server = createServer(socketOptions, (socket) => {
    const served: Promise<void> = serve(socket, context).finally(() => serving.delete(served));
    serving.add(served);
  });
  return {
    connections: context.connections,
    start: async () => {
      server.listen(options.port, options.host);
      await once(server, 'listening');
      // The connection is lost, but the next one may succeed.
      server.on('error', (error) => {
        options.services.log.error('cannot accept a connection', { error: error.message });
      });
      const { address, port } = server.address() as AddressInfo;
      return { host: address, port };
    },
    stop: async (graceMs) => {
      const closed = once(server, 'close');
      server.close();
      for (const control of context.running) control.abort(stopping());
      const timer = setTimeout(() => {
        for (const socket of context.sockets) socket.destroy();
      }, graceMs);
      await Promise.all([closed, ...serving]);
      clearTimeout(timer);
    },
  };
}

function createContext(options: ListenerOptions): ServeContext {
  const { services, target, findSession, run, isNoticedGone, tls } = options;
  return {
    services,
    target,
    findSession,
    run,
    isNoticedGone,
    connections: createConnectionList(),
    stallMonitor: createStallMonitor(services.settings.stallTimeoutMs),
    secureContext: tls ? loadCertificate(tls) : null,
    cancelKeys: createCancelKeys(),
    admission: createAdmission({
      total: options.maxConnections,
      perAddress: options.maxConnectionsPerAddress,
      silent: maxSilent,
    }),
    sockets: new Set<Socket>(),
    running: new Set<AbortController>(),
  };
}

function loadCertificate(tls: ListenerOptions['tls']): SecureContext {
  try {
    return createSecureContext(tls);
  } catch (cause) {
    throw new StageError(
      'configuration_invalid',
      `the certificate or key for clients cannot be used: ${(cause as Error).message}`,
      { cause },
    );
  }
}

function stopping(): StageError {
  return new StageError(
    'server_unavailable',
    'terminating connection due to administrator command',
    {
      sqlstate: '57P01',
    },
  );
}
