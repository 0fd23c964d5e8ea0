/** Clears what a daemon that died hard left behind: a server that still runs, or a lock file without its server. */
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
 * Makes the data directory free to start on. An orphaned server is stopped; a server whose daemon lives is left alone.
 * @throws StageError `configuration_invalid` when the directory is in use
 */
export async function clearLeftovers(data: string): Promise<void> {
  const lockFile = join(data, 'postmaster.pid');
  const lock = await readFile(lockFile, 'utf8').catch(() => null);
  if (lock === null) return;
  const pid = Number.parseInt(lock, 10);
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const found = await inspect(pid);
    // Process ids are used again, after a reboot above all: only a PostgreSQL on this very directory counts.
    if (!found?.command.includes('postgres') || !found.command.includes(data)) {
      await rm(lockFile, { force: true });
      return;
    }
    const owner = ownerOf(found.command);
    if (owner === null) throw inUse(data, `process ${pid}`);
    if (owner === found.parent) throw inUse(data, `the stage process ${owner}`);
    // The orphan's own watchdog may be at it already; a second request does no harm, later ones insist.
    if (attempt % 100 === 0) stopOrphan(pid, attempt === 0 ? 'SIGINT' : 'SIGQUIT');
    await sleep(100);
  }
  throw inUse(data, `process ${pid}, which does not stop`);
}

function stopOrphan(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile, or belongs to somebody else: the next look tells.
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

/** Parent and command line of a process, null when there is none. Slim Linux images have no `ps`, macOS has no /proc. */
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
