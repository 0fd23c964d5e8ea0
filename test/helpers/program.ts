/** Programs of others on this machine, each as a process. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { MissingProgram } from './suite.ts';

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
export async function demandProgram(program: string): Promise<void> {
  await access(program).catch(() => {
    throw new MissingProgram(basename(program));
  });
}

/** Starts a program that is installed. The caller kills it. */
export function startProcess(
  program: string,
  args: readonly string[],
  account: Partial<Account> = {},
): Process {
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
