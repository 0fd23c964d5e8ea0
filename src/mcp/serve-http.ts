/** Serves the protocol over HTTP. Each request has its own token, which is passed on to the service. Nothing is stored between requests. */
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { StageError } from '../errors.ts';
import { refusalOf } from './http-access.ts';
import type { Connected } from './server.ts';
import { createMcpServer } from './server.ts';

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** Makes the context of a request, which is closed after it. @throws StageError for a token that is not accepted */
  admit(token: string | null): Promise<Connected & { close(): Promise<void> }>;
}

export interface HttpServer {
  readonly port: number;
  stop(): Promise<void>;
}

const maxBodyBytes = 4 * 1024 * 1024;

export const isLoopback = (host: string) => /^(?:127\.[\d.]+|\[?::1\]?|localhost)$/i.test(host);

/** Starts to listen; the caller stops it. @throws StageError `usage` if the address cannot be used */
export async function serveOverHttp(options: HttpOptions): Promise<HttpServer> {
  const server = createServer((incoming, outgoing) => {
    void answer(incoming, outgoing, options).catch(() => outgoing.destroy());
  });
  server.requestTimeout = 60_000;
  server.maxConnections = 200;
  const host = options.host.replace(/^\[|\]$/g, '');
  server.listen(options.port, host);
  await Promise.race([
    once(server, 'listening'),
    once(server, 'error').then(([error]: Error[]) => {
      throw cannotListen(options, error);
    }),
  ]);
  return { port: portOf(server), stop: () => stop(server) };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

function cannotListen({ host, port }: HttpOptions, cause: unknown): StageError {
  return new StageError('usage', `cannot listen on ${host}:${port}`, {
    hint: 'Choose another address with --listen HOST:PORT.',
    cause,
  });
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: HttpOptions,
): Promise<void> {
  const refusal = refusalOf(incoming, isLoopback(options.host));
  if (refusal !== null) return refuse(outgoing, 403, refusal);
  const token = /^Bearer +(\S+) *$/i.exec(incoming.headers.authorization ?? '')?.[1] ?? null;
  const place = await options.admit(token).catch((error: unknown) => error);
  if (!isConnected(place)) return refuse(outgoing, ...statusOf(place));
  const handler = createMcpHandler(() => createMcpServer(place), {
    maxRequestBodySize: maxBodyBytes,
  });
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  try {
    const response = await handler.fetch(toRequest(incoming, gone.signal));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body === null) outgoing.end();
    else await pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing);
  } finally {
    await handler.close();
    await place.close();
  }
}

function isConnected(place: unknown): place is Connected & { close(): Promise<void> } {
  return typeof place === 'object' && place !== null && 'api' in place;
}

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
  const { method = 'GET', url = '/' } = incoming;
  const init = { method, headers, signal };
  const address = new URL(url, 'http://stage.invalid');
  if (method === 'GET' || method === 'HEAD') return new Request(address, init);
  const body = Readable.toWeb(incoming);
  return new Request(address, { ...init, body, duplex: 'half' } as RequestInit);
}

/** Returns the response to a token that is not accepted, and to other errors. Details of other errors are not revealed. */
function statusOf(error: unknown): [number, string] {
  if (!(error instanceof StageError)) return [500, 'internal'];
  if (error.status === 401) return [401, 'a token is required: Authorization: Bearer <token>'];
  if (error.status === 403) return [403, error.message];
  return [503, 'the service cannot be reached at present'];
}

function refuse(outgoing: ServerResponse, status: number, message: string): void {
  const body = { jsonrpc: '2.0', id: null, error: { code: -32_000, message } };
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  outgoing.writeHead(status, { 'content-type': 'application/json', ...challenge });
  outgoing.end(JSON.stringify(body));
}

/** Parses `HOST:PORT`. @throws StageError `usage` */
export function readAddress(text: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^(\[[0-9a-f:.]+\]|[^:]+):(\d{1,5})$/i.exec(text) ?? [];
  const isName = isIP(host.replace(/^\[|\]$/g, '')) > 0 || /^[\w.-]+$/.test(host);
  if (isName && Number(port) <= 65_535) return { host, port: Number(port) };
  throw new StageError('usage', `${JSON.stringify(text)} is no address to listen on`, {
    hint: 'Write it as 127.0.0.1:8090 with --listen.',
  });
}
