/**
 * The cost of large things for the daemon: `npm run bench:large`. Measures how long others wait while it parses hostile statements, and its
 * memory for a result that nobody reads, for diffs and conflicts of many rows, and for a large value. BENCH_ROWS (1000000) is the number of
 * rows.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbedded } from '../src/daemon/embedded/embedded.ts';
import { createLog } from '../src/log.ts';
import { anyCluster } from '../test/helpers/any-cluster.ts';
import { connectWire, q } from '../test/helpers/wire-script.ts';
import { sessionOf, startBuiltDaemon } from './daemon.ts';

const rows = Number(process.env['BENCH_ROWS'] ?? 1_000_000);
const stuckMs = 10_000;
const megabyte = 1024 * 1024;
const print = (line: string) => process.stdout.write(`${line}\n`);

const numbers = Array.from({ length: 1_000_000 }, (_, index) => index).join();
const hostile: Readonly<Record<string, string>> = {
  nothing: 'SELECT 1',
  '1,000,000 elements in IN': `SELECT 1 FROM t WHERE id IN (${numbers})`,
  '20,000 parentheses': `SELECT ${'('.repeat(20_000)}1${')'.repeat(20_000)}`,
  'a sum of 20,000': `SELECT 1${' + 1'.repeat(20_000)}`,
  '100,000 statements': 'SELECT 1;'.repeat(100_000),
  'a literal of 15 MB': `SELECT length('${'x'.repeat(15_000_000)}')`,
  'a text of 100 MB': `SELECT length('${'x'.repeat(100_000_000)}')`,
};

const directory = await mkdtemp(join(tmpdir(), 'stage-bench-'));
const log = createLog('silent', process.stderr);
const server = await startEmbedded({
  clusters: anyCluster,
  directory,
  log,
  settings: { fsync: 'off' },
});
const daemon = await startBuiltDaemon(server.url, directory);
try {
  await direct('CREATE TABLE t (id int PRIMARY KEY, v text)');
  await askHostile();
  await leaveUnread();
  for (const count of [rows / 10, rows]) await review(count);
  await reviewLargeValue();
} finally {
  await daemon.stop();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return work(client).finally(() => client.end().catch(() => undefined));
}

async function direct(text: string): Promise<void> {
  await connected(server.url, (client) => client.query(text));
}

/** Measures how long others wait for a response while a statement is parsed. */
async function askHostile(): Promise<void> {
  const url = await daemon.newSession('production');
  for (const [name, text] of Object.entries(hostile)) {
    let slowest = 0;
    const asking = new AbortController();
    const others = connected(url, async (client) => {
      while (!asking.signal.aborted) {
        const start = performance.now();
        await client.query('SELECT 1');
        slowest = Math.max(slowest, performance.now() - start);
      }
    });
    await sleep(300);
    const answer = await connected(url, (client) =>
      client.query(text).then(
        () => 'answered',
        ({ code, message }: pg.DatabaseError) => `refused, ${code ?? message}`,
      ),
    );
    asking.abort();
    await others;
    print(`${name}: ${answer}; others waited ${Math.round(slowest)} ms at most`);
  }
}

/** Runs work. Prints the daemon's memory before it, and the maximum. */
async function watched(name: string, work: () => Promise<string>): Promise<void> {
  const before = await resident();
  let most = before;
  const timer = setInterval(async () => {
    most = Math.max(most, await resident());
  }, 100);
  const outcome = await work().finally(() => clearInterval(timer));
  print(`${name}: ${outcome}; resident ${before} MB before, ${most} MB at most`);
}

async function resident(): Promise<number> {
  const status = await readFile(`/proc/${daemon.pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}

async function leaveUnread(): Promise<void> {
  await watched('a result of 1 GB that nobody reads', async () => {
    const wire = await connectWire(await daemon.newSession('production'));
    wire.socket.pause();
    wire.send(q(`SELECT repeat('x', ${megabyte}) FROM generate_series(1, 1024)`));
    await sleep(stuckMs);
    wire.close();
    return `${stuckMs / 1000} s`;
  });
}

/** Stages a change of `count` rows, changes them all directly, and reads the diff and the conflicts. */
async function review(count: number): Promise<void> {
  await direct(
    `TRUNCATE t; INSERT INTO t SELECT g, 'value ' || g FROM generate_series(1, ${count}) g`,
  );
  const url = await daemon.newSession('production');
  await connected(url, (client) => client.query(`UPDATE t SET v = 'staged ' || id`));
  await watched(`the diff of ${count} rows`, () => readAll(url, 'diff'));
  await direct(`UPDATE t SET v = 'changed'`);
  await watched(`${count} conflicts`, () => readAll(url, 'conflicts'));
  await watched(`the diff of ${count} rows, again`, () => readAll(url, 'diff'));
}

async function reviewLargeValue(): Promise<void> {
  const url = await daemon.newSession('production');
  await connected(url, (client) =>
    client.query(`INSERT INTO t VALUES (0, repeat('x', 100000000))`),
  );
  await watched('the diff of a value of 100 MB', () => readAll(url, 'diff'));
}

/** Reads a response of the REST interface and discards it. */
async function readAll(url: string, what: string): Promise<string> {
  const session = sessionOf(url);
  const start = performance.now();
  const address = `${daemon.rest}/sessions/${session}/${what}`;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(address, { agent: false }, resolve).on('error', reject);
  });
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  const seconds = Math.round((performance.now() - start) / 1000);
  return `${answer.statusCode}, ${Math.round(bytes / megabyte)} MB in ${seconds} s`;
}
