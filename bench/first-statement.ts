/**
 * The cost of a connection's first statements and of the later ones: `npm run bench:first`, on Linux. New connections of a role that may
 * only read, through the built daemon, to tables that have overlays. Processor time of the connection's backend and of the daemon: medians.
 * Statements that call functions of users show the cost of the checks for such calls beside those that do not.
 * BENCH_BUILDS names the directories of several builds, separated by commas, which alternate; BENCH_ROUNDS (9) is the number of connections.
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
  'read of a value': (key) => `SELECT ${key}`,
  'read that calls a function of users': (key) => `SELECT own(${key})`,
  'staged INSERT that calls a function of users': (key) =>
    `INSERT INTO plain (id, value, amount) VALUES (${key}, 'new', own(1))`,
  'staged INSERT, a check calls a function of users': (key) =>
    `INSERT INTO checked (id, value, amount) VALUES (${key}, 'new', 1)`,
};
const ownCode = `CREATE FUNCTION own(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1; END';
  CREATE TABLE checked (LIKE plain INCLUDING ALL, CHECK (own(amount::int) > 0))`;
/** The numbers of statements in a measurement: the first, the second, and some that show what each later one takes. */
const sizes = { first: 1, second: 1, later: 50 } as const;
type Turn = keyof typeof sizes;
const turns = Object.keys(sizes) as Turn[];
/** All statements of a connection: as many keys are taken. */
const repeats = Object.values(sizes).reduce((sum, size) => sum + size, 0);

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
  await run(
    url.href,
    writesSchema,
    ownCode,
    'GRANT SELECT ON ALL TABLES IN SCHEMA public TO first_agent',
  );
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
  let next = key;
  for (const turn of turns) {
    const before = await usage(side, pid);
    for (let count = 0; count < sizes[turn]; count += 1) {
      await client.query(statements[label]?.(next) ?? '');
      next += 1;
    }
    const after = await usage(side, pid);
    const used = after.map((value, index) => (value - (before[index] ?? 0)) / sizes[turn]);
    const name = `${label}, ${turn}`;
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
      median(all.map((used) => used[index] ?? 0)).toFixed(2),
    );
    print(`| ${name} | ${medians.join(' | ')} |`);
  }
}
