/** The HTTP server of the REST API. */
import type { RequestListener, ServerOptions } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { explainListenError } from './listen-policy.ts';
import type { TlsFiles } from './tls-files.ts';

export interface RestServer {
  readonly port: number;
  /** Refuses new requests, and lets running ones finish within the time. */
  stop(graceMs: number): Promise<void>;
}

/** A request that comes too slowly gets status 408, and its connection is closed, within a second after its time limit. */
const usualLimits: ServerOptions = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
};

/** Maximum number of connections that have not sent a request yet. Beyond it, the oldest one is closed. */
const maxSilent = 500;

/**
 * Starts to listen, with TLS if certificate and key are given.
 * @throws StageError `configuration_invalid` if it cannot listen
 */
export async function startRestServer(
  handle: RequestListener,
  where: { readonly host: string; readonly port: number; readonly tls?: TlsFiles | null },
  limits: ServerOptions = usualLimits,
): Promise<RestServer> {
  const { tls } = where;
  const server = tls
    ? createTlsServer({ ...limits, ...tls }, handle)
    : createServer(limits, handle);
  // Node considers a connection idle only after its first request.
  const silent = new Set<Socket>();
  server.on('connection', (socket) => {
    silent.add(socket);
    // guard: the number of silent connections to REST is limited
    if (silent.size > maxSilent) [...silent][0]?.destroy();
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', ({ socket }) => silent.delete(socket));
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(explainListenError(error, { ...where, flag: '--port' }));
    // stays registered: a connection that cannot be accepted later must not end the process
    server.on('error', fail);
    server.listen(where.port, where.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async stop(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      for (const socket of silent) socket.destroy();
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
}
