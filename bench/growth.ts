/**
 * How the service scales: `npm run bench:growth -- [rows] [tables] [wide] [sessions]`. Measures the daemon's memory, and times of one
 * session of BENCH_ROWS (1000000) staged rows up to its approval, of BENCH_TABLES (1000) staged tables in sessions of ten and in one, and
 * beside BENCH_SESSIONS (100000).
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbedded } from '../src/daemon/embedded/embedded.ts';
import { createLog } from '../src/log.ts';
import { anyCluster } from '../test/helpers/any-cluster.ts';
import { sessionOf, startBuiltDaemon } from './daemon.ts';

const count = (name: string, usual: number) => Number(process.env[name] ?? usual);
const rows = count('BENCH_ROWS', 1_000_000);
const tables = count('BENCH_TABLES', 1_000);
const sessions = count('BENCH_SESSIONS', 100_000);
const print = (line: string) => process.stdout.write(`${line}\n`);

const directory = await mkdtemp(join(tmpdir(), 'stage-growth-'));
const log = createLog('silent', process.stderr);
const settings = { fsync: 'off', max_locks_per_transaction: '512', max_wal_size: '4GB' };
const server = await startEmbedded({ clusters: anyCluster, directory, log, settings });
const daemon = await startBuiltDaemon(server.url, directory);
const parts = { rows: manyRows, tables: manyTables, wide: wideSession, sessions: manySessions };
const chosen = process.argv.slice(2);
try {
  for (const [name, work] of Object.entries(parts))
    if (chosen.length === 0 || chosen.includes(name)) await work();
} finally {
  await daemon.stop();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}

/** Measures one session with `BENCH_ROWS` staged rows, through its whole review, beside a writer of one row of production. */
async function manyRows(): Promise<void> {
  await direct(`CREATE TABLE large (id int PRIMARY KEY, v text);
    INSERT INTO large SELECT g, 'value ' || g FROM generate_series(1, ${rows}) g; VACUUM ANALYZE large`);
  const url = await daemon.newSession('production');
  const session = sessionOf(url);
  await watched(`${rows} rows: staging`, () => on(url, `UPDATE large SET v = 'staged ' || id`));
  await watched('diff', () => ask('GET', `/sessions/${session}/diff`));
  await watched('diff, counted', () => ask('GET', `/sessions/${session}/diff/outline`));
  await watched('conflicts', () => ask('GET', `/sessions/${session}/conflicts`));
  await watched('propose', () => ask('POST', `/sessions/${session}/propose`));
  await watched('approve', async () => {
    const writing = new AbortController();
    const writer = waitsOf('UPDATE large SET v = v WHERE id = 1', writing.signal);
    const other = waitsOf('CREATE TEMP TABLE IF NOT EXISTS x (i int)', writing.signal);
    const outcome = await ask('POST', `/sessions/${session}/approve`);
    writing.abort();
    return `${outcome}; a writer of one of the rows waited ${await writer} ms, others ${await other} ms`;
  });
  await direct('DROP TABLE large');
}

/** Measures staged rows in `BENCH_TABLES` tables, ten tables a session. */
async function manyTables(): Promise<void> {
  await direct(
    Array.from(
      { length: tables },
      (_, n) => `CREATE TABLE t${n} (id int PRIMARY KEY, v text)`,
    ).join(';'),
  );
  let last = '';
  await watched(`${tables} tables: staging a row in each`, async () => {
    for (let n = 0; n < tables; n += 10) {
      last = await daemon.newSession('production');
      for (let table = n; table < Math.min(n + 10, tables); table += 1)
        await on(last, `INSERT INTO t${table} VALUES (1, 'v')`);
    }
    return `${tables} statements`;
  });
  await beside(last, 't1');
}

/** Measures one session with a row in each of `BENCH_TABLES` tables, through its whole review. */
async function wideSession(): Promise<void> {
  const names = Array.from({ length: tables }, (_, n) => `wide${n}`);
  const make = names.map((name) => `CREATE TABLE ${name} (id int PRIMARY KEY, v text)`);
  for (let n = 0; n < tables; n += 100) await direct(make.slice(n, n + 100).join(';'));
  const url = await daemon.newSession('production');
  const path = `/sessions/${sessionOf(url)}`;
  await watched(`one session, ${tables} tables: staging`, async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      for (const name of names) await client.query(`INSERT INTO ${name} VALUES (1, 'v')`);
    } finally {
      await client.end();
    }
    return `${tables} statements`;
  });
  await watched('diff', () => ask('GET', `${path}/diff`));
  await watched('conflicts', () => ask('GET', `${path}/conflicts`));
  await watched('propose', () => ask('POST', `${path}/propose`));
  await watched('approve', () => ask('POST', `${path}/approve`));
  const counts = names.map((name) => `SELECT count(*) FROM ${name}`).join(' UNION ALL ');
  print(`rows in production: ${await on(server.url, `SELECT FROM (${counts}) c WHERE count = 1`)}`);
}

/** Measures many sessions, of which every hundredth has staged a row, copied in SQL. */
async function manySessions(): Promise<void> {
  await direct(
    'CREATE TABLE common (id int PRIMARY KEY, v text); INSERT INTO common SELECT g FROM generate_series(1, 1000) g',
  );
  const first = await daemon.newSession('production');
  await on(first, `UPDATE common SET v = 'staged' WHERE id = 1`);
  await watched('one session: usual work', () => usualWork('common'));
  await direct(`
    INSERT INTO stage.session (id, project_id, metadata, reads, conflict_scope)
    SELECT md5(g::text)::uuid, 'many', '{}', 'production', 'row' FROM generate_series(1, ${sessions}) g;
    DO $$ DECLARE v_shadow text := 'stage_data.shadow_' || 'common'::regclass::oid; v_columns text;
    BEGIN
      SELECT string_agg(CASE attname WHEN '_stage_session' THEN 'md5(g::text)::uuid' WHEN '_stage_seq' THEN 'nextval(''stage.seq'')'
        ELSE quote_ident(attname) END, ', ' ORDER BY attnum) INTO v_columns
      FROM pg_attribute WHERE attrelid = v_shadow::regclass AND attnum > 0 AND NOT attisdropped;
      EXECUTE format('INSERT INTO %1$s SELECT %2$s FROM %1$s, generate_series(1, ${sessions}, 100) g', v_shadow, v_columns);
    END $$; ANALYZE`);
  await watched(`${sessions} sessions: usual work`, () => usualWork('common'));
  await watched('list', () => ask('GET', '/sessions?limit=100'));
  await watched('list, offset 90 %', () =>
    ask('GET', `/sessions?limit=100&offset=${sessions * 0.9}`),
  );
  await watched('metrics', () => ask('GET', '/metrics'));
}

/** Measures a diff, and a session that is staged, viewed and approved. */
async function beside(other: string, table: string): Promise<void> {
  await watched('diff of ten tables', () => ask('GET', `/sessions/${sessionOf(other)}/diff`));
  await watched('usual work', () => usualWork(table));
}

async function usualWork(table: string): Promise<string> {
  const url = await daemon.newSession('production');
  const took: string[] = [];
  const step = async (name: string, work: () => Promise<string>) => {
    const start = performance.now();
    const outcome = await work();
    took.push(`${name} ${Math.round(performance.now() - start)} ms (${outcome})`);
  };
  const path = `/sessions/${sessionOf(url)}`;
  await step('write', () =>
    on(url, `INSERT INTO ${table} VALUES (5000, 'new') ON CONFLICT DO NOTHING`),
  );
  await step('diff', () => ask('GET', `${path}/diff`));
  await step('propose', () => ask('POST', `${path}/propose`));
  await step('approve', () => ask('POST', `${path}/approve`));
  return took.join(', ');
}

async function on(url: string, text: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query(text)
    .then(({ rowCount }) => `${rowCount} rows`)
    .finally(() => client.end());
}

async function direct(text: string): Promise<void> {
  for (const statement of text.includes('VACUUM') ? text.split(';') : [text])
    await on(server.url, statement);
}

/** Repeats a statement until the signal. Returns its longest time in milliseconds. */
async function waitsOf(text: string, signal: AbortSignal): Promise<number> {
  let most = 0;
  while (!signal.aborted) {
    const start = performance.now();
    await on(server.url, text);
    most = Math.max(most, performance.now() - start);
    await sleep(50);
  }
  return Math.round(most);
}

/** Sends a request and discards the response, which may end too early: a diff may take a minute. */
async function ask(method: string, path: string): Promise<string> {
  let [status, bytes] = ['no answer', 0];
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(daemon.rest + path, { method, agent: false }, resolve)
        .on('error', reject)
        .end();
    });
    status = String(answer.statusCode);
    for await (const chunk of answer) bytes += (chunk as Buffer).length;
  } catch (error) {
    status += `, ended: ${(error as Error).message}`;
  }
  return `${status}, ${Math.ceil(bytes / 1024)} kB`;
}

/** Runs work. Prints its time, and the daemon's maximum memory. */
async function watched(name: string, work: () => Promise<string>): Promise<void> {
  let most = 0;
  const look = async () => {
    const status = await readFile(`/proc/${daemon.pid}/status`, 'utf8');
    most = Math.max(most, Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
  };
  await look();
  const timer = setInterval(look, 100);
  const start = performance.now();
  const outcome = await work().finally(() => clearInterval(timer));
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  print(`${name}: ${seconds} s, ${outcome}; resident ${Math.round(most)} MB at most`);
}
