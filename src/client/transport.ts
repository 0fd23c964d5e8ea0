/** One HTTP request to the daemon: what it answers, or the StageError it answers with. The only importer of undici. */
import { Agent, request } from 'undici';
import type { ErrorCode } from '../errors.ts';
import { isErrorCode, StageError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { JsonText, stringifyJson } from '../model/json.ts';
import { Fields } from './fields.ts';

export interface TransportOptions {
  /** The daemon's address, e.g. `http://127.0.0.1:8080`, without a slash at its end. */
  readonly server: string;
  readonly token: string | null;
  /** Certificates (PEM) by which an https server is known in place of the system's. */
  readonly ca?: string | null;
  /** The name in the server's certificate does not matter: it is known by the certificate itself. */
  readonly anyName?: boolean;
  /** Ends requests that are under way. */
  readonly signal?: AbortSignal;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | null | undefined>>;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends this request alone. */
  readonly signal?: AbortSignal | undefined;
  /** A status beyond 299 that is an answer and no error. */
  readonly alsoGood?: number;
}

export interface Transport {
  /** Gives the body of a good answer; raises StageError for all others. */
  send(call: Call): Promise<string>;
  /** The same, in the pieces the body arrives in. */
  stream(call: Call): AsyncGenerator<string>;
  close(): Promise<void>;
}

/** Connecting is quick or hopeless; an approval of a million rows may take its time to answer. */
function agentOptions({ ca = null, anyName }: TransportOptions): Agent.Options {
  const trust = ca === null ? {} : { ca };
  const identity = anyName ? { checkServerIdentity: () => undefined } : {};
  return {
    connect: { timeout: 10_000, ...trust, ...identity },
    headersTimeout: 0,
    bodyTimeout: 0,
  };
}

/** Opens a transport; nothing connects before the first call. */
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
  // JSON has no line breaks: behind one, an answer that is cut says why
  let held: string | null = null;
  try {
    const answer = await request(
      address(options.server, call),
      requestOptions(options, call, agent),
    );
    if (answer.statusCode >= 300 && answer.statusCode !== call.alsoGood) {
      throw refusal(answer.statusCode, await answer.body.text(), options.server);
    }
    const decoder = new TextDecoder();
    held = '';
    for await (const part of answer.body) {
      const text: string = held + decoder.decode(part as Buffer, { stream: true });
      const lineAt = text.lastIndexOf('\n');
      held = lineAt < 0 ? '' : text.slice(lineAt);
      yield lineAt < 0 ? text : text.slice(0, lineAt);
    }
    yield held + decoder.decode();
  } catch (error) {
    if (error instanceof StageError || signalFor(options, call)?.aborted) throw error;
    throw held === null
      ? unreachable(options.server, call, error)
      : cut(options.server, held, error);
  }
}

/** An answer that ended before its end, for a reason that its last line tells, or for none. */
function cut(server: string, lastLine: string, cause: unknown): StageError {
  const code = fieldsOf(lastLine.trim())?.text('error');
  if (code) return refusal(200, lastLine.trim(), server);
  return new StageError(
    'server_unavailable',
    `the answer of ${server} broke off: ${(cause as Error).message}`,
    {
      hint: 'Look with `stage status`, and in the log of the service; then repeat the command.',
      cause,
    },
  );
}

function requestOptions(options: TransportOptions, call: Call, dispatcher: Agent) {
  const { method } = call;
  const authorization = options.token === null ? {} : { authorization: `Bearer ${options.token}` };
  const headers = { ...call.headers, accept: 'application/json', ...authorization };
  const signal = signalFor(options, call);
  if (method !== 'POST') return { dispatcher, method, headers, signal };
  const body = stringifyJson(call.body ?? {});
  return {
    dispatcher,
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    signal,
    body,
  };
}

/** What ends a request: the end of all, or of this one. */
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
        ? 'The request may have been carried out all the same: look with `stage session show` before you repeat it.'
        : 'Start it with `stage serve`, or name another with --server or STAGE_SERVER.',
    cause,
  });
}

/** Codes and words of OpenSSL for a server that is not known. */
const certificateFaults = /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|ALTNAME|certificate/i;

function codeOf(error: unknown): string {
  return error instanceof Error ? String((error as NodeJS.ErrnoException).code ?? '') : '';
}

/** Error codes for answers that carry none we know: a proxy in between, or a newer daemon. */
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

/** Turns an error body back into the error it was made from; its further members become facts. */
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
