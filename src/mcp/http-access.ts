/** Refuses requests that a browser sends on behalf of another site, like the REST interface. */
import type { IncomingMessage } from 'node:http';

/** Returns why a request is refused, or null. On loopback the Host header has to name loopback: another name indicates DNS rebinding. */
export function refusalOf({ headers }: IncomingMessage, onLoopback: boolean): string | null {
  const { host = '', origin } = headers;
  // guard: stage mcp accepts only names of loopback
  if (onLoopback && !/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i.test(host))
    return 'this server does not go by that name';
  // guard: stage mcp takes no requests of other origins
  if (origin !== undefined && origin.replace(/^https?:\/\//, '') !== host)
    return 'requests from other sites are not taken';
  // guard: stage mcp takes no requests of other sites
  if (/^(?:cross-site|same-site)$/.test(String(headers['sec-fetch-site'] ?? '')))
    return 'requests from other sites are not taken';
  return null;
}
