/** Puts the configuration together: flag > environment > project file > user file > default, and remembers where from. */
import { dirname, resolve } from 'node:path';
import { StageError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { ConfigFile, Environment } from './files.ts';
import { readConfigFile, readProjectFile, readUserFile } from './files.ts';
import type { SettingName, Settings } from './schema.ts';
import { options, settingNames } from './schema.ts';

export interface ConfigSources {
  /** Values of the command line by setting name, as commander gives them; `config` names a file to use in place of the project's. */
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
}

/** One place where a value may be, not yet checked. */
interface Candidate {
  readonly raw: unknown;
  readonly origin: Origin;
  readonly folder: string;
}

interface Files {
  readonly project: ConfigFile | null;
  readonly user: ConfigFile | null;
  /** The file was named by the user, so it may set everything. */
  readonly trusted: boolean;
}

/**
 * Loads the configuration.
 * @throws StageError `configuration_invalid` with every fault found, not only the first
 */
export function loadConfig(sources: ConfigSources): Config {
  const faults: string[] = [];
  const files = readFiles(sources);
  for (const file of [files.project, files.user]) if (file) faults.push(...fileFaults(file));
  const settings: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  for (const name of settingNames) {
    const found = candidates(name, sources, files)[0];
    const value = found ? readCandidate(name, found, files, faults) : undefined;
    settings[name] = value === undefined ? options[name].default : value;
    origins[name] = found?.origin ?? { level: 'default', name: 'default' };
  }
  const config = { settings, origins } as unknown as Config;
  faults.push(...contradictions(config.settings));
  if (faults.length > 0) throw invalid(faults);
  return settings['proxyHost'] === '' ? withProxyHost(config) : config;
}

function readFiles({ flags, env, cwd }: ConfigSources): Files {
  const named = flags['config'] ?? (env['STAGE_CONFIG'] || undefined);
  const trusted = typeof named === 'string';
  const project = trusted ? readConfigFile(resolve(cwd, named)) : readProjectFile(cwd);
  return { project, user: readUserFile(env), trusted };
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

/** Every place that has a value for the option, the one that counts first. */
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
    if (file?.content) add(file.content[option.key], level, file.path, dirname(file.path));
  }
  return found;
}

function readCandidate(
  name: SettingName,
  found: Candidate,
  files: Files,
  faults: string[],
): unknown {
  const option = options[name];
  const where = found.origin.level.endsWith('file')
    ? `${found.origin.name}: \`${option.key}\``
    : found.origin.name;
  if (option.personal && found.origin.level === 'file' && !files.trusted) {
    faults.push(
      `${where} cannot be set by a project; use ${['your own configuration file', ...option.env.slice(0, 1)].join(' or ')}`,
    );
    return undefined;
  }
  const value = option.type.read(found.raw, found.folder);
  if (value === undefined) {
    // A faulty connection URL may well hold a password: values are not repeated here.
    faults.push(`${where} must be ${option.type.wanted}`);
  }
  return value;
}

function contradictions({ tlsCert, tlsKey, restTls }: Settings): string[] {
  if ((tlsCert === null) !== (tlsKey === null))
    return ['`tls_cert` and `tls_key` go together: one of them is missing'];
  return restTls && tlsCert === null ? ['`rest_tls` needs `tls_cert` and `tls_key`'] : [];
}

function withProxyHost({ settings, origins }: Config): Config {
  return {
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
    hint: 'stage serve --print-config shows every option, its value, and where that comes from.',
  });
}
