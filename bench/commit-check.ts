/**
 * The cost of the commit check inside PostgreSQL: `npm run bench:commit-check`, on Linux.
 * BENCH_UPSTREAM is the URL of a superuser on this machine, for 250 connections; by default an embedded server is started.
 * The unit is microseconds of the backend's own processor time, which busy machines change little; the median of several runs.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { startEmbedded } from '../src/daemon/embedded/embedded.ts';
import { createLog } from '../src/log.ts';
import { anyCluster } from '../test/helpers/any-cluster.ts';
import { createStagingDatabase } from '../test/helpers/staging-database.ts';
import { median } from './pgbench.ts';

const runs = 7;
const schema = `CREATE TABLE item (id int PRIMARY KEY, code text UNIQUE, n int);
  CREATE FUNCTION locks() RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT count(*) FROM pg_lock_status()); END'`;

const sum = `sum(pg_stat_get_xact_tuples_inserted(oid) + pg_stat_get_xact_tuples_updated(oid)
  + pg_stat_get_xact_tuples_deleted(oid))`;
/** By name: the expression, and the number of its evaluations in a run. */
const forms: Readonly<Record<string, readonly [string, number]>> = {
  'counters of every table': [`(SELECT ${sum} FROM pg_class WHERE relkind = 'r' AND g > 0)`, 3],
  'counters of the catalogs': ['stage.catalog_writes()', 100],
  'pg_lock_status() alone': ['public.locks()', 100],
  'the look': ['stage.refuse_written_outside()', 100],
};

type Stopped = () => Promise<void>;

async function start(): Promise<Stopped> {
  const given = process.env['BENCH_UPSTREAM'];
  if (given) {
    process.env['STAGE_TEST_UPSTREAM'] = given;
    return async () => undefined;
  }
  const directory = await mkdtemp(join(tmpdir(), 'stage-bench-'));
  const log = createLog('silent', process.stderr);
  const server = await startEmbedded({
    clusters: anyCluster,
    directory,
    log,
    settings: { max_connections: '250' },
  });
  process.env['STAGE_TEST_UPSTREAM'] = server.url;
  return () => server.stop().then(() => rm(directory, { recursive: true }));
}

async function measure(client: pg.Client, [form, times]: readonly [string, number]) {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const used = async () =>
    Number((await readFile(`/proc/${rows[0]?.pid}/schedstat`, 'utf8')).split(' ')[0]);
  const found: number[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const before = await used();
    await client.query(`SELECT count(${form}) FROM generate_series(1, ${times}) g`);
    // the first run plans
    if (run > 0) found.push(((await used()) - before) / 1000 / times);
  }
  return median(found).toFixed(0);
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const stop = await start();
const staging = await createStagingDatabase(
  schema,
  'INSERT INTO item SELECT g, g FROM generate_series(1, 9) g',
);
const session = await staging.open();
const heads = ['tables', 'others', ...Object.keys(forms)];
print(`| ${heads.join(' | ')} |`);
print(`|${heads.map(() => '---|').join('')}`);
let made = 0;
for (const tables of [100, 10_000]) {
  for (; made < tables; made += 100) {
    const names = Array.from({ length: 100 }, (_, index) => `many_${made + index}`);
    await staging.database.query(
      names.map((name) => `CREATE TABLE ${name} (id int PRIMARY KEY, v text, at date);`).join(''),
    );
  }
  await staging.database.query('VACUUM ANALYZE');
  const others: pg.Client[] = [];
  for (const [count, busy] of [
    [2, false],
    [50, false],
    [200, false],
    [200, true],
  ] as const) {
    while (others.length < count) others.push(await staging.connect(session));
    // an open transaction has its own locks
    if (busy) await Promise.all(others.map((other) => other.query('BEGIN; SELECT FROM item')));
    const client = await staging.connect(session);
    await client.query('BEGIN');
    await client.query(
      `SELECT stage.begin_statement('', '[]', '[]', '{}', current_setting('search_path'))`,
    );
    await client.query('UPDATE item SET n = 1 WHERE id = 1');
    const costs = [];
    for (const form of Object.values(forms)) costs.push(await measure(client, form));
    await client.query('ROLLBACK');
    await client.end();
    print(`| ${tables} | ${count} ${busy ? 'reading' : 'idle'} | ${costs.join(' | ')} |`);
  }
  await Promise.all(others.map((other) => other.end()));
}
await staging.close();
await stop();
