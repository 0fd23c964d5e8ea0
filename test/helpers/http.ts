/** A bare HTTP client: it sends any header and any body, follows no redirects, and adds nothing. */
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text parsed as JSON; empty if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it at will, and fail where it is not as expected
  readonly body: any;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, with that content type. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly raw?: string | Buffer;
}

/** Sends one request on a new connection and returns the response. */
export function callHttp(
  base: string,
  method: string,
  path: string,
  sent: Sent = {},
): Promise<Answer> {
  const payload = sent.json === undefined ? sent.raw : JSON.stringify(sent.json);
  const headers = {
    ...(sent.json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(payload === undefined ? {} : { 'content-length': String(Buffer.byteLength(payload)) }),
    ...sent.headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, base), { method, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text,
          body: parsed(text),
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
