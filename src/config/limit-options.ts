/** The options of limits and timeouts of the service; part of the table in schema.ts. */
import type { Option } from './types.ts';
import { afterTrust, always, bytes, flag, milliseconds, whole } from './types.ts';

interface LimitOptions {
  readonly maxStatementBytes: Option<number>;
  readonly maxMessageBytes: Option<number>;
  readonly statementCacheSize: Option<number>;
  readonly maxConnections: Option<number | null>;
  readonly maxConnectionsPerAddress: Option<number | null>;
  readonly stagedNotice: Option<boolean>;
  readonly loginTimeoutMs: Option<number>;
  readonly stallTimeoutMs: Option<number>;
  readonly upgradeLockTimeoutMs: Option<number | null>;
  readonly shutdownGraceMs: Option<number>;
}

const ownMemory = always('it costs the service memory, within bounds');
const ownTime = always('it concerns the service alone');

export const limitOptions: LimitOptions = {
  maxStatementBytes: {
    type: bytes(),
    default: 16 * 1024 * 1024,
    env: ['STAGE_MAX_STATEMENT_BYTES'],
    flag: '--max-statement-bytes BYTES',
    key: 'max_statement_bytes',
    project: ownMemory,
    sentence: 'Longest SQL text that is accepted.',
  },
  maxMessageBytes: {
    type: bytes(),
    default: 256 * 1024 * 1024,
    env: ['STAGE_MAX_MESSAGE_BYTES'],
    flag: '--max-message-bytes BYTES',
    key: 'max_message_bytes',
    project: ownMemory,
    sentence: 'Longest protocol message that is accepted, parameters included.',
  },
  statementCacheSize: {
    type: whole({ least: 0, most: 1_000_000 }),
    default: 1000,
    env: ['STAGE_STATEMENT_CACHE_SIZE'],
    flag: '--statement-cache-size COUNT',
    key: 'statement_cache_size',
    project: ownMemory,
    sentence: 'How many parsed SQL texts are cached.',
  },
  maxConnections: {
    type: whole({ least: 1, most: 100_000 }),
    default: null,
    defaultText: 'a part of those that production has free',
    env: ['STAGE_MAX_CONNECTIONS'],
    flag: '--max-connections COUNT',
    key: 'max_connections',
    project: afterTrust('can take all connections of production'),
    sentence: 'Client connections that the proxy serves at once.',
  },
  maxConnectionsPerAddress: {
    type: whole({ least: 1, most: 100_000 }),
    default: null,
    defaultText: 'as `max_connections`',
    env: ['STAGE_MAX_CONNECTIONS_PER_ADDRESS'],
    flag: '--max-connections-per-address COUNT',
    key: 'max_connections_per_address',
    project: always('`max_connections` bounds it'),
    sentence: 'Client connections that the proxy serves at once for one network address.',
  },
  stagedNotice: {
    type: flag(),
    default: true,
    env: ['STAGE_STAGED_NOTICE'],
    flag: '--staged-notice BOOLEAN',
    key: 'staged_notice',
    project: always('writes are staged with the notice and without'),
    sentence:
      'Inform each connection by a NOTICE, once, that its writes are staged; `-c service_notice=on|off` decides for one connection.',
  },
  loginTimeoutMs: {
    type: milliseconds(),
    default: 60_000,
    env: ['STAGE_LOGIN_TIMEOUT_MS'],
    flag: '--login-timeout-ms MS',
    key: 'login_timeout_ms',
    project: ownTime,
    sentence: 'How long a client may take to log in.',
  },
  stallTimeoutMs: {
    type: milliseconds(),
    default: 30_000,
    env: ['STAGE_STALL_TIMEOUT_MS'],
    flag: '--stall-timeout-ms MS',
    key: 'stall_timeout_ms',
    project: ownTime,
    sentence:
      'How long a client of the proxy or of the REST API may leave its answer unread; then its connection is ended. 0: for ever.',
  },
  upgradeLockTimeoutMs: {
    type: milliseconds(),
    default: null,
    defaultText: 'for as long as they last',
    env: ['STAGE_UPGRADE_LOCK_TIMEOUT_MS'],
    flag: '--upgrade-lock-timeout-ms MS',
    key: 'upgrade_lock_timeout_ms',
    project: afterTrust('ends connections of clients'),
    sentence:
      'How long an upgrade of the schema `stage` waits for transactions that hold its tables; then it ends their connections.',
  },
  shutdownGraceMs: {
    type: milliseconds(),
    default: 10_000,
    env: ['STAGE_SHUTDOWN_GRACE_MS'],
    flag: '--shutdown-grace-ms MS',
    key: 'shutdown_grace_ms',
    project: ownTime,
    sentence:
      'How long running statements may go on when the service stops; then they are rolled back.',
  },
};
