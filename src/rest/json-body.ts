/** Reads the JSON body of a request: limited in size, strict UTF-8, an object. Its members also keep their original text. */
import type { IncomingMessage } from 'node:http';
import { StageError } from '../errors.ts';
import type { JsonText } from '../model/json.ts';
import { isJsonObject } from '../model/json.ts';
import { membersOfRequest } from './json-members.ts';

export interface JsonBody {
  /** The parsed members. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The original text of each member, in which numbers are not rounded. */
  readonly texts: ReadonlyMap<string, JsonText>;
}

const noBody: JsonBody = { value: {}, texts: new Map() };

/**
 * Reads the body. A missing body counts as `{}`.
 * @throws StageError `unsupported_media_type`, `payload_too_large` or `invalid_request`
 */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<JsonBody> {
  if (!hasBody(request)) return noBody;
  demandJson(request);
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return noBody;
  const text = decodeUtf8(bytes);
  const value = parse(text);
  if (!isJsonObject(value)) {
    throw new StageError('invalid_request', 'the body is not a JSON object', {
      hint: 'Send an object, such as {} or {"project_id": "shop"}.',
    });
  }
  return { value, texts: membersOfRequest(text) };
}

function hasBody(request: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || (length !== undefined && Number(length) !== 0);
}

function demandJson(request: IncomingMessage): void {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
  const isJson = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(type);
  // guard: a body is JSON by its type
  if (isJson && encoding.toLowerCase() === 'identity') return;
  throw new StageError('unsupported_media_type', 'the body must be plain JSON in UTF-8', {
    hint: 'Send the header Content-Type: application/json, and no Content-Encoding.',
  });
}

async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  // Async iteration would destroy the socket when it throws, and with it the error response.
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // guard: a body is read up to a limit
      if (size > maxBytes) reject(tooLarge(maxBytes));
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', (cause) => reject(incomplete(cause)));
    request.on('close', () => reject(incomplete()));
  });
}

function decodeUtf8(bytes: Buffer): string {
  try {
    // guard: a body is UTF-8
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new StageError('invalid_request', 'the body is not valid UTF-8', {
      hint: 'Send JSON in UTF-8.',
      cause,
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StageError(
      'invalid_request',
      `the body is not valid JSON: ${(cause as Error).message}`,
      {
        hint: 'Send one JSON object.',
        cause,
      },
    );
  }
}

function tooLarge(maxBytes: number): StageError {
  return new StageError('payload_too_large', `the body is larger than ${maxBytes} bytes`, {
    hint: 'Send less metadata, or a shorter reason.',
  });
}

function incomplete(cause?: unknown): StageError {
  return new StageError('invalid_request', 'the body ended early', {
    hint: 'Send as many bytes as Content-Length states.',
    cause,
  });
}
