/** A server between a client and a daemon that records which operations of the REST interface are requested. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, Sent } from './http.ts';

export interface RecordedOperations {
  readonly url: string;
  /** Returns the names of the operations that were requested since the last call, without those of the start. */
  take(): string[];
  stop(): Promise<void>;
}

type Call = (method: string, path: string, sent?: Sent) => Promise<Answer>;
type Described = Readonly<
  Record<string, Readonly<Record<string, { readonly operationId: string }>>>
>;

/**
 * Starts the server.
 * @param call sends a request to the daemon, which describes its operations
 * @param forwards whether requests reach the daemon; otherwise none is carried out: the response is 404
 */
export async function recordOperations(call: Call, forwards: boolean): Promise<RecordedOperations> {
  const described = (await call('GET', '/openapi.json')).body.paths as Described;
  const known = Object.entries(described).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      operation: operationId,
      pattern: new RegExp(`^${method} ${path.replace(/\{\w+\}/g, '[^/]+')}$`, 'i'),
    })),
  );
  let recorded: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const asked = `${method} ${url.split('?')[0]}`;
    const found = known.find(({ pattern }) => pattern.test(asked));
    recorded.push(found?.operation ?? asked);
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', async () => {
      const { authorization = '', 'content-type': type, 'idempotency-key': key } = headers;
      const sent = {
        headers: {
          authorization,
          ...(type === undefined ? {} : { 'content-type': type }),
          ...(key === undefined ? {} : { 'idempotency-key': String(key) }),
        },
        ...(chunks.length === 0 ? {} : { raw: Buffer.concat(chunks) }),
      };
      const { status, text } = forwards
        ? await call(method, url, sent)
        : { status: 404, text: '{"error":"session_not_found","message":"there is none"}' };
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    take: () => {
      const taken = [...new Set(recorded)];
      recorded = [];
      return taken;
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
