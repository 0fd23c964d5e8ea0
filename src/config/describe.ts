/** The effective configuration for people: each value and its origin, with secrets hidden. */
import type { Config } from './load.ts';
import { options, settingNames } from './schema.ts';
import type { Option } from './types.ts';

/** Formats the configuration as YAML, with the origins as comments. */
export function describeConfig({ settings, origins, untrusted }: Config): string {
  const rows = settingNames.map((name) => ({
    value: `${options[name].key}: ${showValue(options[name], settings[name])}`,
    origin: untrusted?.settings.includes(name)
      ? `${origins[name].name}, before \`stage trust ${untrusted.path}\``
      : origins[name].name,
  }));
  const width = Math.max(...rows.map((row) => row.value.length));
  return rows.map((row) => `${row.value.padEnd(width)}  # ${row.origin}\n`).join('');
}

/** Formats one value as YAML (in its JSON form), with secrets hidden. */
export function showValue(option: Option, value: unknown): string {
  if (value === null) return 'null';
  if (option.secret) return '"***"';
  return JSON.stringify(option.type.show ? option.type.show(value) : value);
}
