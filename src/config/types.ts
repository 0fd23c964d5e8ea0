/** The types of options. Each parses a value from a file, an environment variable or a flag; undefined means invalid. */
import { resolve } from 'node:path';
import { isColumnPattern, isTablePattern } from '../model/column-patterns.ts';
import { isJsonObject } from '../model/json.ts';
import { hostUrls, withHostsOf } from '../model/upstream-hosts.ts';

export interface OptionType<T> {
  /** The valid values, for messages and documentation: `a port number`. */
  readonly wanted: string;
  /**
   * Parses a raw value. Variables and flags are texts; files may also contain numbers and lists.
   * @param folder the folder that relative paths start at
   * @returns undefined for an invalid value
   */
  read(raw: unknown, folder: string): T | undefined;
  /** Returns the wrong part of an invalid value, if it cannot contain a secret. */
  culprit?(raw: unknown): string | undefined;
  /** Returns the value for people, with secrets inside it hidden. Absent if the value can be shown as it is. */
  show?(value: T): string;
}

export interface Option<T = unknown> {
  readonly type: OptionType<T>;
  readonly default: T;
  /** Describes a default that is computed elsewhere. */
  readonly defaultText?: string;
  /** Environment variables; the first one that is set counts. */
  readonly env: readonly string[];
  /** Command line flag; absent if the command line would reveal a secret. */
  readonly flag?: string;
  /** Key in a configuration file. */
  readonly key: string;
  /** The value is never shown. */
  readonly secret?: true;
  /** Whether a file in the project's folder may set it. */
  readonly project: ProjectRule;
  readonly sentence: string;
}

/** Whether a project's file, which a stranger may have written, can set an option before the user trusts it, and why. */
export interface ProjectRule {
  readonly needsTrust: boolean;
  readonly why: string;
}

/**
 * Makes the rule of an option that a project's file sets only after the user trusts that file.
 * @param why what a stranger could do with it
 */
export const afterTrust = (why: string): ProjectRule => ({ needsTrust: true, why });

/**
 * Makes the rule of an option that a project's file always sets.
 * @param why why a stranger cannot do harm with it
 */
export const always = (why: string): ProjectRule => ({ needsTrust: false, why });

/** Makes the type of a text that is not empty. */
export function text(): OptionType<string> {
  return {
    wanted: 'a text',
    read: (raw) => (typeof raw === 'string' && raw !== '' ? raw : undefined),
  };
}

/** Makes the type of a word from a list. */
export function choice<const T extends string>(names: readonly T[]): OptionType<T> {
  return {
    wanted: `one of ${names.join(', ')}`,
    read: (raw) => names.find((name) => name === raw),
  };
}

/** Makes the type of true or false, which the environment may write as 1 or 0. */
export function flag(): OptionType<boolean> {
  const read = (raw: unknown) => {
    if (raw === true || raw === 'true' || raw === '1') return true;
    return raw === false || raw === 'false' || raw === '0' ? false : undefined;
  };
  return { wanted: 'true or false', read };
}

/** Makes the type of a list of texts. One text is split at its commas. */
export function list(): OptionType<readonly string[]> {
  const read = (raw: unknown) => {
    if (typeof raw === 'string')
      return raw
        .split(',')
        .map((item) => item.trim())
        .filter(Boolean);
    return Array.isArray(raw) && raw.every((item) => typeof item === 'string') ? raw : undefined;
  };
  return { wanted: 'a list of texts (or one text, separated by commas)', read };
}

/** Makes the type of a list of columns as `table.column` patterns, with `*` for every table. */
export const columnPatterns = (): OptionType<readonly string[]> =>
  patterns(
    'a list of columns such as `*.updated_at`, `orders.touched_by` or `sales.orders.seen`',
    isColumnPattern,
  );

/** Makes the type of a list of columns as in `columnPatterns`, and of whole tables as `table.*`. */
export const tablePatterns = (): OptionType<readonly string[]> =>
  patterns(
    'a list of columns and tables such as `*.iban`, `customers.email` or `salaries.*`',
    (item) => isColumnPattern(item) || isTablePattern(item),
  );

function patterns(
  wanted: string,
  isPattern: (text: string) => boolean,
): OptionType<readonly string[]> {
  const items = (raw: unknown) => list().read(raw, '');
  return {
    wanted,
    read: (raw) => (items(raw)?.every(isPattern) ? items(raw) : undefined),
    culprit: (raw) => items(raw)?.find((item) => !isPattern(item)),
  };
}

/** Makes the type of names, each with one text or a list. */
export function lists(): OptionType<Readonly<Record<string, readonly string[]>>> {
  const read = (raw: unknown) => {
    if (!isJsonObject(raw)) return undefined;
    const entries = Object.entries(raw).map(([name, items]) => [
      name,
      list().read([items].flat(), ''),
    ]);
    return entries.every(([, items]) => items) ? Object.fromEntries(entries) : undefined;
  };
  return { wanted: 'names with a list of texts each', read };
}

interface Range {
  readonly least: number;
  readonly most: number;
}

/** Makes the type of a whole number in a range. @param what the noun in messages */
export function whole(range: Range, what = 'a whole number'): OptionType<number> {
  const read = (raw: unknown) => {
    const value = typeof raw === 'string' && /^\d+$/.test(raw) ? Number(raw) : raw;
    const fits =
      Number.isInteger(value) &&
      (value as number) >= range.least &&
      (value as number) <= range.most;
    return fits ? (value as number) : undefined;
  };
  return { wanted: `${what} from ${range.least} to ${range.most}`, read };
}

export const port = () => whole({ least: 0, most: 65_535 }, 'a port number');
export const bytes = () => whole({ least: 1024, most: 1024 ** 3 }, 'a number of bytes');
export const milliseconds = () => whole({ least: 0, most: 86_400_000 }, 'a number of milliseconds');

/** Makes the type of the path of a file or folder, which is made absolute. */
export function path(): OptionType<string> {
  const read = (raw: unknown, folder: string) =>
    typeof raw === 'string' && raw !== '' ? resolve(folder, raw) : undefined;
  return { wanted: 'a path', read };
}

/** Makes the type of a path, `true` for one that is chosen elsewhere, or `false` (null) for none. */
export function pathOrTrue(): OptionType<string | true | null> {
  const read = (raw: unknown, folder: string) => {
    const wanted = flag().read(raw, folder);
    if (wanted === undefined) return path().read(raw, folder);
    return wanted ? true : null;
  };
  return { wanted: 'a path, true or false', read };
}

/** Makes the type of a URL with one of the protocols (`http:`). Its password is not shown. */
export function url(protocols: readonly string[]): OptionType<string> {
  const read = (raw: unknown) => {
    const parsed = typeof raw === 'string' && URL.canParse(raw) ? new URL(raw) : null;
    return parsed && protocols.includes(parsed.protocol) ? (raw as string) : undefined;
  };
  return {
    wanted: `a URL (${protocols.map((name) => `${name}//`).join(' or ')})`,
    read,
    show: withoutPassword,
  };
}

/** Makes the type of the URL of a database, which may name several hosts. Its password is not shown. */
export function databaseUrl(): OptionType<string> {
  const one = url(['postgresql:', 'postgres:']);
  const read = (raw: unknown, folder: string) => {
    if (typeof raw !== 'string') return undefined;
    const isGood = hostUrls(raw).every((each) => one.read(each, folder) !== undefined);
    return isGood ? raw : undefined;
  };
  const show = (value: string) => withHostsOf(value, withoutPassword(hostUrls(value)[0] ?? value));
  return { ...one, read, show };
}

/** Hides passwords in a connection URL: before the host, and in parameters. */
function withoutPassword(value: string): string {
  const hidden = new URL(value);
  const secrets = [...hidden.searchParams.keys()].filter((name) => /password/i.test(name));
  if (!hidden.password && secrets.length === 0) return value;
  if (hidden.password) hidden.password = '***';
  for (const name of secrets) hidden.searchParams.set(name, '***');
  return hidden.href;
}
