/** Runs PostgreSQL's programs: short ones to completion, the server until it is stopped or this process ends. */

import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { StageError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Account } from './embedded-account.ts';

/**
 * Settings of malloc in glibc (https://sourceware.org/glibc/manual/latest/html_node/Memory-Allocation-Tunables.html): memory grows in large
 * steps, in huge pages where the kernel allows it, and stays with the process. A new connection otherwise spends much of its time on page
 * faults.
 */
const memory = [
  'glibc.malloc.hugetlb=1',
  'glibc.malloc.top_pad=4194304',
  'glibc.malloc.mmap_threshold=268435456',
  'glibc.malloc.trim_threshold=268435456',
].join(':');

/** Messages must be English, because they are parsed here. Nothing else of the daemon's environment reaches the server. */
const environment = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin', GLIBC_TUNABLES: memory };

export interface Outcome {
  /** Exit code; -1 if the program could not be started or was killed. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to completion under the account (null: the current one). Never throws. */
export function execute(
  program: string,
  args: readonly string[],
  account: Account | null,
): Promise<Outcome> {
  return new Promise((done) => {
    const child = spawn(program, args, {
      ...runAs(account),
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.on('data', (chunk) => (stdout += chunk));
    child.stderr?.on('data', (chunk) => (stderr += chunk));
    child.once('error', (error) => done({ code: -1, stdout, stderr: error.message }));
    child.once('close', (code) => done({ code: code ?? -1, stdout, stderr: stderr.trim() }));
  });
}

function runAs(account: Account | null): SpawnOptions {
  return account ? { env: environment, uid: account.uid, gid: account.gid } : { env: environment };
}

export interface Server {
  readonly port: number;
  stop(): Promise<void>;
}

/** Thrown if the port was taken between choosing and binding it. */
export class AddressInUse extends Error {}

export interface ServerOptions {
  readonly program: string;
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly account: Account | null;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: Log;
}

/** Returns the option that marks the server's command line with the process that started it, for the recovery after a kill -9. */
const ownerOption = (pid: number): string => `cluster_name=stage-${pid}`;

/** Returns the process that started the server with this command line, or null if it was not started by stage. */
export function ownerOf(command: string): number | null {
  const owner = /cluster_name=stage-(\d+)/.exec(command)?.[1];
  return owner === undefined ? null : Number(owner);
}

/**
 * Starts the server, and resolves when it accepts connections.
 * @throws AddressInUse if the port is taken; StageError `configuration_invalid` if the server ends instead of starting
 */
export async function spawnServer(options: ServerOptions): Promise<Server> {
  const { host, port, data } = options;
  const settings = {
    listen_addresses: host,
    port: String(port),
    unix_socket_directories: '',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // A separate process group: Ctrl-C in a terminal signals only the daemon, which stops the server last.
  const child = spawn(options.program, ['-D', data, '-c', ownerOption(process.pid), ...flags], {
    ...runAs(options.account),
    cwd: '/',
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise<void>((done) => {
    child.once('close', () => done());
    child.once('error', () => done());
  });
  if (child.pid !== undefined) startWatchdog(child.pid, options.account, exited);
  await ready(child, options);
  let stopping = false;
  void exited.then(() => {
    if (!stopping) options.log.error('the embedded PostgreSQL ended unexpectedly', { data });
  });
  const stop = async () => {
    stopping = true;
    await stopServer(child, exited);
  };
  return { port, stop };
}

/** Forwards the server's log. Resolves when the server is ready, rejects when it ends before. */
function ready(child: ChildProcess, options: ServerOptions): Promise<void> {
  return new Promise((done, failed) => {
    const heard: string[] = [];
    child.once('error', (error) => failed(notStarted(options, error.message)));
    child.once('close', () => {
      const text = heard.join('\n');
      failed(
        /could not bind|Address already in use/.test(text)
          ? new AddressInUse(text)
          : notStarted(options, text),
      );
    });
    if (!child.stderr) return;
    createInterface({ input: child.stderr }).on('line', (line) => {
      options.log.debug('postgres', { line });
      if (heard.length < 50) heard.push(line);
      if (/database system is ready to accept (read-only )?connections/.test(line)) done();
    });
  });
}

function notStarted(options: ServerOptions, detail: string): StageError {
  return new StageError(
    'configuration_invalid',
    `the embedded PostgreSQL on ${options.data} did not start: ${detail}`,
    {
      hint: 'Choose another directory with --embedded DIR, or give a PostgreSQL of your own with --upstream URL.',
    },
  );
}

/**
 * Starts a shell that stops the server when the shell's input is closed, which happens however this process ends: the server
 * does not outlive it even after a kill -9. The shell is killed when the server has ended.
 */
function startWatchdog(server: number, account: Account | null, exited: Promise<void>): void {
  const watchdog = spawn('/bin/sh', ['-c', 'read -r _; kill -INT "$1"', 'sh', String(server)], {
    ...runAs(account),
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without the shell only this protection is missing.
  watchdog.on('error', () => undefined);
  void exited.then(() => watchdog.kill('SIGKILL'));
}

/** Stops the server by three methods, each after a time limit: fast shutdown, immediate shutdown, kill. */
async function stopServer(child: ChildProcess, exited: Promise<void>): Promise<void> {
  for (const [signal, patience] of [
    ['SIGINT', 30_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 10_000],
  ] as const) {
    child.kill(signal);
    if (await within(exited, patience)) return;
  }
}

function within(exited: Promise<void>, milliseconds: number): Promise<boolean> {
  return new Promise((done) => {
    const timer = setTimeout(() => done(false), milliseconds);
    void exited.then(() => {
      clearTimeout(timer);
      done(true);
    });
  });
}
