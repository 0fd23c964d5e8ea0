/** A PgBouncer beside the proxy, if it is installed: the cost of any proxy. */
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './pgbench.ts';

export interface Bouncer {
  readonly target: Target;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts one before the given server, in session mode, on a free port. */
export async function startBouncer(server: string): Promise<Bouncer> {
  const directory = await mkdtemp(join(tmpdir(), 'stage-bouncer-'));
  // started as root it becomes another user, who has to read its files
  await chmod(directory, 0o755);
  const { hostname, port, pathname, username, password } = new URL(server);
  const own = await freePort();
  const login = `host=${decodeURIComponent(hostname)} port=${port} user=${username} password=${decodeURIComponent(password)}`;
  const users = join(directory, 'users.txt');
  await writeFile(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  const file = join(directory, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]\n${pathname.slice(1)} = ${login}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${own}\nunix_socket_dir =\nauth_type = trust\nauth_file = ${users}\npool_mode = session\ndefault_pool_size = 100\nignore_startup_parameters = extra_float_digits,options\n`,
  );
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', ['-q', ...user, file], { stdio: 'ignore' });
  await listening(own);
  const url = new URL(server);
  url.hostname = '127.0.0.1';
  url.port = String(own);
  return {
    target: { name: 'pgbouncer', url: url.href },
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () =>
        resolve(false),
      );
      socket.on('connect', () => socket.end());
    });
    if (open) return;
    await sleep(50);
  }
  throw new Error('pgbouncer does not listen');
}
