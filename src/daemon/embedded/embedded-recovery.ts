/** Cleans up after a daemon that was killed: stops its server, or removes the lock file of a server that no longer runs. */
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StageError } from '../../errors.ts';
import { ownerOf } from './embedded-process.ts';

interface ProcessFacts {
  readonly parent: number;
  readonly command: string;
}

/**
 * Frees the data directory for a start. Stops an orphaned server, but not one whose daemon still runs.
 * @throws StageError `configuration_invalid` if the directory is in use
 */
export async function clearLeftovers(data: string): Promise<void> {
  const lockFile = join(data, 'postmaster.pid');
  const lock = await readFile(lockFile, 'utf8').catch(() => null);
  if (lock === null) return;
  const pid = Number.parseInt(lock, 10);
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const found = await inspect(pid);
    // Process ids are reused, above all after a reboot: only a PostgreSQL on this very directory counts.
    if (!found?.command.includes('postgres') || !found.command.includes(data)) {
      await rm(lockFile, { force: true });
      return;
    }
    const owner = ownerOf(found.command);
    if (owner === null) throw inUse(data, `process ${pid}`);
    if (owner === found.parent) throw inUse(data, `the stage process ${owner}`);
    // The orphan's watchdog may be stopping it already. A second request does no harm; later ones are more forceful.
    if (attempt % 100 === 0) stopOrphan(pid, attempt === 0 ? 'SIGINT' : 'SIGQUIT');
    await sleep(100);
  }
  throw inUse(data, `process ${pid}, which does not stop`);
}

function stopOrphan(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile, or belongs to another user: the next check shows which.
  }
}

function inUse(data: string, user: string): StageError {
  return new StageError(
    'configuration_invalid',
    `the embedded PostgreSQL's data ${data} is in use by ${user}`,
    {
      hint: 'Stop that process, or choose another directory with --embedded DIR.',
    },
  );
}

/** Returns parent and command line of a process, or null if it does not exist. Slim Linux images have no `ps`, macOS has no /proc. */
async function inspect(pid: number): Promise<ProcessFacts | null> {
  if (!Number.isInteger(pid) || pid <= 0) return null;
  if (process.platform !== 'linux') return inspectByPs(pid);
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const parent = /^PPid:\s*(\d+)/m.exec(status)?.[1];
  return parent === undefined || command === ''
    ? null
    : { parent: Number(parent), command: command.replaceAll('\0', ' ') };
}

function inspectByPs(pid: number): Promise<ProcessFacts | null> {
  return new Promise((done) => {
    execFile('ps', ['-ww', '-o', 'ppid=,command=', '-p', String(pid)], (error, stdout) => {
      const found = error ? null : /^\s*(\d+)\s+(.*)$/s.exec(stdout.trim());
      done(found ? { parent: Number(found[1]), command: found[2] ?? '' } : null);
    });
  });
}
