/** Runs the program as the command line does, in a separate process. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { SettingName } from '../../src/config/schema.ts';
import { options } from '../../src/config/schema.ts';
import { stageCommand } from '../cli/stage.ts';

export interface SpawnedDaemon {
  readonly child: ChildProcess;
  readonly restUrl: string;
  readonly proxyPort: number;
  /** The entries of its log. */
  readonly logged: readonly Record<string, unknown>[];
  /** Resolves to its exit code and signal. */
  readonly ended: Promise<unknown[]>;
  /** Kills it, and resolves when it has ended. */
  kill(): Promise<void>;
}

type SettingValues = { readonly [Name in SettingName]?: string | number };

interface SpawnOptions {
  /** The program that Node runs; this release by default. */
  readonly release?: readonly string[];
  /** Modules that Node loads before the program. */
  readonly modules?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Settings by name. */
  readonly settings?: SettingValues;
  /** A program that starts it, with arguments. */
  readonly through?: readonly string[];
  /** The descriptor of a file for its log. `logged` is empty then. */
  readonly log?: number;
}

/** Starts it on free ports, and resolves when it serves. The caller stops it. */
export async function spawnDaemon(
  upstream: string,
  {
    release = stageCommand,
    modules = [],
    env = {},
    settings = {},
    through = [],
    log,
  }: SpawnOptions = {},
): Promise<SpawnedDaemon> {
  const loaded = modules.flatMap((module) => ['--import', import.meta.resolve(module)]);
  const args = ['serve', '--upstream', upstream, '--port', '0', '--proxy-port', '0'];
  const command = [...through, process.execPath, ...loaded, ...release, ...args];
  const child = spawn(command[0] as string, command.slice(1), {
    env: { ...process.env, HOME: '/nonexistent', ...asVariables(settings), ...env },
    cwd: '/',
    stdio: ['ignore', 'pipe', log ?? 'pipe'],
  });
  const ended = once(child, 'exit');
  const logged: Record<string, unknown>[] = [];
  const reported: string[] = [];
  if (child.stderr)
    createInterface(child.stderr).on('line', (line) => {
      if (line.startsWith('{')) logged.push(JSON.parse(line));
      else reported.push(line);
    });
  const [restUrl, proxyPort] = await new Promise<readonly [string, number]>((found, failed) => {
    createInterface(child.stdout as Readable).on('line', (line) => {
      reported.push(line);
      const [, proxy] = /^proxy +\S+:(\d+),/.exec(line) ?? [];
      const [, rest] = /^REST +(\S+)/m.exec(reported.join('\n')) ?? [];
      if (rest !== undefined && proxy !== undefined) found([rest, Number(proxy)]);
    });
    child.once('exit', () => failed(new Error(JSON.stringify([reported, logged]))));
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { child, restUrl, proxyPort, logged, ended, kill };
}

function asVariables(settings: SettingValues): Record<string, string> {
  const names = Object.keys(settings) as SettingName[];
  return Object.fromEntries(
    names.map((name) => [options[name].env?.[0] ?? '', String(settings[name])]),
  );
}
