/** A daemon as a process of its own, from the sources as they are: one that can be killed, and frozen. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { compiled } from './compiled.ts';

export interface DaemonApart {
  readonly child: ChildProcess;
  readonly restUrl: string;
  readonly proxyPort: number;
  /** Kills it, and resolves when it is gone. */
  kill(): Promise<void>;
}

/**
 * Starts it on free ports, and resolves when it serves. The caller ends it.
 * @param settings by name, as flags give them
 */
export async function startDaemonApart(
  upstream: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<DaemonApart> {
  const args = [compiled('test/fixtures/daemon/serve.ts'), upstream, JSON.stringify(settings)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const first = await Promise.race([once(lines, 'line'), ended]);
  const [restUrl, proxyPort] = String(first[0]).split(' ');
  if (proxyPort === undefined || restUrl === undefined) throw new Error('the daemon has ended');
  return {
    child,
    restUrl,
    proxyPort: Number(proxyPort),
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
