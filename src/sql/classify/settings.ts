/** Which settings a client may change in a staged session: those that neither the parser nor the staging relies on. */

/** What changing a setting means to the session. */
export type SettingKind =
  /** Names resolve differently from now on. */
  | 'path'
  /** Whether the running transaction may write. */
  | 'transaction access'
  /** Whether the next ones may. */
  | 'default access'
  /** Must keep its value, or one that means the same. */
  | 'pinned'
  | 'free';

/** Pinned settings, and the values they may nevertheless be given. */
const pinned: ReadonlyMap<string, RegExp> = new Map([
  ['client_encoding', /^(?:utf[-_ ]?8|unicode)$/i],
  ['standard_conforming_strings', /^(?:on|true|yes|1)$/i],
  ['backslash_quote', /^safe_encoding$/i],
  ['session_replication_role', /^origin$/i],
  ['session_authorization', /$^/],
  ['allow_system_table_mods', /^(?:off|false|no|0)$/i],
  ['track_counts', /^(?:on|true|yes|1)$/i],
]);

/** Says what a setting is to us; names are compared as PostgreSQL does, whatever their case. */
export function settingKind(setting: string): SettingKind {
  const name = setting.toLowerCase();
  if (name === 'search_path' || name === 'role') return 'path';
  if (name === 'transaction_read_only') return 'transaction access';
  if (name === 'default_transaction_read_only') return 'default access';
  return pinned.has(name) || isOwnSetting(name) ? 'pinned' : 'free';
}

/** Settings by which the service talks to its own functions; they must not even be reset. */
export function isOwnSetting(setting: string): boolean {
  // guard: settings of the service are not set by statements
  return setting.toLowerCase().startsWith('stage.');
}

/** Names that only a start-up packet knows: options of the proxy, not settings of the server. */
const connectionOptions = new Set(['service_session', 'service_reads', 'service_notice']);

export function isConnectionOption(setting: string): boolean {
  return connectionOptions.has(setting.toLowerCase());
}

/** Whether a pinned setting may be given a value, because it changes nothing. */
export function isHarmlessValue(setting: string, value: string): boolean {
  return pinned.get(setting.toLowerCase())?.test(value) ?? false;
}
