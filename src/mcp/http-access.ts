/** What a browser sends on behalf of another site is turned away, as the REST interface does. */
import type { IncomingMessage } from 'node:http';

/** Gives why a request is not taken, or null. On loopback it must be addressed to loopback: another name was rebound to it. */
export function refusalOf({ headers }: IncomingMessage, onLoopback: boolean): string | null {
  const { host = '', origin } = headers;
  // guard: stage mcp goes by names of loopback only
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
