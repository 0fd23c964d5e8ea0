/** The settings that a client may change in a staged session: those on which neither the parser nor staging relies. */

/** The effect of a setting on the session. */
export type SettingKind =
  /** Changes name resolution. */
  | 'path'
  /** Whether the current transaction may write. */
  | 'transaction access'
  /** Whether later transactions may write. */
  | 'default access'
  /** Must keep its value, or an equivalent one. */
  | 'pinned'
  | 'free';

/** Pinned settings, and the values that they may be set to. */
const pinned: ReadonlyMap<string, RegExp> = new Map([
  ['client_encoding', /^(?:utf[-_ ]?8|unicode)$/i],
  ['standard_conforming_strings', /^(?:on|true|yes|1)$/i],
  ['backslash_quote', /^safe_encoding$/i],
  ['session_replication_role', /^origin$/i],
  ['session_authorization', /$^/],
  ['allow_system_table_mods', /^(?:off|false|no|0)$/i],
  ['track_counts', /^(?:on|true|yes|1)$/i],
]);

/** Returns the kind of a setting. Its name is compared case-insensitively, as in PostgreSQL. */
export function settingKind(setting: string): SettingKind {
  const name = setting.toLowerCase();
  if (name === 'search_path' || name === 'role') return 'path';
  if (name === 'transaction_read_only') return 'transaction access';
  if (name === 'default_transaction_read_only') return 'default access';
  return pinned.has(name) || isInternalSetting(name) ? 'pinned' : 'free';
}

/** Returns whether a setting carries values between the service and its own functions. Clients must not even reset these. */
export function isInternalSetting(setting: string): boolean {
  // guard: settings of the service are not set by statements
  return setting.toLowerCase().startsWith('stage.');
}

/** Options of the proxy, valid only in a start-up packet; the server has no such settings. */
const connectionOptions = new Set(['service_session', 'service_reads', 'service_notice']);

/** Returns whether a setting is one of these options. */
export function isConnectionOption(setting: string): boolean {
  return connectionOptions.has(setting.toLowerCase());
}

/** Returns whether a value for a pinned setting is allowed because it changes nothing. */
export function isHarmlessValue(setting: string, value: string): boolean {
  return pinned.get(setting.toLowerCase())?.test(value) ?? false;
}
