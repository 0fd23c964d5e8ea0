/**
 * Staged against direct: `npm run bench`, about twelve minutes. Reads by pgbench (which has to be installed), with PgBouncer beside
 * where that is installed; throughput of single staged statements; then statements of many rows and reads beside many staged rows.
 * BENCH_SECONDS (3) is the length of one run, BENCH_ROUNDS (3) their number, BENCH_CLIENTS (8) pgbench's clients of writes.
 * BENCH_PARTS chooses some of `reads loads writes bulk`. BENCH_PG is the path of an installation of PostgreSQL, BENCH_FSYNC=on has it
 * write to its disk as in production. BENCH_BASE is the directory of another build, whose daemon reads beside this one's.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../src/daemon/embedded.ts';
import { createLog } from '../src/log.ts';
import { bulkSchema, compareBulk } from './bulk.ts';
import { startBuiltDaemon } from './daemon.ts';
import { compareLoad, isInstalled } from './pgbench.ts';
import { startBouncer } from './pgbouncer.ts';
import type { ReadTarget } from './reads.ts';
import { compareReads } from './reads.ts';
import { compareWrites, writesSchema } from './writes.ts';

const number = (name: string, fallback: number) => Number(process.env[name] ?? fallback);
const effort = {
  seconds: number('BENCH_SECONDS', 3),
  rounds: number('BENCH_ROUNDS', 3),
  clients: number('BENCH_CLIENTS', 8),
};
const print = (line: string) => process.stdout.write(`${line}\n`);

const read = 'SELECT balance FROM account WHERE id = :id;';
const writes: Readonly<Record<string, string>> = {
  'INSERT, staged': 'INSERT INTO entry (account, amount) VALUES (:id, 1);',
  'UPDATE by key, staged': 'UPDATE account SET balance = balance + 1 WHERE id = :id;',
  'DELETE by key, staged': 'DELETE FROM gone WHERE id = :id;',
};
const schema = `
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL, filler text);
INSERT INTO account SELECT g, 0, repeat('x', 80) FROM generate_series(1, 1000000) g;
CREATE TABLE entry (id bigserial PRIMARY KEY, account int NOT NULL, amount int NOT NULL);
CREATE TABLE gone (id int PRIMARY KEY);
INSERT INTO gone SELECT generate_series(1, 1000000);
`;
const reader = `CREATE ROLE reader LOGIN PASSWORD 'reader'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO reader;
`;

const directory = await mkdtemp(join(tmpdir(), 'stage-bench-'));
const log = createLog('silent', process.stderr);
const parts = (process.env['BENCH_PARTS'] ?? 'reads loads writes bulk').split(' ');
const server = await startEmbedded({
  directory,
  log,
  // half of what is free is for clients
  settings: { fsync: process.env['BENCH_FSYNC'] ?? 'off', max_connections: '200' },
  ...(process.env['BENCH_PG'] && { binaries: process.env['BENCH_PG'] }),
});
const daemon = await startBuiltDaemon(server.url, directory);
try {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  if (parts.includes('reads') || parts.includes('loads')) await client.query(schema);
  if (parts.includes('writes')) await client.query(writesSchema);
  if (parts.includes('bulk')) await client.query(bulkSchema);
  await client.query(reader);
  await client.end();
  if (!(await isInstalled('pgbench'))) print('pgbench is not installed: no single statements');
  else {
    if (parts.includes('reads')) await measureReads();
    if (parts.includes('loads')) await compareLoads();
  }
  if (parts.includes('writes')) {
    const newSession = () => sessionOfReader('production');
    await compareWrites(
      { direct: server.url, newSession, pid: daemon.pid, rounds: 3 * effort.rounds },
      print,
    );
  }
  if (parts.includes('bulk')) {
    const newSession = () => sessionOfReader('staged');
    await compareBulk({ direct: server.url, newSession, rounds: effort.rounds }, print);
  }
} finally {
  await daemon.stop();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}

/** The URL of a new session for the role that clients are recommended to have. */
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

async function measureReads(): Promise<void> {
  const bouncer = (await isInstalled('pgbouncer')) ? await startBouncer(server.url) : null;
  if (!bouncer) print('PgBouncer is not installed: compared without it');
  const build = process.env['BENCH_BASE'];
  const base = build ? await startBuiltDaemon(server.url, directory, build) : null;
  const targets: ReadTarget[] = [{ name: 'direct', url: server.url, pid: null }];
  if (bouncer) targets.push({ ...bouncer.target, pid: bouncer.pid });
  for (const [name, { pid, newSession }] of Object.entries({
    ...(base && { base }),
    stage: daemon,
  }))
    targets.push({ name, url: await newSession('production'), pid });
  const pidFile = await readFile(join(directory, 'data/postmaster.pid'), 'utf8');
  const postmaster = Number(pidFile.split('\n')[0]);
  const { seconds, rounds } = effort;
  const script = await scriptOf(read);
  await compareReads(targets, { seconds, rounds, script, postmaster }, print);
  await base?.stop();
  await bouncer?.stop();
}

async function compareLoads(): Promise<void> {
  print(`| ${effort.clients} clients | protocol | direct/s | stage/s | ratio |`);
  print(`|${'---|'.repeat(5)}`);
  for (const [label, text] of Object.entries(writes)) {
    const script = await scriptOf(text);
    for (const mode of ['simple', 'prepared'] as const) {
      const stage = { name: 'stage', url: await sessionOfReader('production') };
      const targets = [{ name: 'direct', url: server.url }, stage];
      print(await compareLoad({ label, mode, script }, targets, effort));
    }
  }
}
