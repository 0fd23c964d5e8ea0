/** Loads the configuration: flag > environment > project file > user file > default. Records the origin of each value. */
import { resolve } from 'node:path';
import { StageError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { ConfigFile } from './files.ts';
import { readConfigFile, readProjectFile, readUserFile } from './files.ts';
import type { SettingName, Settings } from './schema.ts';
import { options, settingNames } from './schema.ts';
import type { TrustState } from './trust.ts';
import { fileSubject, trustIn } from './trust.ts';
import type { Environment } from './user-folders.ts';

export interface ConfigSources {
  /** Command line values by setting name, as commander returns them. `config` names a file to use instead of the project's. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Environment;
  readonly cwd: string;
}

export type Level = 'flag' | 'environment' | 'file' | 'user file' | 'default';

export interface Origin {
  readonly level: Level;
  /** For people: `--port`, `STAGE_PORT`, the path of a file, `default`. */
  readonly name: string;
}

export interface Config {
  readonly settings: Settings;
  readonly origins: Readonly<Record<SettingName, Origin>>;
  /** The settings that a project's file would set if it were trusted; null for none. */
  readonly untrusted: Untrusted | null;
}

export interface Untrusted {
  readonly path: string;
  readonly state: TrustState;
  readonly settings: readonly SettingName[];
}

/** A raw value from one place, not yet validated. */
interface Candidate {
  readonly raw: unknown;
  readonly origin: Origin;
  readonly folder: string;
}

interface Files {
  readonly project: ConfigFile | null;
  readonly user: ConfigFile | null;
  /** Trust in the project's file; a file that the user names is trusted. */
  readonly trust: TrustState;
}

/**
 * Loads the configuration.
 * @throws StageError `configuration_invalid` with all faults, not only the first
 */
export function loadConfig(sources: ConfigSources): Config {
  const faults: string[] = [];
  const files = readFiles(sources);
  for (const file of [files.project, files.user]) if (file) faults.push(...fileFaults(file));
  const settings: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  const ignored: SettingName[] = [];
  for (const name of settingNames) {
    const all = candidates(name, sources, files);
    const found = all.find((candidate) => mayDecide(name, candidate, files));
    if (found !== all[0]) ignored.push(name);
    const value = found ? readCandidate(name, found, faults) : undefined;
    settings[name] = value === undefined ? options[name].default : value;
    origins[name] = found?.origin ?? { level: 'default', name: 'default' };
  }
  const untrusted = untrustedIn(files, ignored);
  const config = { settings, origins, untrusted } as unknown as Config;
  if (!ignored.some((name) => tlsSettings.includes(name)))
    faults.push(...contradictions(config.settings));
  if (faults.length > 0) throw invalid(faults);
  return settings['proxyHost'] === '' ? withProxyHost(config) : config;
}

function readFiles({ flags, env, cwd }: ConfigSources): Files {
  const named = flags['config'] ?? (env['STAGE_CONFIG'] || undefined);
  const user = readUserFile(env);
  if (typeof named === 'string')
    return { project: readConfigFile(resolve(cwd, named)), user, trust: 'trusted' };
  const project = readProjectFile(cwd);
  return { project, user, trust: project ? trustIn(env, fileSubject(project)) : 'unknown' };
}

function untrustedIn({ project, trust: state }: Files, ignored: SettingName[]): Untrusted | null {
  if (project === null || ignored.length === 0) return null;
  return { path: project.path, state, settings: ignored };
}

/** Checks whether a value may be used: values of an untrusted project file count only for options that need no trust. */
function mayDecide(name: SettingName, { origin }: Candidate, { trust }: Files): boolean {
  return origin.level !== 'file' || !options[name].project.needsTrust || trust === 'trusted';
}

function fileFaults(file: ConfigFile): string[] {
  if (file.content === null) return [`${file.path}: ${file.fault}`];
  const known = settingNames.map((name) => options[name].key);
  return Object.keys(file.content)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const meant = nearest(key, known);
      const guess = meant === null ? '' : `, did you mean \`${meant}\`?`;
      return `${file.path}: there is no option \`${key}\`${guess}`;
    });
}

/** Returns all values given for the option, in order of precedence. */
function candidates(
  name: SettingName,
  { flags, env, cwd }: ConfigSources,
  files: Files,
): Candidate[] {
  const option = options[name];
  const found: Candidate[] = [];
  const add = (raw: unknown, level: Level, from: string, folder: string) => {
    if (raw !== undefined && raw !== null)
      found.push({ raw, origin: { level, name: from }, folder });
  };
  if (option.flag) add(flags[name], 'flag', option.flag.split(' ')[0] as string, cwd);
  for (const variable of option.env) add(env[variable] || undefined, 'environment', variable, cwd);
  for (const [file, level] of [
    [files.project, 'file'],
    [files.user, 'user file'],
  ] as const) {
    if (file?.content) add(file.content[option.key], level, file.path, file.folder);
  }
  return found;
}

function readCandidate(name: SettingName, found: Candidate, faults: string[]): unknown {
  const option = options[name];
  const where = found.origin.level.endsWith('file')
    ? `${found.origin.name}: \`${option.key}\``
    : found.origin.name;
  const value = option.type.read(found.raw, found.folder);
  if (value === undefined) {
    // An invalid connection URL may contain a password, so messages do not repeat values.
    const culprit = option.type.culprit?.(found.raw);
    const what = culprit === undefined ? '' : `, and ${JSON.stringify(culprit)} names none`;
    faults.push(`${where} must be ${option.type.wanted}${what}`);
  }
  return value;
}

/** These belong together. If an untrusted file sets one of them, the others cannot be validated. */
const tlsSettings: readonly SettingName[] = ['tlsCert', 'tlsKey', 'restTls'];

function contradictions({ tlsCert, tlsKey, restTls }: Settings): string[] {
  if ((tlsCert === null) !== (tlsKey === null))
    return ['`tls_cert` and `tls_key` go together: one of them is missing'];
  return restTls && tlsCert === null ? ['`rest_tls` needs `tls_cert` and `tls_key`'] : [];
}

function withProxyHost({ settings, origins, untrusted }: Config): Config {
  return {
    untrusted,
    settings: { ...settings, proxyHost: settings.host },
    origins: { ...origins, proxyHost: origins.host },
  };
}

function invalid(faults: readonly string[]): StageError {
  const [first] = faults;
  const message =
    faults.length === 1
      ? String(first)
      : `${faults.length} faults:\n${faults.map((fault) => `- ${fault}`).join('\n')}`;
  return new StageError('configuration_invalid', `the configuration cannot be used: ${message}`, {
    hint: 'stage serve --print-config shows every option, its value, and its source.',
  });
}
