/**
 * Finds and reads configuration files. cosmiconfig's parsers are used, its search is not: merely creating a searcher
 * runs `.config/config.js` of the current folder, and `$import` in a file loads scripts. Files here are only ever data.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { defaultLoadersSync } from 'cosmiconfig';
import type { Environment } from './user-folders.ts';
import { userFolder } from './user-folders.ts';

export interface ConfigFile {
  readonly path: string;
  /** The folder that relative paths in it start at, without links on the way. */
  readonly folder: string;
  /** SHA-256 of the very bytes that the members were read from, in hexadecimal. */
  readonly hash: string;
  /** The file's members by key; null when it holds something else, or what is wrong with it. */
  readonly content: Readonly<Record<string, unknown>> | null;
  readonly fault?: string;
}

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
  const folder = userFolder(env, 'config');
  return folder === null ? null : readFirst(folder, userPlaces);
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

/** Reads one configuration file, once. Never raises: what is wrong is in `fault`. */
export function readConfigFile(path: string): ConfigFile {
  const unread = { path, folder: dirname(path), hash: '', content: null };
  const parse = parsers[extname(path)];
  if (!parse) return { ...unread, fault: 'only .json, .yaml and .yml files are read' };
  try {
    const bytes = readFileSync(path);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const read = { path, folder: realpathSync(dirname(path)), hash };
    const content = parse(path, bytes.toString('utf8')) ?? {};
    if (typeof content === 'object' && !Array.isArray(content))
      return { ...read, content: content as Record<string, unknown> };
    return { ...read, content: null, fault: 'it must hold keys and values' };
  } catch (error) {
    return { ...unread, fault: (error as Error).message };
  }
}
