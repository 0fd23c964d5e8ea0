/**
 * The hosts of an upstream URL: `postgresql://user:password@host1:5432,host2:5432/database`, as libpq has it. The one that takes
 * writes is used. https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-MULTIPLE-HOSTS
 */

const form = /^(?<before>[a-z]+:\/\/(?:[^/?#]*@)?)(?<hosts>[^@/?#]*)(?<after>.*)$/is;

/** Gives a URL for each of the hosts, in order; the URL itself where there is one host, or where it has another form. */
export function hostUrls(url: string): string[] {
  const { before, hosts, after } = form.exec(url)?.groups ?? {};
  if (!hosts?.includes(',')) return [url];
  return hosts.split(',').map((host) => `${before}${host}${after}`);
}

/** Puts all hosts of one URL into another, which has the first of them. */
export function withHostsOf(url: string, shown: string): string {
  const hosts = form.exec(url)?.groups?.['hosts'];
  if (!hosts?.includes(',')) return shown;
  const { before, after } = form.exec(shown)?.groups ?? {};
  return `${before}${hosts}${after}`;
}

/** Of libpq's values for target_session_attrs those that mean a server that takes writes: it cannot be any other. */
export const takesWrites: readonly string[] = ['read-write', 'primary'];
