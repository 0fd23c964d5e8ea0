/** Processes of other people's programs on this machine. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readdir, readFile } from 'node:fs/promises';
import { MissingProgram } from '../../helpers/suite.ts';

export interface Process {
  readonly child: ChildProcess;
  /** Kills it, and resolves when it has ended. */
  kill(): Promise<void>;
}

/** The account that runs them. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** @throws MissingProgram if it is not installed */
export async function startProcess(
  program: string,
  args: readonly string[],
  account: Partial<Account> = {},
): Promise<Process> {
  await access(program).catch(() => {
    throw new MissingProgram(program);
  });
  const child = spawn(program, args, { stdio: 'ignore', cwd: '/', ...account });
  const ended = once(child, 'exit');
  return {
    child,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Returns a process and all that it has started, itself first. */
export async function withDescendants(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // the name of the program, in brackets, may contain anything
    parents.set(Number(name), Number(text.slice(text.lastIndexOf(')')).split(' ')[2]));
  }
  const found = [pid];
  for (const each of found)
    found.push(...[...parents].filter(([, parent]) => parent === each).map(([child]) => child));
  return found;
}

/** Sends a signal to processes, of which some may have ended. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // it has ended
    }
  }
}
