/**
 * Finds and reads configuration files. cosmiconfig's parsers are used, its search is not: merely creating a searcher
 * runs `.config/config.js` of the current folder, and `$import` in a file loads scripts. Files here are only ever data.
 */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, extname, isAbsolute, join } from 'node:path';
import { defaultLoadersSync } from 'cosmiconfig';

export interface ConfigFile {
  readonly path: string;
  /** The file's members by key; null when it holds something else, or what is wrong with it. */
  readonly content: Readonly<Record<string, unknown>> | null;
  readonly fault?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const parsers: Readonly<Record<string, (path: string, text: string) => unknown>> = {
  '': defaultLoadersSync.noExt,
  '.json': defaultLoadersSync['.json'],
  '.yaml': defaultLoadersSync['.yaml'],
  '.yml': defaultLoadersSync['.yml'],
};

const projectPlaces = [
  'stage.config.yaml',
  'stage.config.yml',
  'stage.config.json',
  '.stagerc',
  '.stagerc.yaml',
  '.stagerc.yml',
  '.stagerc.json',
  '.config/stagerc',
  '.config/stagerc.yaml',
  '.config/stagerc.yml',
  '.config/stagerc.json',
];

const userPlaces = ['config.yaml', 'config.yml', 'config.json'];

/** Reads the first configuration file from a folder up to the root of the project it belongs to. */
export function readProjectFile(cwd: string): ConfigFile | null {
  for (const folder of projectFolders(cwd)) {
    const file = readFirst(folder, projectPlaces);
    if (file) return file;
  }
  return null;
}

/** Reads the user's own configuration file. */
export function readUserFile(env: Environment): ConfigFile | null {
  return readFirst(userFolder(env), userPlaces);
}

/** The folder of the user's own settings. */
function userFolder(env: Environment): string {
  return join(baseFolder(env, 'XDG_CONFIG_HOME', '.config'), 'stage');
}

/** The folder of the user's own data. */
export function userDataFolder(env: Environment): string {
  return join(baseFolder(env, 'XDG_DATA_HOME', '.local/share'), 'stage');
}

function baseFolder(env: Environment, variable: string, fallback: string): string {
  const given = env[variable];
  return given && isAbsolute(given) ? given : join(env['HOME'] || homedir(), fallback);
}

/** The folder itself and, inside a project, those above it. Outside there is no climbing: /tmp belongs to everybody. */
function projectFolders(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    if (existsSync(join(folder, '.git')) || existsSync(join(folder, 'package.json')))
      return folders;
    if (dirname(folder) === folder) return [cwd];
  }
}

function readFirst(folder: string, names: readonly string[]): ConfigFile | null {
  const found = names.map((name) => join(folder, name)).find((path) => existsSync(path));
  return found === undefined ? null : readConfigFile(found);
}

/** Reads one configuration file. Never raises: what is wrong is in `fault`. */
export function readConfigFile(path: string): ConfigFile {
  const parse = parsers[extname(path)];
  if (!parse) return { path, content: null, fault: 'only .json, .yaml and .yml files are read' };
  try {
    const content = parse(path, readFileSync(path, 'utf8')) ?? {};
    if (typeof content === 'object' && !Array.isArray(content))
      return { path, content: content as Record<string, unknown> };
    return { path, content: null, fault: 'it must hold keys and values' };
  } catch (error) {
    return { path, content: null, fault: (error as Error).message };
  }
}
