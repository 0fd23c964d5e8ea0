/**
 * The user's trust in a project's configuration file (by its path and content) and in the directory of an embedded PostgreSQL (by
 * its path and cluster). It is stored in the user's state folder, where no project can write.
 */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readConfigFile } from './files.ts';
import { readState, readStates, removeState, stateFile, writeState } from './state-file.ts';
import type { Environment } from './user-folders.ts';

export interface Subject {
  readonly kind: 'file' | 'cluster';
  /** Absolute path, with symbolic links of the folder resolved. */
  readonly path: string;
  /** SHA-256 of the content of a file, or of the password that identifies a cluster. */
  readonly content: string;
}

/** `changed`: trusted with other content. */
export type TrustState = 'trusted' | 'changed' | 'unknown';

const folder = 'trust';

/** A file in the data directory whose secret content identifies the cluster. PostgreSQL ignores unknown files there. */
export const passwordFile = 'stage-password';

/** Returns whether everything in a project counts as trusted: for CI and containers, which store no trust. */
function trustsAll(env: Environment): boolean {
  return ['1', 'true'].includes(env['STAGE_TRUST'] ?? '');
}

/** Returns the user's trust in a file with this content, or in a directory with this cluster. */
export function trustIn(env: Environment, { kind, path, content }: Subject): TrustState {
  if (trustsAll(env)) return 'trusted';
  const known = parse(readState(trustFile(env, path)));
  if (known?.path !== path || known.kind !== kind) return 'unknown';
  // guard: trust is in one content
  return known.content === content ? 'trusted' : 'changed';
}

/** Stores that the user trusts it. @throws StageError `configuration_invalid` if that cannot be stored */
export function trust(env: Environment, subject: Subject): void {
  writeState(trustFile(env, subject.path), JSON.stringify(subject));
}

/** Removes the trust in a path. @returns whether there was any */
export function revokeTrust(env: Environment, path: string): boolean {
  const file = trustFile(env, path);
  const isKnown = readState(file) !== null;
  removeState(file);
  return isKnown;
}

/** Returns everything that is trusted, as it was at the time of trust. */
export function listTrust(env: Environment): Subject[] {
  return readStates(env, folder)
    .map(parse)
    .filter((subject): subject is Subject => subject !== null);
}

/** Returns the trust subject of a configuration file. */
export function fileSubject({
  path,
  hash,
}: {
  readonly path: string;
  readonly hash: string;
}): Subject {
  return { kind: 'file', path: canonicalPath(path), content: hash };
}

/** Returns the trust subject of the cluster in a directory. */
export function clusterSubject(directory: string, password: string): Subject {
  const content = createHash('sha256').update(`cluster\0${password.trim()}`).digest('hex');
  return { kind: 'cluster', path: realPath(directory), content };
}

/** Returns the cluster of `stage` in a directory, or null if there is none. */
export function clusterAt(directory: string): Subject | null {
  const password = readText(join(directory, 'data', passwordFile));
  return password === null ? null : clusterSubject(directory, password);
}

/** Returns what is at a path now, or null if it cannot be trusted. */
export function subjectAt(path: string): Subject | null {
  const cluster = clusterAt(path);
  if (cluster !== null) return cluster;
  const file = readConfigFile(path);
  return file.content === null ? null : fileSubject(file);
}

/** Returns the path of a file with links of its folder resolved: the base of the file's relative paths must not depend on links. */
export function canonicalPath(path: string): string {
  return join(realPath(dirname(resolve(path))), basename(path));
}

/** Returns the path with symbolic links resolved if it exists, else the absolute path. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Returns the path of the state file, one per trusted path. */
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
