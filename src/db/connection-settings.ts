/** The settings of the service account's connections: they make internal SQL unambiguous and limit how long locks are held. */
import { StageError } from '../errors.ts';

/** The search path of most functions of the service. PostgreSQL plans the others anew whenever it differs from that of the call before. */
const internalPath = 'pg_catalog,pg_temp';

/** Returns a transaction to the search path of the service's connections, so that names are not found in schemas of users. */
export const setInternalPath = `SET LOCAL search_path = ${internalPath}`;

/** Values as SHOW formats them, because they are read back and compared. */
const settings = {
  default_transaction_read_only: 'off',
  standard_conforming_strings: 'on',
  search_path: internalPath,
  DateStyle: 'ISO,MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  bytea_output: 'hex',
  // JIT compilation of the many small functions of a review takes a hundred times longer than running them
  jit: 'off',
  statement_timeout: '10min',
  lock_timeout: '10s',
  // a daemon that hangs or is unreachable must not keep locks on rows of production
  idle_in_transaction_session_timeout: '15s',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '15000',
} as const;

/** Not among the start-up settings: servers before PostgreSQL 17 do not know it and would refuse the connection. */
const transactionTimeout = { name: 'transaction_timeout', value: '15min' };

/** Makes the server check while a statement runs whether its client is still connected. Some platforms cannot and refuse the setting. */
export const noticeGone = ['client_connection_check_interval', '2000'] as const;

/** After this time the response of a statement is lost: statement_timeout would have ended it. */
export const longestStatementMs = 11 * 60_000;

/** TCP keep-alive on the service's side: probes start after this time without data. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** The start-up parameter `options` that sets them. */
export const connectionOptions = Object.entries(settings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/**
 * Sets transaction_timeout where the server knows it, and returns all settings with the backend's process id and start time. Functions take
 * the place of the views pg_stat_activity and pg_settings, which read all backends and all settings.
 */
export const readBack = {
  text: `
SELECT pg_backend_pid() AS pid, (SELECT a.backend_start::text FROM pg_stat_get_activity(pg_backend_pid()) a) AS started,
  CASE WHEN current_setting($1, true) IS NOT NULL THEN set_config($1, $2, false) END AS transaction_timeout,
  (SELECT json_object_agg(n.name, current_setting(n.name)) FROM json_array_elements_text($3::json) AS n (name))::text AS settings`,
  values: [
    transactionTimeout.name,
    transactionTimeout.value,
    JSON.stringify(Object.keys(settings)),
  ],
};

/** Returns the names of settings that a connection lost. @param found the column `settings` of `readBack` */
export function lostSettings(found: string | null): string[] {
  const values = JSON.parse(found ?? '{}') as Record<string, string>;
  return Object.entries(settings)
    .filter(([name, wanted]) => !isRetained(name, wanted, values[name]?.replaceAll(', ', ',')))
    .map(([name]) => name);
}

/** Returns whether a setting has its value. TCP settings may read 0: a Unix-domain socket has none, and some systems do not support all. */
const isRetained = (name: string, wanted: string, found: string | undefined) =>
  found === wanted || (name.startsWith('tcp_') && found === '0');

/** Returns the error for a connection that lost settings, which means there is a pooler between. */
export function settingsLost(names: readonly string[]): StageError {
  return new StageError(
    'configuration_invalid',
    `the upstream connection does not keep its settings (${names.join(', ')}): there is a pooler between`,
    {
      hint: 'Give the address of PostgreSQL itself as upstream; `stage doctor` examines it.',
      facts: { reason: 'pooler' },
    },
  );
}
