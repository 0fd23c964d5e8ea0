/** Requests to the REST interface. */
/// <reference lib="dom" />
import { Fields } from '../client/fields.ts';
import { JsonText } from '../model/json.ts';

/** An error response of the service. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  readonly fields: Fields;

  constructor(status: number, fields: Fields, hint = fields.text('hint') ?? '') {
    super(fields.text('message') ?? `the service answered ${status}`);
    this.status = status;
    this.code = fields.text('error') ?? '';
    this.hint = hint;
    this.fields = fields;
  }
}

/** Name of the login's key in the browser's storage, which belongs to this origin only. The browser adds the cookie itself. */
const keyName = 'stage-key';

/** Stores the key of a login; null removes it. */
export function saveKey(key: string | null): void {
  if (key === null) localStorage.removeItem(keyName);
  else localStorage.setItem(keyName, key);
}

/** Returns the header with the login's key. */
export function loginHeaders(): Record<string, string> {
  const key = localStorage.getItem(keyName);
  return key === null ? {} : { [keyName]: key };
}

/**
 * Sends a request and returns the JSON text of the response, so that no number is rounded. A string body is JSON already.
 * @throws Refusal
 */
export async function request(
  method: 'GET' | 'POST',
  path: string,
  body?: Readonly<Record<string, unknown>> | string,
): Promise<JsonText> {
  const answer = await fetch(path, {
    method,
    cache: 'no-store',
    redirect: 'error',
    headers: { ...loginHeaders(), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (answer.ok) return new JsonText(text);
  throw new Refusal(answer.status, new Fields(new JsonText(text)));
}

/** Appends query parameters to a path, without those that are undefined. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

/** Describes an error, with a hint. */
export function faultOf(error: unknown): string {
  if (error instanceof Refusal && error.status === 401)
    return 'Your login has ended. Make another link with your token: stage review-link.';
  if (error instanceof Refusal) return `${error.message}. ${error.hint}`;
  return `The service cannot be reached: ${error instanceof Error ? error.message : String(error)}`;
}
