/**
 * The login of a browser has two halves: a cookie, which no script can read and no other site can send, and a key.
 * Browsers send a cookie to every port of a host, but store the key for one origin: another server on the host gets half a login.
 */
import type { IncomingHttpHeaders } from 'node:http';

/** Both halves of a login. */
export interface Login {
  readonly cookie: string;
  readonly key: string;
}

/** Name of the header with the key. */
export const keyHeader = 'stage-key';

const plainName = 'stage_login';
/** Browsers accept a cookie of this name over TLS only, and for this host only. */
const hostName = '__Host-stage_login';

/** Returns the value of Set-Cookie. @param overTls whether the browser connects over TLS */
export function loginCookie(secret: string, seconds: number, overTls: boolean): string {
  const attributes = ['Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict'];
  const [name, more] = overTls ? [hostName, ['Secure']] : [plainName, []];
  return [`${name}=${secret}`, ...attributes, ...more].join('; ');
}

/** Returns the login of a request; null if a half is missing or repeated. @param needsTls whether the service itself uses TLS */
export function loginIn(headers: IncomingHttpHeaders, needsTls: boolean): Login | null {
  const cookies = (headers.cookie ?? '').split(';').map((each) => each.trim());
  const named = (name: string) => cookies.filter((each) => each.startsWith(`${name}=`));
  const [overTls, plain] = [named(hostName), needsTls ? [] : named(plainName)];
  const own = overTls.length > 0 ? overTls : plain;
  const cookie = own.length === 1 ? own[0]?.slice(own[0].indexOf('=') + 1) : undefined;
  const key = headers[keyHeader];
  return isSecret(cookie) && isSecret(key) ? { cookie, key } : null;
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{43}$/.test(value);
}
