/** Small private files in the user's state folder. They are replaced as a whole, so no locks are needed. */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StageError } from '../errors.ts';
import type { Environment } from './user-folders.ts';
import { userFolder } from './user-folders.ts';

/** Returns the path of a state file, or null if the user has no state folder. */
export function stateFile(env: Environment, folder: string, name: string): string | null {
  const base = userFolder(env, 'state');
  return base === null ? null : join(base, folder, `${name}.json`);
}

/** Returns the text of a file, or null if it is missing or others than this user could have written it. */
export function readState(file: string | null): string | null {
  if (file === null) return null;
  try {
    const opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const { uid, mode } = fstatSync(opened);
      // guard: a state file belongs to the user alone
      if (uid !== process.getuid?.() || (mode & 0o022) !== 0) return null;
      return readFileSync(opened, 'utf8');
    } finally {
      closeSync(opened);
    }
  } catch {
    return null;
  }
}

/** Returns the texts of all state files in a folder. */
export function readStates(env: Environment, folder: string): string[] {
  const base = userFolder(env, 'state');
  if (base === null) return [];
  const names = namesIn(join(base, folder)).filter((name) => name.endsWith('.json'));
  return names
    .map((name) => readState(join(base, folder, name)))
    .filter((text): text is string => text !== null);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Writes a state file. @throws StageError `configuration_invalid` if the user has no state folder, or may not write to it */
export function writeState(file: string | null, json: string): void {
  if (file === null) throw unwritable('there is no HOME to keep it in');
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const fresh = `${file}.${randomUUID()}`;
    writeFileSync(fresh, `${json}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(fresh, file);
  } catch (cause) {
    throw unwritable((cause as Error).message, cause);
  }
}

export function removeState(file: string | null): void {
  if (file !== null) rmSync(file, { force: true });
}

function unwritable(reason: string, cause?: unknown): StageError {
  return new StageError('configuration_invalid', `this cannot be remembered: ${reason}`, {
    hint: 'Let XDG_STATE_HOME name a folder that you may write.',
    cause,
  });
}
