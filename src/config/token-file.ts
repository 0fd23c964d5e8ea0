/** Updates the token file: one writer at a time, and the daemon reads either the old file or the new one. */
import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { StageError } from '../errors.ts';
import type { Token } from '../model/access.ts';
import { entryOf, readToken, readTokenText } from './tokens.ts';

/** A line of the file and its token; null for a comment or an empty line. */
export interface TokenLine {
  readonly text: string;
  readonly token: Token | null;
}

/**
 * Reads the lines of a token file, in order.
 * @throws StageError `configuration_invalid` for a file that the daemon would not accept
 */
export function readTokenLines(path: string): TokenLine[] {
  const lines = readTokenText(path).replace(/\n$/, '').split('\n');
  return lines.map((text) => {
    const entry = entryOf(text);
    return { text, token: entry === '' ? null : readToken(entry, path) };
  });
}

/**
 * Replaces the lines of a token file. Owner and mode stay the same. A missing file is created with mode 0600.
 * @throws StageError `configuration_invalid` if the file cannot be read or written, or another process is writing it
 */
export function changeTokenFile(
  named: string,
  change: (lines: readonly TokenLine[]) => readonly string[],
): void {
  const isThere = existsSync(named);
  // replaces the target of a symbolic link, not the link
  const path = isThere ? realpathSync(named) : named;
  const fresh = `${path}.new`;
  const file = openFresh(fresh, path);
  try {
    const lines = change(isThere ? readTokenLines(path) : []);
    if (isThere) takeRights(file, path);
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    fsyncSync(file);
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error instanceof StageError ? error : unwritten(path, error as Error);
  } finally {
    closeSync(file);
  }
}

/** Creates the new file. Its name is the lock: no other process changes the token file meanwhile. */
function openFresh(fresh: string, path: string): number {
  try {
    return openSync(fresh, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritten(path, error as Error);
    throw new StageError('configuration_invalid', `${fresh} is there already`, {
      hint: 'Somebody else is changing the token file: try again. If nobody is, remove the file.',
      cause: error,
    });
  }
}

function takeRights(file: number, path: string): void {
  const { uid, gid, mode } = statSync(path);
  fchownSync(file, uid, gid);
  fchmodSync(file, mode & 0o700);
}

function unwritten(path: string, cause: Error): StageError {
  return new StageError(
    'configuration_invalid',
    `the token file ${path} cannot be written: ${cause.message}`,
    { hint: 'Run the command as the owner of the file, on the machine of the daemon.', cause },
  );
}
