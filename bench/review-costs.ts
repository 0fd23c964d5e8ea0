/**
 * The cost of reviews by tables: `npm run bench:review-costs`, on Linux. Processor time of all backends, which busy machines change little.
 * BENCH_TABLES (200) is the number of tables, BENCH_COLUMNS (1500) that of the wide one.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../src/daemon/embedded/embedded.ts';
import type { Queryable } from '../src/db/database.ts';
import { createLog } from '../src/log.ts';
import { createOverlayManager } from '../src/overlay/install/manager.ts';
import { findConflicts } from '../src/review/conflicts.ts';
import { approveSession } from '../src/review/decisions/approve.ts';
import { proposeSession } from '../src/review/decisions/propose.ts';
import { anyCluster } from '../test/helpers/any-cluster.ts';
import type { StagingDatabase } from '../test/helpers/staging-database.ts';
import { createStagingDatabase } from '../test/helpers/staging-database.ts';
import { median } from './pgbench.ts';
import { sumSince, timeOfChildren } from './processor-time.ts';

const tables = Number(process.env['BENCH_TABLES'] ?? 200);
const columns = Number(process.env['BENCH_COLUMNS'] ?? 1500);
const rounds = 9;
const print = (line: string) => process.stdout.write(`${line}\n`);

const directory = await mkdtemp(join(tmpdir(), 'stage-bench-'));
const log = createLog('silent', process.stderr);
const settings = { fsync: 'off', max_locks_per_transaction: '512' };
const server = await startEmbedded({ clusters: anyCluster, directory, log, settings });
process.env['STAGE_TEST_UPSTREAM'] = server.url;
const postmaster = Number(
  (await readFile(join(directory, 'data/postmaster.pid'), 'utf8').catch(() => '0')).split('\n')[0],
);
try {
  await reviewMany();
  await reviewWide();
} catch (error) {
  print(String(error));
} finally {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}

/** Returns the milliseconds of processor time that work took in all backends. */
async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = await timeOfChildren(postmaster);
  await work();
  return sumSince(before, await timeOfChildren(postmaster)) / 1e6;
}

/** Prints the median time of a query in a transaction on a connection that has run it before, and the locks that it leaves. */
async function step(
  staging: StagingDatabase,
  name: string,
  text: string,
  values: readonly string[],
) {
  await staging.service.transaction(async (tx) => {
    const run = () => tx.query(text, [...values]);
    for (let warm = 0; warm < 7; warm += 1) await run();
    const found: number[] = [];
    for (let round = 0; round < rounds; round += 1) found.push(await costOf(run));
    print(
      `${name}: ${median(found).toFixed(2)} ms, ${await shadowLocks(tx)} locks of shadow tables`,
    );
  }, 'repeatable read');
}

async function shadowLocks(tx: Queryable): Promise<string> {
  const [row] = await tx.query(
    `SELECT count(*) AS locks FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE l.pid = pg_backend_pid() AND c.relname ~ '^shadow_'`,
  );
  return String(row?.['locks']);
}

async function review(staging: StagingDatabase, name: string, session: string) {
  const each = async (what: string, work: () => Promise<unknown>) =>
    print(`${name}: ${what} ${(await costOf(work)).toFixed(0)} ms`);
  const { service } = staging;
  await each('conflicts', () => findConflicts(service, session));
  await each('propose', () => proposeSession(service, session));
  await each('approve', () =>
    approveSession(service, session, { approvedBy: 'bench', digest: null }),
  );
}

/** Reviews of one table and of all, where others have staged in all. */
async function reviewMany(): Promise<void> {
  const names = Array.from({ length: tables }, (_, number) => `t${number}`);
  const staging = await createStagingDatabase(
    'CREATE TABLE t0 (id int PRIMARY KEY, code text UNIQUE, n int CHECK (n > 0)); CREATE TABLE refers (id int PRIMARY KEY, t int REFERENCES t0 ON DELETE CASCADE)',
  );
  const stepOf = async (count: number, session: string) =>
    step(
      staging,
      `review_relations of one table beside ${count}`,
      'SELECT * FROM stage.review_relations($1)',
      [session.slice(5)],
    );
  const own = await staging.open();
  await staging.stage(own, `INSERT INTO t0 VALUES (1, 'a', 1)`);
  await stepOf(0, own);
  for (const form of ['table_signature', 'table_stamp', 'definition_stamp'])
    await step(staging, `stage.${form}`, `SELECT stage.${form}($1::regclass)`, ['public.t0']).catch(
      () => print(`no ${form}`),
    );
  await step(staging, 'stage.system_stamp', 'SELECT stage.system_stamp()', []).catch(
    () => undefined,
  );
  const make = names
    .slice(1)
    .map(
      (name) => `CREATE TABLE ${name} (id int PRIMARY KEY, code text UNIQUE, n int CHECK (n > 0))`,
    );
  await staging.database.query(make.join(';'));
  const rows = await staging.database.query<{ oid: number }>(
    `SELECT oid::int FROM pg_class WHERE relname ~ '^t[0-9]+$' AND relnamespace = 'public'::regnamespace`,
  );
  const manager = createOverlayManager(staging.service);
  const took: number[] = [];
  for (const { oid } of rows) took.push(await costOf(() => manager.ensure([oid])));
  print(`making an overlay: ${median(took).toFixed(1)} ms`);
  const wide = await staging.open();
  const each = names.map((name) => `INSERT INTO ${name} VALUES (7, 'x', 7)`);
  await staging.stage(wide, each.join(';'));
  await stepOf(tables, own);
  await review(staging, 'one table', own);
  await review(staging, `${tables} tables`, wide);
  await staging.close();
}

async function reviewWide(): Promise<void> {
  const list = Array.from({ length: columns - 1 }, (_, number) => `c${number} int`).join(', ');
  const cost = { made: 0 };
  let staging: StagingDatabase | undefined;
  cost.made = await costOf(async () => {
    staging = await createStagingDatabase(
      `CREATE TABLE wide (id int PRIMARY KEY, ${list})`,
      'INSERT INTO wide (id) SELECT generate_series(1, 9)',
    );
  });
  if (staging === undefined) return;
  print(`${columns} columns: making the overlay ${cost.made.toFixed(0)} ms`);
  const session = await staging.open();
  await staging.stage(
    session,
    'INSERT INTO wide (id) VALUES (10); UPDATE wide SET c1 = 1 WHERE id = 1; DELETE FROM wide WHERE id = 2',
  );
  await review(staging, `${columns} columns, 3 rows`, session);
  await staging.close();
}
