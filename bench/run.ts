/**
 * Staged against direct: `npm run bench`, about seven minutes. Throughput of single statements by pgbench (which has to be
 * installed), of reads with PgBouncer beside where that is installed; then statements of many rows and reads beside many staged rows.
 * BENCH_SECONDS (3) is the length of one run, BENCH_ROUNDS (3) their number, BENCH_CLIENTS (8) pgbench's clients.
 * BENCH_PARTS chooses some of `loads writes bulk`. BENCH_PG is the path of an installation of PostgreSQL, BENCH_FSYNC=on has it
 * write to its disk as in production.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../src/daemon/embedded.ts';
import { createLog } from '../src/log.ts';
import { bulkSchema, compareBulk } from './bulk.ts';
import { startBuiltDaemon } from './daemon.ts';
import type { Target } from './pgbench.ts';
import { compareLoad, isInstalled } from './pgbench.ts';
import { startBouncer } from './pgbouncer.ts';
import { compareWrites, writesSchema } from './writes.ts';

const number = (name: string, fallback: number) => Number(process.env[name] ?? fallback);
const effort = {
  seconds: number('BENCH_SECONDS', 3),
  rounds: number('BENCH_ROUNDS', 3),
  clients: number('BENCH_CLIENTS', 8),
};
const print = (line: string) => process.stdout.write(`${line}\n`);

const scripts: Readonly<Record<string, string>> = {
  'SELECT by key': 'SELECT balance FROM account WHERE id = :id;',
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
const parts = (process.env['BENCH_PARTS'] ?? 'loads writes bulk').split(' ');
const server = await startEmbedded({
  directory,
  log,
  settings: { fsync: process.env['BENCH_FSYNC'] ?? 'off' },
  ...(process.env['BENCH_PG'] && { binaries: process.env['BENCH_PG'] }),
});
const daemon = await startBuiltDaemon(server.url, directory);
try {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  if (parts.includes('loads')) await client.query(schema);
  if (parts.includes('writes')) await client.query(writesSchema);
  if (parts.includes('bulk')) await client.query(bulkSchema);
  await client.query(reader);
  await client.end();
  if (parts.includes('loads')) {
    if (await isInstalled('pgbench')) await compareLoads();
    else print('pgbench is not installed: no throughput of single statements');
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

async function compareLoads(): Promise<void> {
  const bouncer = (await isInstalled('pgbouncer')) ? await startBouncer(server.url) : null;
  if (!bouncer) print('PgBouncer is not installed: compared without it');
  const names = ['stage', ...(bouncer ? ['pgbouncer'] : [])].map((name) => `${name}/s | ratio`);
  print(`| ${effort.clients} clients | protocol | direct/s | ${names.join(' | ')} |`);
  print(`|${'---|'.repeat(3 + 2 * names.length)}`);
  for (const [label, text] of Object.entries(scripts)) {
    const script = join(directory, 'script.sql');
    await writeFile(script, `\\set id random(1, 1000000)\n${text}\n`);
    for (const mode of ['simple', 'prepared'] as const) {
      const targets: Target[] = [
        { name: 'direct', url: server.url },
        { name: 'stage', url: await sessionOfReader('production') },
        // of a write it would show nothing more: it passes both alike
        ...(bouncer && label.startsWith('SELECT') ? [bouncer.target] : []),
      ];
      print(await compareLoad({ label, mode, script }, targets, effort));
    }
  }
  await bouncer?.stop();
}
