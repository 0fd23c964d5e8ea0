/** The environment of the review's benchmark: a database, a daemon, a session with many changes, a relay that takes times. */
import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { resolve } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../src/daemon/embedded/embedded.ts';
import { createLog } from '../src/log.ts';
import { anyCluster } from '../test/helpers/any-cluster.ts';

/** The released program. */
export const program = [process.execPath, resolve('bin/stage.js')] as const;

/** Creates a database for the benchmark: on an embedded server in the directory, unless another server is named. */
export async function startUpstream(
  server: string | undefined,
  directory: string,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  if (server === undefined) {
    const log = createLog('silent', process.stderr);
    return startEmbedded({ clusters: anyCluster, directory, log, settings: { fsync: 'off' } });
  }
  const name = `stage_bench_${process.pid}`;
  await query(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, stop: () => query(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}

async function query(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

export interface Daemon {
  readonly url: string;
  readonly proxyPort: number;
  stop(): Promise<void>;
}

/** Starts the built daemon on free ports. */
export async function startDaemon(url: string, directory: string): Promise<Daemon> {
  const args = [
    'serve',
    '--upstream',
    url,
    '--port',
    '0',
    '--proxy-port',
    '0',
    '--log-level',
    'error',
  ];
  const [node, file] = program;
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(node, [file, ...args], { stdio: [...stdio], env: { HOME: directory } });
  const ended = new Promise<void>((over) => void child.once('exit', () => over()));
  let said = '';
  for await (const text of child.stdout) {
    said += text;
    if (said.includes('Then:')) break;
  }
  return {
    url: /REST +(\S+)/.exec(said)?.[1] ?? '',
    proxyPort: Number(
      /:(\d+)\/\S*service_session/.exec(said)?.[1] ?? /proxy\S* +\S+:(\d+)/i.exec(said)?.[1],
    ),
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}

/** Stages updates and inserts, half of the changes each. Returns the session's id. */
export async function stageChanges(
  upstream: string,
  daemon: Daemon,
  changes: number,
): Promise<string> {
  const half = Math.floor(changes / 2);
  await query(
    upstream,
    'CREATE TABLE account (id int PRIMARY KEY, owner text NOT NULL, balance numeric(12,2), note text, opened timestamptz)',
    `INSERT INTO account SELECT g, 'owner ' || g, g * 1.5, 'a note', now() FROM generate_series(1, ${half}) g`,
    'ANALYZE account',
  );
  const headers = { 'content-type': 'application/json' };
  const made = await fetch(`${daemon.url}/sessions`, { method: 'POST', headers, body: '{}' });
  const { session_id: session } = (await made.json()) as { session_id: string };
  const url = new URL(upstream);
  url.port = String(daemon.proxyPort);
  url.searchParams.set('options', `-c service_session=${session}`);
  await query(
    url.href,
    `UPDATE account SET balance = balance + 1, note = 'another note, a little longer'`,
    `INSERT INTO account SELECT g, 'owner ' || g, g * 1.5, 'new', now() FROM generate_series(${half + 1}, ${changes}) g`,
  );
  return session;
}

export interface Relay {
  readonly url: string;
  /** The time of the first byte of the outline's response. */
  readonly firstByte: number;
  close(): void;
}

/** Starts a relay between the program and the daemon, which takes the time. */
export async function startRelay(url: string): Promise<Relay> {
  let firstByte = 0;
  const server = createServer((client) => {
    const daemonSide = connect(Number(new URL(url).port), '127.0.0.1');
    client.on('data', (text) => {
      if (!firstByte && text.includes('/diff/outline'))
        daemonSide.once('data', () => {
          firstByte ||= performance.now();
        });
    });
    client.pipe(daemonSide).pipe(client);
    for (const socket of [client, daemonSide]) socket.on('error', () => client.destroy());
  });
  await new Promise<void>((open) => void server.listen(0, '127.0.0.1', open));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get firstByte() {
      return firstByte;
    },
    close: () => server.close(),
  };
}
