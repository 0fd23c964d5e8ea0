/** The program as it is started from the command line, as a process of its own. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { stageCommand } from '../cli/stage.ts';

export interface SpawnedDaemon {
  readonly child: ChildProcess;
  readonly restUrl: string;
  readonly proxyPort: number;
  /** The entries of its log. */
  readonly logged: readonly Record<string, unknown>[];
  /** Gives its exit code and signal. */
  readonly ended: Promise<unknown[]>;
}

interface SpawnOptions {
  /** What Node is to load before the program. */
  readonly modules?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts it on free ports, and resolves when it serves. The caller ends it. */
export async function spawnDaemon(
  upstream: string,
  { modules = [], env = {} }: SpawnOptions = {},
): Promise<SpawnedDaemon> {
  const loaded = modules.flatMap((module) => ['--import', import.meta.resolve(module)]);
  const args = ['serve', '--upstream', upstream, '--port', '0', '--proxy-port', '0'];
  const child = spawn(process.execPath, [...loaded, ...stageCommand, ...args], {
    env: { ...process.env, HOME: '/nonexistent', ...env },
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const logged: Record<string, unknown>[] = [];
  const serving = await new Promise<Record<string, unknown>>((found, failed) => {
    createInterface(child.stderr).on('line', (line) => {
      if (!line.startsWith('{')) return;
      const entry = JSON.parse(line) as Record<string, unknown>;
      logged.push(entry);
      if (entry['message'] === 'serving') found(entry);
    });
    child.once('exit', () => failed(new Error(JSON.stringify(logged))));
  });
  const proxyPort = Number(String(serving['proxy']).split(':').at(-1));
  return { child, restUrl: String(serving['rest']), proxyPort, logged, ended };
}
