/**
 * Parses upstream URLs with several hosts, as libpq defines them: `postgresql://user:password@host1:5432,host2:5432/database`.
 * The service uses the host that takes writes.
 * https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-MULTIPLE-HOSTS
 */

const form = /^(?<before>[a-z]+:\/\/(?:[^/?#]*@)?)(?<hosts>[^@/?#]*)(?<after>.*)$/is;

/** Returns a URL for each host, in order; the URL itself if it has a single host or another form. */
export function hostUrls(url: string): string[] {
  const { before, hosts, after } = form.exec(url)?.groups ?? {};
  if (!hosts?.includes(',')) return [url];
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}

/** Replaces the host of the URL `shown` by all hosts of `url`. */
export function withHostsOf(url: string, shown: string): string {
  const hosts = form.exec(url)?.groups?.['hosts'];
  if (!hosts?.includes(',')) return shown;
  const { before, after } = form.exec(shown)?.groups ?? {};
  return `${before}${hosts}${after}`;
}

/** The values of libpq's target_session_attrs that demand a server that takes writes, as the service's upstream always does. */
export const takesWrites: readonly string[] = ['read-write', 'primary'];
