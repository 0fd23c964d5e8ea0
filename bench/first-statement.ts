/**
 * The cost of a connection's first statements: `npm run bench:first`, on Linux. New connections of a role that may only read, through the
 * built daemon, to tables that have overlays. Processor time of the connection's backend and of the daemon: medians. BENCH_BUILDS names the
 * directories of several builds, separated by commas, which alternate; BENCH_ROUNDS (9) is the number of connections.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../src/daemon/embedded/embedded.ts';
import { createLog } from '../src/log.ts';
import { anyCluster } from '../test/helpers/any-cluster.ts';
import type { Daemon } from './daemon.ts';
import { startBuiltDaemon } from './daemon.ts';
import { median } from './pgbench.ts';
import { processorTime } from './processor-time.ts';
import { writesSchema } from './writes.ts';

const builds = (process.env['BENCH_BUILDS'] ?? '.').split(',');
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 9);
const print = (line: string) => process.stdout.write(`${line}\n`);

/** Statements by their names; each connection runs one of them several times. */
const statements: Readonly<Record<string, (key: number) => string>> = {
  'staged INSERT': (key) => `INSERT INTO plain (id, value, amount) VALUES (${key}, 'new', 1)`,
  'staged UPDATE, two foreign keys': (key) =>
    `UPDATE rich SET quantity = quantity + 1, customer = 7 WHERE id = ${key % 40_000}`,
  'staged read': (key) => `SELECT * FROM rich WHERE id = ${key}`,
  'read of a catalog': (key) => `SELECT count(*) FROM pg_catalog.pg_class WHERE oid = ${key}`,
};
const repeats = 3;

interface Side {
  readonly build: string;
  readonly daemon: Daemon;
  readonly found: Map<string, readonly number[][]>;
}

const home = await mkdtemp(join(tmpdir(), 'stage-bench-'));
const log = createLog('silent', process.stderr);
const settings = { fsync: 'off' };
const server = await startEmbedded({ clusters: anyCluster, directory: home, log, settings });
const role = new URL(server.url);
role.username = role.password = 'first_agent';
const sides: Side[] = [];
try {
  await run(server.url, `CREATE ROLE first_agent LOGIN PASSWORD 'first_agent'`);
  for (const [index, build] of builds.entries()) sides.push(await startSide(build, index));
  let key = 100_000;
  for (let round = -2; round < rounds; round += 1)
    for (const label of Object.keys(statements))
      for (const side of sides) {
        key += repeats;
        await measure(side, label, key, round >= 0);
      }
  for (const side of sides) printSide(side);
} finally {
  for (const { daemon } of sides) await daemon.stop();
  await server.stop();
  await rm(home, { recursive: true, force: true });
}

async function run(url: string, ...texts: readonly string[]): Promise<pg.QueryResult | undefined> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let last: pg.QueryResult | undefined;
  for (const text of texts) last = await client.query(text);
  await client.end();
  return last;
}

/** Starts the daemon of a build, on a database of its own. */
async function startSide(build: string, index: number): Promise<Side> {
  const url = new URL(server.url);
  url.pathname = `/bench_${index}`;
  await run(server.url, `CREATE DATABASE bench_${index}`);
  await run(url.href, writesSchema, 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO first_agent');
  return { build, daemon: await startBuiltDaemon(url.href, home, build), found: new Map() };
}

async function measure(side: Side, label: string, key: number, counts: boolean): Promise<void> {
  const url = new URL(await side.daemon.newSession('staged'));
  [url.username, url.password] = [role.username, role.password];
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  // not by the connection itself, whose first statement is still to come
  const found = await run(
    server.url,
    `SELECT pid FROM pg_stat_activity WHERE usename = 'first_agent' ORDER BY backend_start DESC LIMIT 1`,
  );
  const pid = Number(found?.rows[0]?.['pid']);
  for (let turn = 0; turn < repeats; turn += 1) {
    const text = statements[label]?.(key + turn) ?? '';
    const before = await usage(side, pid);
    await client.query(text);
    const used = (await usage(side, pid)).map((value, index) => value - (before[index] ?? 0));
    const name = `${label}, ${turn + 1}`;
    const known = side.found.get(name) ?? [];
    side.found.set(name, counts ? [...known, used] : known);
  }
  await client.end();
}

/** Returns milliseconds: the clock, and the processor time of the backend and of the daemon. */
async function usage({ daemon }: Side, pid: number): Promise<number[]> {
  const [backend, node] = [await processorTime(pid), await processorTime(daemon.pid)];
  return [performance.now(), backend / 1e6, node / 1e6];
}

function printSide({ build, found }: Side): void {
  print(
    `\n${build}\n| statement of a connection | ms | backend ms | daemon ms |\n|---|---|---|---|`,
  );
  for (const [name, all] of found) {
    const medians = [0, 1, 2].map((index) =>
      median(all.map((used) => used[index] ?? 0)).toFixed(1),
    );
    print(`| ${name} | ${medians.join(' | ')} |`);
  }
}
