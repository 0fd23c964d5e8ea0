/** The formats in which a connection through the proxy with a session is printed. */
import { userInfo } from 'node:os';
import type { JsonObject } from '../../model/json.ts';
import { stringifyJson } from '../../model/json.ts';
import type { ServiceFacts } from '../../model/service.ts';
import type { ReadsMode } from '../../model/session.ts';
import { formatOptions, parseOptions } from '../../model/startup-options.ts';
import type { Host } from '../host.ts';

export const urlFormats = ['url', 'keywords', 'env', 'jdbc', 'json'] as const;
export type UrlFormat = (typeof urlFormats)[number];

export interface Target {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** Only ever the embedded sample's, which is no secret. */
  readonly password: string | null;
  /** The startup option that selects the session. */
  readonly options: string;
}

const listensEverywhere = /^(0\.0\.0\.0|::|\*|)$/;

/** The user's choices for a connection. */
export interface Wishes {
  readonly user?: string | undefined;
  /** Undefined for the session's mode. */
  readonly reads?: ReadsMode | undefined;
}

/**
 * Determines where to connect and as whom: the given user, PGUSER, the embedded sample's login, or the name of the account, which every
 * client defaults to.
 * @param server the daemon's address; its host is used if the proxy listens on every address
 */
export function targetOf(
  host: Pick<Host, 'env'>,
  server: string,
  info: ServiceFacts,
  session: string,
  wishes: Wishes = {},
): Target {
  const { proxy, embedded, database } = info;
  const user = wishes.user ?? (host.env['PGUSER'] || embedded?.user || userInfo().username);
  return {
    host: (listensEverywhere.test(proxy.host) ? new URL(server).hostname : proxy.host).replace(
      /^\[|\]$/g,
      '',
    ),
    port: proxy.port,
    database,
    user,
    password: embedded && user === embedded.user ? embedded.password : null,
    options: [
      `-c service_session=${session}`,
      ...(wishes.reads ? [`-c service_reads=${wishes.reads}`] : []),
    ].join(' '),
  };
}

/**
 * Returns the options of PGOPTIONS, followed by those of the target. Settings that the target has are removed from PGOPTIONS: the proxy
 * accepts each of its options only once, and PGOPTIONS may name another session.
 */
export function withUsersOptions({ env }: Pick<Host, 'env'>, { options }: Target): string {
  const own = parseOptions(options);
  const isSet = (name: string) => own.some((each) => each.kind === 'setting' && each.name === name);
  const users = parseOptions(env['PGOPTIONS'] ?? '');
  const passed = users.filter((each) => each.kind === 'switch' || !isSet(each.name));
  return formatOptions([...passed, ...own]);
}

/** Returns whether PGOPTIONS sets the read mode. */
export function choosesReads({ env }: Pick<Host, 'env'>): boolean {
  const users = parseOptions(env['PGOPTIONS'] ?? '');
  return users.some((each) => each.kind === 'setting' && each.name === 'service_reads');
}

const writers: Readonly<Record<UrlFormat, (target: Target) => string>> = {
  url: (target) =>
    `postgresql://${login(target)}${place(target)}?options=${encode(target.options)}`,
  keywords: (target) => pairs(target, keywordNames, keywordValue).join(' '),
  env: (target) =>
    pairs(target, variableNames, shellValue)
      .map((pair) => `export ${pair}`)
      .join('\n'),
  jdbc: (target) =>
    `jdbc:postgresql://${place(target)}?${pairs(target, jdbcNames, encode).join('&')}`,
  json: (target) => stringifyJson({ ...target, url: writers.url(target) } satisfies JsonObject),
};

/** Formats the target. */
export function connectionString(target: Target, format: UrlFormat): string {
  return writers[format](target);
}

/** Returns the environment in which psql and other programs that use libpq connect to the target. */
export function libpqEnvironment(target: Target): Record<string, string> {
  return Object.fromEntries(present(target, variableNames));
}

/** Returns the target as a URL, including the other values that libpq takes from the environment. */
export function libpqUrl(host: Pick<Host, 'env'>, target: Target): string {
  const { env } = host;
  const options = withUsersOptions(host, target);
  const password = target.password ?? env['PGPASSWORD'] ?? null;
  const parameters = { sslmode: env['PGSSLMODE'], sslrootcert: env['PGSSLROOTCERT'] };
  const given = Object.entries(parameters).filter(([, value]) => value);
  return [
    connectionString({ ...target, options, password }, 'url'),
    ...given.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`),
  ].join('&');
}

type Names = Partial<Record<keyof Target, string>>;

const keywordNames: Names = {
  host: 'host',
  port: 'port',
  database: 'dbname',
  user: 'user',
  password: 'password',
  options: 'options',
};
const variableNames: Names = {
  host: 'PGHOST',
  port: 'PGPORT',
  database: 'PGDATABASE',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  options: 'PGOPTIONS',
};
const jdbcNames: Names = { user: 'user', password: 'password', options: 'options' };

function present(target: Target, names: Names): [string, string][] {
  return (Object.keys(names) as (keyof Target)[])
    .filter((field) => target[field] !== null)
    .map((field) => [names[field] ?? field, String(target[field])]);
}

function pairs(target: Target, names: Names, write: (value: string) => string): string[] {
  return present(target, names).map(([name, value]) => `${name}=${write(value)}`);
}

function login({ user, password }: Target): string {
  return `${encode(user)}${password === null ? '' : `:${encode(password)}`}@`;
}

function place({ host, port, database }: Target): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}/${encode(database)}`;
}

/** Percent-encodes a text, including apostrophes, since URLs are put between apostrophes in a shell. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll("'", '%27');
}

/** Formats a value of a libpq keyword string: quoted unless it is a plain word. */
function keywordValue(value: string): string {
  return /^[\w.:/-]+$/.test(value) ? value : `'${value.replaceAll(/['\\]/g, '\\$&')}'`;
}

/** Quotes a value for a POSIX shell. */
function shellValue(value: string): string {
  return /^[\w.:/-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
