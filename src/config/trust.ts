/**
 * What the person has said is theirs: the configuration file of a project, by its path and content, and the directory of an
 * embedded PostgreSQL, by its path and its cluster. It is kept in the user's own state folder, where no project can write.
 */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readConfigFile } from './files.ts';
import { readState, readStates, removeState, stateFile, writeState } from './state-file.ts';
import type { Environment } from './user-folders.ts';

export interface Subject {
  readonly kind: 'file' | 'cluster';
  /** Absolute, the folder without links. */
  readonly path: string;
  /** SHA-256 of what a file holds, or of what tells a cluster from all others. */
  readonly content: string;
}

/** `changed`: trusted once, with another content. */
export type TrustState = 'trusted' | 'changed' | 'unknown';

const folder = 'trust';

/** Inside the data directory, where PostgreSQL minds no file that it does not know: nobody else knows what it holds. */
export const passwordFile = 'stage-password';

/** Whether everything that a project brings along counts as trusted: in CI, and in containers, which remember nothing. */
function trustsAll(env: Environment): boolean {
  return ['1', 'true'].includes(env['STAGE_TRUST'] ?? '');
}

/** Returns what the person has said of a file with this content, or of a directory with this cluster. */
export function trustIn(env: Environment, { kind, path, content }: Subject): TrustState {
  if (trustsAll(env)) return 'trusted';
  const known = parse(readState(trustFile(env, path)));
  if (known?.path !== path || known.kind !== kind) return 'unknown';
  // guard: trust is in one content
  return known.content === content ? 'trusted' : 'changed';
}

/** Remembers that the person trusts it. @throws StageError `configuration_invalid` where nothing can be remembered */
export function trust(env: Environment, subject: Subject): void {
  writeState(trustFile(env, subject.path), JSON.stringify(subject));
}

/** Forgets what was trusted; returns whether there was something. */
export function revokeTrust(env: Environment, path: string): boolean {
  const file = trustFile(env, path);
  const isKnown = readState(file) !== null;
  removeState(file);
  return isKnown;
}

/** Returns everything that is trusted, as it was when it was trusted. */
export function listTrust(env: Environment): Subject[] {
  return readStates(env, folder)
    .map(parse)
    .filter((subject): subject is Subject => subject !== null);
}

/** Returns a configuration file as what can be trusted. */
export function fileSubject({
  path,
  hash,
}: {
  readonly path: string;
  readonly hash: string;
}): Subject {
  return { kind: 'file', path: canonicalPath(path), content: hash };
}

/** Returns the cluster in a directory as what can be trusted. */
export function clusterSubject(directory: string, password: string): Subject {
  const content = createHash('sha256').update(`cluster\0${password.trim()}`).digest('hex');
  return { kind: 'cluster', path: realPath(directory), content };
}

/** Returns the cluster of `stage` in a directory; null where there is none. */
export function clusterAt(directory: string): Subject | null {
  const password = readText(join(directory, 'data', passwordFile));
  return password === null ? null : clusterSubject(directory, password);
}

/** Returns what is at a path now; null where there is nothing that can be trusted. */
export function subjectAt(path: string): Subject | null {
  const cluster = clusterAt(path);
  if (cluster !== null) return cluster;
  const file = readConfigFile(path);
  return file.content === null ? null : fileSubject(file);
}

/** The path of a file without links on the way to it: what relative paths in it start at must not depend on them. */
export function canonicalPath(path: string): string {
  return join(realPath(dirname(resolve(path))), basename(path));
}

/** The path without links, as far as it is there. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** One small file a path: nothing to grow. */
function trustFile(env: Environment, path: string): string | null {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 32);
  return stateFile(env, folder, name);
}

function parse(text: string | null): Subject | null {
  try {
    const { kind, path, content } = JSON.parse(text ?? 'null') as Subject;
    const isWhole = [path, content].every((each) => typeof each === 'string');
    return isWhole && (kind === 'file' || kind === 'cluster') ? { kind, path, content } : null;
  } catch {
    return null;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
