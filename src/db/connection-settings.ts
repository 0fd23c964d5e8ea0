/** What every connection of the service account carries: settings that give our SQL one meaning, and limits to all it can hold. */
import { StageError } from '../errors.ts';

/** As SHOW tells them, for they are read back. */
const settings = {
  default_transaction_read_only: 'off',
  standard_conforming_strings: 'on',
  search_path: 'pg_catalog',
  DateStyle: 'ISO,MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  bytea_output: 'hex',
  // compiling the many small functions of a review takes a hundred times longer than running them
  jit: 'off',
  statement_timeout: '10min',
  lock_timeout: '10s',
  // a daemon that stands still, or that nobody hears any more, must not go on holding rows of production
  idle_in_transaction_session_timeout: '15s',
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '15000',
} as const;

/** Unknown to servers before PostgreSQL 17, which would refuse the connection for it. */
const transactionTimeout = { name: 'transaction_timeout', value: '15min' };

/** Has the server look, while a statement runs, whether its client is still there. A server on a platform that cannot refuses it. */
export const noticeGone = ['client_connection_check_interval', '2000'] as const;

/** A statement that runs longer has lost its answer: the server ends it by statement_timeout. */
export const longestStatementMs = 11 * 60_000;

/** On our side: when nothing has come for so long, TCP asks whether the other end is still there. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** The startup parameter `options` that sets them. */
export const connectionOptions = Object.entries(settings)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** Sets what is set on an open connection, and reads everything back, with what tells the backend from all others. */
export const readBack = {
  text: `
SELECT pg_backend_pid() AS pid, (SELECT a.backend_start::text FROM pg_stat_activity a WHERE a.pid = pg_backend_pid()) AS started,
  (SELECT set_config(s.name, $2, false) FROM pg_settings s WHERE s.name = $1) AS transaction_timeout,
  (SELECT json_object_agg(n.name, current_setting(n.name)) FROM json_array_elements_text($3::json) AS n (name))::text AS settings`,
  values: [
    transactionTimeout.name,
    transactionTimeout.value,
    JSON.stringify(Object.keys(settings)),
  ],
};

/** The names of settings that a connection does not have. @param found the column `settings` of readBack */
export function lostSettings(found: string | null): string[] {
  const values = JSON.parse(found ?? '{}') as Record<string, string>;
  return Object.entries(settings)
    .filter(([name, wanted]) => !isKept(name, wanted, values[name]?.replaceAll(', ', ',')))
    .map(([name]) => name);
}

/** A Unix-domain socket has no limits of TCP, and not every system has all of them: those read 0. */
const isKept = (name: string, wanted: string, found: string | undefined) =>
  found === wanted || (name.startsWith('tcp_') && found === '0');

/** The error of a connection that lost settings on the way. */
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
