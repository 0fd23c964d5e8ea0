/** Parses the service account's URL into the address and TLS options of the upstream. It leaves out user and password. */
import { isIP } from 'node:net';
import type { ConnectionOptions, SecureContext, SecureContextOptions } from 'node:tls';
import { createSecureContext } from 'node:tls';
import { parse } from 'pg-connection-string';
import { StageError } from '../errors.ts';
import { takesWrites } from '../model/upstream-hosts.ts';

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
/** The modes have libpq's meaning. https://www.postgresql.org/docs/current/libpq-ssl.html#LIBPQ-SSL-PROTECTION */
export type SslMode = (typeof sslModes)[number];

export interface UpstreamTarget {
  readonly address: { readonly host: string; readonly port: number } | { readonly path: string };
  readonly database: string;
  readonly sslMode: SslMode;
  readonly tls: ConnectionOptions;
}

/**
 * Parses the upstream URL. Reads the certificate files that it names (sslrootcert, sslcert, sslkey).
 * @throws StageError `configuration_invalid`, without the URL, which contains a password
 */
export function parseUpstream(url: string): UpstreamTarget {
  const parsed = parseUrl(url);
  const port = Number(parsed.port || 5432);
  const host = parsed.host || 'localhost';
  demandTakingWrites(parsed['target_session_attrs']);
  const overSocket = host.startsWith('/');
  const certificates = typeof parsed.ssl === 'object' ? parsed.ssl : {};
  const asked = readSslMode(parsed['sslmode']);
  // As in libpq, a root certificate in the URL implies verification.
  const sslMode = asked === 'require' && certificates.ca !== undefined ? 'verify-ca' : asked;
  return {
    address: overSocket ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
    database: parsed.database || parsed.user || 'postgres',
    sslMode: overSocket ? 'disable' : sslMode,
    tls: {
      secureContext: loadCertificates(certificates),
      // The name that certificates are checked against. Without it, Node would check for localhost.
      host,
      ...(isIP(host) || overSocket ? {} : { servername: host }),
      ...verification(sslMode),
    },
  };
}

/** The content of the certificate files, as read by the URL parser. */
interface Certificates {
  readonly ca?: string;
  readonly cert?: string | null;
  readonly key?: string;
}

function parseUrl(url: string): ReturnType<typeof parse> {
  try {
    return parse(url, { useLibpqCompat: true });
  } catch (error) {
    throw new StageError(
      'configuration_invalid',
      `the upstream URL cannot be used: ${(error as Error).message}`,
      {
        hint: 'It has the form postgresql://user:password@host:port/database?sslmode=require.',
      },
    );
  }
}

/** Loads the certificates once for all connections, because that takes longer than a login. */
function loadCertificates({ ca, cert, key }: Certificates): SecureContext {
  const given: SecureContextOptions = {};
  if (ca) given.ca = ca;
  if (cert) given.cert = cert;
  if (key) given.key = key;
  try {
    return createSecureContext(given);
  } catch (cause) {
    throw new StageError(
      'configuration_invalid',
      `the certificates that the upstream URL names cannot be used: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/**
 * Checks the `target_session_attrs` of the upstream URL.
 * @throws StageError `configuration_invalid` for a value that admits servers without writes
 */
function demandTakingWrites(value: unknown): void {
  if (value === undefined || takesWrites.includes(String(value))) return;
  throw new StageError(
    'configuration_invalid',
    `target_session_attrs=${JSON.stringify(value)} in the upstream URL cannot be used`,
    { hint: `The upstream has to take writes: ${takesWrites.join(' or ')}, or leave it out.` },
  );
}

function readSslMode(value: unknown): SslMode {
  if (value === undefined) return 'prefer';
  // node-postgres' term for encryption without verification.
  if (value === 'no-verify') return 'require';
  const mode = sslModes.find((each) => each === value);
  if (mode !== undefined) return mode;
  throw new StageError(
    'configuration_invalid',
    `invalid sslmode ${JSON.stringify(value)} in the upstream URL`,
    {
      hint: `Available values: ${sslModes.join(', ')}.`,
    },
  );
}

function verification(mode: SslMode): ConnectionOptions {
  if (mode === 'verify-full') return { rejectUnauthorized: true };
  if (mode === 'verify-ca')
    return { rejectUnauthorized: true, checkServerIdentity: () => undefined };
  return { rejectUnauthorized: false };
}
