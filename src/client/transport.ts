/** Sends one HTTP request to the daemon; returns the response or throws its StageError. The only importer of undici. */
// The whole package takes twice as long to load as Node.js takes to start: it has fetch, WebSocket, caches and mocks.
import request from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import type { ErrorCode } from '../errors.ts';
import { isErrorCode, StageError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { JsonText, stringifyJson } from '../model/json.ts';
import { Fields } from './fields.ts';

export interface TransportOptions {
  /** The daemon's address without a trailing slash, e.g. `http://127.0.0.1:8080`. */
  readonly server: string;
  readonly token: string | null;
  /** Trusted certificates (PEM) for an https server, in place of the system's. */
  readonly ca?: string | null;
  /** Skips the check of the name in the server's certificate; the certificate alone identifies the server. */
  readonly anyName?: boolean;
  /** Ends running requests. */
  readonly signal?: AbortSignal;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | null | undefined>>;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends only this request. */
  readonly signal?: AbortSignal | undefined;
  /** A status above 299 that counts as success. */
  readonly alsoGood?: number;
}

export interface Transport {
  /** Returns the body of a successful response. @throws StageError for any other */
  send(call: Call): Promise<string>;
  /** Returns the body in the pieces in which it arrives. */
  stream(call: Call): AsyncGenerator<string>;
  close(): Promise<void>;
}

/** Returns the options of the agent. Only connecting has a time limit, since the approval of a million rows may take long. */
function agentOptions({ ca = null, anyName }: TransportOptions): Agent.Options {
  const trust = ca === null ? {} : { ca };
  const identity = anyName ? { checkServerIdentity: () => undefined } : {};
  return {
    connect: { timeout: 10_000, ...trust, ...identity },
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

/** Opens a transport. It connects at the first call. */
export function createTransport(options: TransportOptions): Transport {
  const agent = new Agent(agentOptions(options));
  const stream = (call: Call) => receive(options, call, agent);
  return {
    stream,
    send: async (call) => {
      const parts: string[] = [];
      for await (const part of stream(call)) parts.push(part);
      return parts.join('');
    },
    close: () => agent.destroy(),
  };
}

async function* receive(
  options: TransportOptions,
  call: Call,
  agent: Agent,
): AsyncGenerator<string> {
  // the daemon's JSON has no line breaks; a line break precedes the reason in a truncated response
  let buffered: string | null = null;
  try {
    const answer = await request.call(agent, requestOptions(options, call));
    if (answer.statusCode >= 300 && answer.statusCode !== call.alsoGood) {
      throw refusal(answer.statusCode, await answer.body.text(), options.server);
    }
    const decoder = new TextDecoder();
    buffered = '';
    for await (const part of answer.body) {
      const text: string = buffered + decoder.decode(part as Buffer, { stream: true });
      const lineAt = text.lastIndexOf('\n');
      buffered = lineAt < 0 ? '' : text.slice(lineAt);
      yield lineAt < 0 ? text : text.slice(0, lineAt);
    }
    yield buffered + decoder.decode();
  } catch (error) {
    if (error instanceof StageError || signalFor(options, call)?.aborted) throw error;
    throw buffered === null
      ? unreachable(options.server, call, error)
      : cut(options.server, buffered, error);
  }
}

/** Makes the error of a response that broke off: the reason in its last line, or an unknown one. */
function cut(server: string, lastLine: string, cause: unknown): StageError {
  const code = fieldsOf(lastLine.trim())?.text('error');
  if (code) return refusal(200, lastLine.trim(), server);
  return new StageError(
    'server_unavailable',
    `the answer of ${server} broke off: ${(cause as Error).message}`,
    {
      hint: 'Check `stage status` and the log of the service; then repeat the command.',
      cause,
    },
  );
}

function requestOptions(options: TransportOptions, call: Call) {
  const { method } = call;
  const { origin, pathname, search } = address(options.server, call);
  const path = pathname + search;
  const authorization = options.token === null ? {} : { authorization: `Bearer ${options.token}` };
  const headers = { ...call.headers, accept: 'application/json', ...authorization };
  const signal = signalFor(options, call);
  if (method !== 'POST' && method !== 'PUT') return { origin, path, method, headers, signal };
  const body = stringifyJson(call.body ?? {});
  return {
    origin,
    path,
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    signal,
    body,
  };
}

/** Combines the signals that can end a request: that of the transport and that of the call. */
function signalFor({ signal: all }: TransportOptions, { signal: own }: Call): AbortSignal | null {
  return all && own ? AbortSignal.any([all, own]) : (all ?? own ?? null);
}

function address(server: string, call: Call): URL {
  const url = new URL(server + call.path);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== null && value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

function unreachable(server: string, call: Call, cause: unknown): StageError {
  const reason =
    cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : String(cause);
  const lost =
    call.method !== 'GET' && !/ECONNREFUSED|ENOTFOUND|CONNECT_TIMEOUT/.test(codeOf(cause));
  return new StageError('server_unavailable', `the server ${server} cannot be reached: ${reason}`, {
    hint: certificateFaults.test(`${codeOf(cause)} ${reason}`)
      ? "Name the certificate, or that of who signed it, with --server-ca or STAGE_SERVER_CA, and the server by the certificate's name."
      : lost
        ? 'The request may have been carried out all the same: check `stage session show` before you repeat it.'
        : 'Start it with `stage serve`, or name another with --server or STAGE_SERVER.',
    cause,
  });
}

/** Codes and messages of OpenSSL for a server that is not trusted. */
const certificateFaults = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME|certificate/i;

function codeOf(error: unknown): string {
  return error instanceof Error ? String((error as NodeJS.ErrnoException).code ?? '') : '';
}

/** Error codes for responses without a known code: those of an intermediate proxy or of a newer daemon. */
const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'invalid_transition',
  412: 'digest_mismatch',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  502: 'server_unavailable',
  503: 'upstream_unavailable',
  504: 'server_unavailable',
};

/** Converts an error body back into the error that it was made from. Its additional members become facts. */
function refusal(status: number, body: string, server: string): StageError {
  const fields = fieldsOf(body);
  const code = fields?.text('error');
  const byStatus = codesByStatus[status] ?? (status < 400 ? 'server_unavailable' : 'internal');
  if (!fields || !code) {
    return new StageError(byStatus, `${server} answered ${status} without saying why`, {
      hint: 'Check that this is the address of a stage server: `stage status --server URL`.',
    });
  }
  const hint = fields.text('hint');
  return new StageError(isErrorCode(code) ? code : byStatus, fields.text('message') ?? code, {
    ...(hint === null ? {} : { hint }),
    facts: fields.except(isErrorCode(code) ? ['error', 'message', 'hint'] : ['message', 'hint']),
  });
}

function fieldsOf(body: string): Fields | null {
  try {
    return new Fields(new JsonText(body));
  } catch {
    return null;
  }
}
