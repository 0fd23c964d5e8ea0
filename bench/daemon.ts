/** The daemon as it is installed: built, and in a separate process, which no client's work slows down. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

export interface Daemon {
  readonly pid: number;
  /** Base URL of the REST interface. */
  readonly rest: string;
  /** Returns the URL of a new session, whose read mode is `production` or `staged`. */
  newSession(reads: string): Promise<string>;
  /** Deletes the sessions created so far that are not decided, so that their staged rows do not slow down the next measurement. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts `stage serve` before the given server, on free ports.
 * @param build the directory of the build
 * @param more further arguments
 */
export async function startBuiltDaemon(
  server: string,
  home: string,
  build = '.',
  more: readonly string[] = [],
): Promise<Daemon> {
  const args = ['serve', '--upstream', server, '--port', '0', '--proxy-port', '0', ...more];
  const program = join(build, 'bin/stage.js');
  const child = spawn(process.execPath, [program, ...args, '--log-level', 'info'], {
    env: { PATH: process.env['PATH'], HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const { rest, proxy } = await serving(createInterface(child.stderr));
  // on a busy machine its first check of the upstream may have come too early
  while ((await fetch(`${rest}/readyz`)).status !== 200) await delay(100);
  const made: string[] = [];
  return {
    pid: child.pid ?? 0,
    rest,
    newSession: async (reads) => {
      const created = await fetch(`${rest}/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ reads }),
      });
      const { session_id: session } = (await created.json()) as { session_id: string };
      made.push(session);
      const url = new URL(server);
      url.host = proxy;
      url.searchParams.set('options', `-c service_session=${session}`);
      return url.href.replaceAll('+', '%20');
    },
    clear: async () => {
      for (const id of made.splice(0)) await fetch(`${rest}/sessions/${id}`, { method: 'DELETE' });
    },
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

/** Returns the id of the session in a URL of newSession. */
export const sessionOf = (url: string): string =>
  /sess_\w+/.exec(decodeURIComponent(url))?.[0] ?? '';

/** Reads the addresses of the daemon from its log. */
async function serving(log: AsyncIterable<string>): Promise<{ rest: string; proxy: string }> {
  for await (const line of log) {
    const { message, ...facts } = JSON.parse(line) as Record<string, string>;
    if (message === 'serving') return facts as { rest: string; proxy: string };
  }
  throw new Error('the daemon has ended; is it built? npm run build');
}
