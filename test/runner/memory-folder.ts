/**
 * The folder for the data of test servers in memory. On a disk, creating and removing the 300 files of a database takes several times as
 * much processor time, and many databases are created.
 */
import { readdir, readFile, rm, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';

/** The WAL takes up to a gigabyte, and the databases that exist at once half of one. */
const needed = 6 * 2 ** 30;

/** Returns the folder; null if it does not exist, or has not enough room. */
export async function memoryFolder(folder = '/dev/shm'): Promise<string | null> {
  await removeLeftovers(folder);
  const room = await statfs(folder).then(
    ({ bavail, bsize }) => Math.min(bavail * bsize, freemem()),
    () => 0,
  );
  return room >= needed ? folder : null;
}

/** Removes the data of servers whose runs were killed: memory is not freed otherwise. */
async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => each.startsWith('stage-test-'))) {
    const file = join(folder, name, 'data', 'postmaster.pid');
    const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
    if (pid > 0 && !runs(pid)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
