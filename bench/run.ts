/**
 * Staged compared with direct: `npm run bench`. Reads by pgbench (which has to be installed), with PgBouncer if that is installed, and the
 * same over a Unix socket; connections and pipelines; throughput of single staged statements; statements of many rows, and reads beside
 * many staged rows; the way to production of many changes; curves of growth.
 * BENCH_SECONDS (1) is the length of one run, BENCH_ROUNDS (3) their number (reads: one fewer), BENCH_CLIENTS (8) pgbench's clients of
 * writes.
 * BENCH_PARTS chooses some of `reads sockets connections loads writes bulk review curves`. BENCH_PG is the path of an installation of
 * PostgreSQL, and BENCH_FSYNC=on makes it write to its disk as in production. BENCH_BASE is the directory of another build, whose daemon is
 * measured in the reads, too.
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../src/daemon/embedded/embedded.ts';
import { createLog } from '../src/log.ts';
import { anyCluster } from '../test/helpers/any-cluster.ts';
import { bulkSchema, compareBulk } from './bulk.ts';
import { compareConnections } from './connections.ts';
import { curvesSchema, drawCurves } from './curves.ts';
import { startBuiltDaemon } from './daemon.ts';
import { startForwarder } from './forwarder.ts';
import { compareLoad, isInstalled } from './pgbench.ts';
import { startBouncer } from './pgbouncer.ts';
import type { ReadEffort, ReadTarget } from './reads.ts';
import { compareReads, modes } from './reads.ts';
import { compareReview, reviewSchema } from './review.ts';
import { compareWrites, writesSchema } from './writes.ts';

const number = (name: string, fallback: number) => Number(process.env[name] ?? fallback);
const effort = {
  seconds: number('BENCH_SECONDS', 1),
  rounds: number('BENCH_ROUNDS', 3),
  clients: number('BENCH_CLIENTS', 8),
};
const { rounds } = effort;
const print = (line: string) => process.stdout.write(`${line}\n`);

const read = 'SELECT balance FROM account WHERE id = :id;';
const update = 'UPDATE account SET balance = balance + 1 WHERE id = :id;';
const schema = `
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL, filler text);
INSERT INTO account SELECT g, 0, repeat('x', 80) FROM generate_series(1, 1000000) g;
`;
const reader = `CREATE ROLE reader LOGIN PASSWORD 'reader'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;`;

const directory = await mkdtemp(join(tmpdir(), 'stage-bench-'));
const server = await startEmbedded({
  clusters: anyCluster,
  directory,
  log: createLog('silent', process.stderr),
  settings: {
    fsync: process.env['BENCH_FSYNC'] ?? 'off',
    // half of the free connections are for clients
    max_connections: '200',
    unix_socket_directories: directory,
  },
  ...(process.env['BENCH_PG'] && { binaries: process.env['BENCH_PG'] }),
});
// PostgreSQL and PgBouncer may run as other users
await chmod(directory, 0o755);
const daemon = await startBuiltDaemon(server.url, directory);
const pidFile = await readFile(join(directory, 'data/postmaster.pid'), 'utf8');
const postmaster = Number(pidFile.split('\n')[0]);
const measured = { direct: server.url, watched: { postmaster, daemon: daemon.pid }, rounds };

const all: Readonly<Record<string, () => Promise<void>>> = {
  reads: () =>
    ofPgbench(() => besideBouncer(server.url, (targets) => measureReads(targets, modes))),
  sockets: () =>
    ofPgbench(() => besideBouncer(socketUrl(), (targets) => measureReads(targets, ['prepared']))),
  connections: () =>
    besideBouncer(server.url, (targets) => compareConnections(targets, rounds, print)),
  loads: () => ofPgbench(compareLoads),
  writes: () => {
    const newSession = () => sessionOfReader('production');
    return compareWrites({ ...measured, newSession, rounds: 3 * rounds }, print);
  },
  bulk: () => compareBulk({ ...measured, newSession: () => sessionOfReader('staged') }, print),
  review: () => {
    const newSession = () => sessionOfReader('production');
    return compareReview({ ...measured, rest: daemon.rest, newSession }, print);
  },
  curves: () =>
    drawCurves(
      { ...measured, rest: daemon.rest, newSession: () => sessionOfReader('staged') },
      print,
    ),
};
try {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  for (const text of [schema, writesSchema, bulkSchema, reviewSchema, curvesSchema, reader])
    await client.query(text);
  await client.end();
  for (const part of (process.env['BENCH_PARTS'] ?? Object.keys(all).join(' ')).split(' ')) {
    const work = all[part];
    if (work === undefined) throw new Error(`no such part: ${part}`);
    print(`\n${part}`);
    await work();
    await daemon.clear();
  }
} finally {
  await daemon.stop();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}

async function ofPgbench(work: () => Promise<void>): Promise<void> {
  if (await isInstalled('pgbench')) await work();
  else print('pgbench is not installed: not measured');
}

/** Returns the server's URL through its Unix socket. */
function socketUrl(): string {
  const { password, port } = server;
  return `postgresql://postgres:${password}@${encodeURIComponent(directory)}:${port}/postgres`;
}

/** Returns the URL of a new session for the role that is recommended for clients. */
async function sessionOfReader(reads: string): Promise<string> {
  const url = new URL(await daemon.newSession(reads));
  url.username = 'reader';
  url.password = 'reader';
  return url.href;
}

async function scriptOf(text: string): Promise<string> {
  const script = join(directory, 'script.sql');
  await writeFile(script, `\\set id random(1, 1000000)\n${text}\n`);
  return script;
}

/**
 * Works with the server itself, PgBouncer if it is installed, a bare forwarder, and separate daemons, which all connect to it by the URL.
 */
async function besideBouncer(
  url: string,
  work: (targets: readonly ReadTarget[]) => Promise<void>,
): Promise<void> {
  const bouncer = (await isInstalled('pgbouncer')) ? await startBouncer(url) : null;
  if (!bouncer) print('PgBouncer is not installed: compared without it');
  const forwarder = await startForwarder(url);
  const build = process.env['BENCH_BASE'];
  const base = build ? await startBuiltDaemon(url, directory, build) : null;
  const own = await startBuiltDaemon(url, directory);
  const targets: ReadTarget[] = [{ name: 'direct', url, pid: null }];
  if (bouncer) targets.push({ ...bouncer.target, pid: bouncer.pid });
  targets.push(forwarder.target);
  for (const [name, { pid, newSession }] of Object.entries({ ...(base && { base }), stage: own }))
    targets.push({ name, url: await newSession('production'), pid });
  await work(targets);
  for (const each of [own, base, forwarder, bouncer]) await each?.stop();
}

async function measureReads(
  targets: readonly ReadTarget[],
  modes: ReadEffort['modes'],
): Promise<void> {
  const { seconds } = effort;
  const script = await scriptOf(read);
  await compareReads(
    targets,
    { seconds, rounds: Math.max(1, rounds - 1), script, postmaster, modes },
    print,
  );
}

async function compareLoads(): Promise<void> {
  const { clients } = effort;
  const script = await scriptOf(update);
  const sessions = Array.from({ length: clients }, () => sessionOfReader('production'));
  const targets = [
    [server.url],
    [await sessionOfReader('production')],
    await Promise.all(sessions),
  ];
  const heads = ['direct/s', 'one session/s', 'ratio', `${clients} sessions/s`, 'ratio'];
  print(`| ${[`${clients} clients`, ...heads].join(' | ')} |\n|${'---|'.repeat(6)}`);
  const cells = await compareLoad(script, targets, effort);
  print(`| ${['UPDATE by key, prepared', ...cells].join(' | ')} |`);
}
