/** THE table of options: everything that can be configured, and everything that is said about it anywhere. */
import type { LogFormat, LogLevel } from '../log.ts';
import { clientOptions } from './client-options.ts';
import { logOptions } from './log-options.ts';
import type { RehearsalAccess } from './review-options.ts';
import { reviewOptions } from './review-options.ts';
import { sessionOptions } from './session-options.ts';
import type { Option } from './types.ts';
import {
  bytes,
  choice,
  databaseUrl,
  flag,
  list,
  milliseconds,
  path,
  pathOrTrue,
  port,
  text,
  whole,
} from './types.ts';

const conflictScopes = ['row', 'column'] as const;
export type ConflictScope = (typeof conflictScopes)[number];

export interface Settings {
  readonly upstream: string | null;
  readonly embedded: string | true | null;
  readonly host: string;
  readonly port: number;
  readonly proxyHost: string;
  readonly proxyPort: number;
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  readonly restTls: boolean;
  readonly token: string | null;
  readonly tokenFile: string | null;
  readonly allowUnauthenticated: boolean;
  readonly fourEyes: boolean;
  readonly conflictScope: ConflictScope;
  readonly approveLockTimeoutMs: number;
  readonly rehearsal: RehearsalAccess;
  readonly rehearsalTimeoutMs: number;
  readonly rehearsalScanRows: number;
  readonly allowPublications: boolean;
  readonly allowFunctions: readonly string[];
  readonly maxStatementBytes: number;
  readonly maxMessageBytes: number;
  readonly statementCacheSize: number;
  readonly maxConnections: number | null;
  readonly maxConnectionsPerAddress: number | null;
  readonly stagedNotice: boolean;
  readonly loginTimeoutMs: number;
  readonly stallTimeoutMs: number;
  readonly shutdownGraceMs: number;
  readonly activeSessionTtlHours: number | null;
  readonly proposedSessionTtlHours: number | null;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat | null;
  readonly server: string;
  readonly serverCa: string | null;
  readonly session: string | null;
  readonly keys: Readonly<Record<string, readonly string[]>>;
}

export type SettingName = keyof Settings;

export const options: { readonly [Name in SettingName]: Option<Settings[Name]> } = {
  upstream: {
    type: databaseUrl(),
    default: null,
    defaultText: 'an embedded PostgreSQL',
    env: ['STAGE_UPSTREAM', 'DATABASE_URL'],
    flag: '--upstream URL',
    key: 'upstream',
    sentence:
      'Production: the connection URL of the service account, which owns the schema `stage` and applies approved changes. Of several hosts (`host1:5432,host2:5432`) the one that takes writes is used.',
  },
  embedded: {
    type: pathOrTrue(),
    default: null,
    defaultText: 'used when there is no upstream',
    env: ['STAGE_EMBEDDED'],
    flag: '--embedded [DIR]',
    key: 'embedded',
    sentence:
      'Use an embedded PostgreSQL as production, its data kept in this directory (`true`: a directory of the user).',
  },
  host: {
    type: text(),
    default: '127.0.0.1',
    env: ['STAGE_HOST'],
    flag: '--host HOST',
    key: 'host',
    sentence: 'Address that the REST API listens on. Anything but loopback needs a token.',
  },
  port: {
    type: port(),
    default: 8080,
    env: ['STAGE_PORT'],
    flag: '--port PORT',
    key: 'port',
    sentence: 'Port of the REST API; 0 takes a free one.',
  },
  proxyHost: {
    type: text(),
    default: '',
    defaultText: 'as `host`',
    env: ['STAGE_PROXY_HOST'],
    flag: '--proxy-host HOST',
    key: 'proxy_host',
    sentence: 'Address that the PostgreSQL proxy listens on.',
  },
  proxyPort: {
    type: port(),
    default: 5433,
    env: ['STAGE_PROXY_PORT'],
    flag: '--proxy-port PORT',
    key: 'proxy_port',
    sentence: 'Port of the PostgreSQL proxy; 0 takes a free one.',
  },
  tlsCert: {
    type: path(),
    default: null,
    env: ['STAGE_TLS_CERT'],
    flag: '--tls-cert FILE',
    key: 'tls_cert',
    sentence: 'Certificate (PEM) that the proxy shows to clients; with `tls_key` it offers TLS.',
  },
  tlsKey: {
    type: path(),
    default: null,
    env: ['STAGE_TLS_KEY'],
    flag: '--tls-key FILE',
    key: 'tls_key',
    sentence: 'Private key (PEM) of `tls_cert`.',
  },
  restTls: {
    type: flag(),
    default: false,
    env: ['STAGE_REST_TLS'],
    flag: '--rest-tls',
    key: 'rest_tls',
    sentence:
      'The REST API is served over TLS too, with `tls_cert` and `tls_key`, and not without.',
  },
  token: {
    type: text(),
    default: null,
    env: ['STAGE_TOKEN'],
    key: 'token',
    secret: true,
    personal: true,
    sentence: 'Token of an operator: the REST API requires it, and the commands send it.',
  },
  tokenFile: {
    type: path(),
    default: null,
    env: ['STAGE_TOKEN_FILE'],
    flag: '--token-file FILE',
    key: 'token_file',
    personal: true,
    sentence:
      'File of mode 0600 with the tokens that the REST API takes, one a line: `<name> <role>[:<project>,...] [database_roles=<role>,...] sha256:<hash>`, or just the token of an operator; the commands send the first of those.',
  },
  allowUnauthenticated: {
    type: flag(),
    default: false,
    env: ['STAGE_ALLOW_UNAUTHENTICATED'],
    flag: '--allow-unauthenticated',
    key: 'allow_unauthenticated',
    personal: true,
    sentence: 'Listen on other addresses than loopback without any token.',
  },
  fourEyes: {
    type: flag(),
    default: false,
    env: ['STAGE_FOUR_EYES'],
    flag: '--four-eyes',
    key: 'four_eyes',
    personal: true,
    sentence:
      "Nobody may approve a session that was created or proposed with a token of the same name, or in which a database role of that name or of the token's database_roles staged.",
  },
  conflictScope: {
    type: choice(conflictScopes),
    default: 'row',
    env: ['STAGE_CONFLICT_SCOPE'],
    flag: '--conflict-scope SCOPE',
    key: 'conflict_scope',
    sentence:
      'What must be unchanged in production at approval: the whole `row`, or only each `column` the session changed.',
  },
  ...reviewOptions,
  allowPublications: {
    type: flag(),
    default: false,
    env: ['STAGE_ALLOW_PUBLICATIONS'],
    flag: '--allow-publications',
    key: 'allow_publications',
    personal: true,
    sentence: 'Install where a publication FOR ALL TABLES carries staged rows to its subscribers.',
  },
  allowFunctions: {
    type: list(),
    default: [],
    env: ['STAGE_ALLOW_FUNCTIONS'],
    flag: '--allow-functions NAMES',
    key: 'allow_functions',
    sentence:
      'Functions that statements may call although they could have effects that are not staged.',
  },
  maxStatementBytes: {
    type: bytes(),
    default: 16 * 1024 * 1024,
    env: ['STAGE_MAX_STATEMENT_BYTES'],
    flag: '--max-statement-bytes BYTES',
    key: 'max_statement_bytes',
    sentence: 'Longest SQL text that is accepted.',
  },
  maxMessageBytes: {
    type: bytes(),
    default: 256 * 1024 * 1024,
    env: ['STAGE_MAX_MESSAGE_BYTES'],
    flag: '--max-message-bytes BYTES',
    key: 'max_message_bytes',
    sentence: 'Longest protocol message that is accepted, parameters included.',
  },
  statementCacheSize: {
    type: whole({ least: 0, most: 1_000_000 }),
    default: 1000,
    env: ['STAGE_STATEMENT_CACHE_SIZE'],
    flag: '--statement-cache-size COUNT',
    key: 'statement_cache_size',
    sentence: 'How many parsed SQL texts are kept.',
  },
  maxConnections: {
    type: whole({ least: 1, most: 100_000 }),
    default: null,
    defaultText: 'a part of those that production has free',
    env: ['STAGE_MAX_CONNECTIONS'],
    flag: '--max-connections COUNT',
    key: 'max_connections',
    sentence: 'Client connections that the proxy serves at once.',
  },
  maxConnectionsPerAddress: {
    type: whole({ least: 1, most: 100_000 }),
    default: null,
    defaultText: 'as `max_connections`',
    env: ['STAGE_MAX_CONNECTIONS_PER_ADDRESS'],
    flag: '--max-connections-per-address COUNT',
    key: 'max_connections_per_address',
    sentence: 'Client connections that the proxy serves at once for one network address.',
  },
  stagedNotice: {
    type: flag(),
    default: true,
    env: ['STAGE_STAGED_NOTICE'],
    flag: '--staged-notice BOOLEAN',
    key: 'staged_notice',
    sentence:
      'Tell each connection by a NOTICE, once, that what it writes is staged; `-c service_notice=on|off` decides for one connection.',
  },
  loginTimeoutMs: {
    type: milliseconds(),
    default: 60_000,
    env: ['STAGE_LOGIN_TIMEOUT_MS'],
    flag: '--login-timeout-ms MS',
    key: 'login_timeout_ms',
    sentence: 'How long a client may take to log in.',
  },
  stallTimeoutMs: {
    type: milliseconds(),
    default: 30_000,
    env: ['STAGE_STALL_TIMEOUT_MS'],
    flag: '--stall-timeout-ms MS',
    key: 'stall_timeout_ms',
    sentence:
      'How long a client or a reader may take nothing of what waits for it; then its connection is ended. 0: for ever.',
  },
  shutdownGraceMs: {
    type: milliseconds(),
    default: 10_000,
    env: ['STAGE_SHUTDOWN_GRACE_MS'],
    flag: '--shutdown-grace-ms MS',
    key: 'shutdown_grace_ms',
    sentence:
      'How long running statements may go on when the service stops; then they are rolled back.',
  },
  ...sessionOptions,
  ...logOptions,
  ...clientOptions,
};

export const settingNames = Object.keys(options) as SettingName[];
