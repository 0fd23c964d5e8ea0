/**
 * Finds and reads configuration files, as data only. It uses cosmiconfig's parsers but not its search: creating a searcher runs
 * `.config/config.js` of the current folder, and `$import` in a file loads scripts.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { defaultLoadersSync } from 'cosmiconfig';
import type { Environment } from './user-folders.ts';
import { userFolder } from './user-folders.ts';

export interface ConfigFile {
  readonly path: string;
  /** The folder that relative paths in it start at, with symbolic links resolved. */
  readonly folder: string;
  /** SHA-256 of the bytes that `content` was parsed from, in hexadecimal. */
  readonly hash: string;
  /** The file's members by key; null if the file cannot be read or does not contain an object, as `fault` explains. */
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

/** Reads the nearest configuration file, from a folder up to the root of its project. */
export function readProjectFile(cwd: string): ConfigFile | null {
  for (const folder of projectFolders(cwd)) {
    const file = readFirst(folder, projectPlaces);
    if (file) return file;
  }
  return null;
}

/** Reads the user's configuration file. */
export function readUserFile(env: Environment): ConfigFile | null {
  const folder = userFolder(env, 'config');
  return folder === null ? null : readFirst(folder, userPlaces);
}

/** Returns the folder and, inside a project, those above it. Outside of projects it does not ascend: anybody can write to /tmp. */
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

/** Reads one configuration file. Never throws: the fault is in `fault`. */
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
