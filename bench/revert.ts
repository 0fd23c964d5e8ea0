/**
 * The cost of repairs: `npm run bench:revert`. The revert of many rows beside the approval of the same rows, with the daemon's memory; how
 * long writers of production wait while a session is rehearsed; and a range of sessions that is reverted one after the other. BENCH_ROWS
 * (100000), BENCH_REHEARSED (10000) and BENCH_SESSIONS (100) are the sizes. The figures depend on the machine: compare ratios of one run.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Agent, fetch } from 'undici';
import { startEmbedded } from '../src/daemon/embedded/embedded.ts';
import { createLog } from '../src/log.ts';
import { anyCluster } from '../test/helpers/any-cluster.ts';
import { sessionOf, startBuiltDaemon } from './daemon.ts';

const rows = Number(process.env['BENCH_ROWS'] ?? 100_000);
const rehearsed = Number(process.env['BENCH_REHEARSED'] ?? 10_000);
const range = Number(process.env['BENCH_SESSIONS'] ?? 100);
const print = (line: string) => process.stdout.write(`${line}\n`);
/** No time limits: a response may take longer than undici waits by default. */
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

const directory = await mkdtemp(join(tmpdir(), 'stage-bench-'));
const log = createLog('silent', process.stderr);
const server = await startEmbedded({
  clusters: anyCluster,
  directory,
  log,
  settings: { fsync: 'off' },
});
const daemon = await startBuiltDaemon(server.url, directory);
const production = new pg.Client({ connectionString: server.url });
await production.connect();
try {
  await production.query(`
    CREATE TABLE t (id int PRIMARY KEY, v text, n int);
    CREATE TABLE log (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, row int);
    INSERT INTO t SELECT g, 'value ' || g, 0 FROM generate_series(1, ${2 * rows}) g; ANALYZE t`);
  await revertMany();
  await takeRangeBack();
  await rehearseBesideWriters();
} finally {
  await production.end();
  await daemon.stop();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly ms: number;
  /** The maximum memory of the daemon meanwhile, in MB. */
  readonly resident: number;
}

async function post(path: string, body: object = {}): Promise<Answer> {
  let most = await resident();
  const timer = setInterval(async () => {
    most = Math.max(most, await resident());
  }, 50);
  const start = performance.now();
  try {
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body), dispatcher };
    const answer = await fetch(`${daemon.rest}/sessions/${path}`, request);
    const reported = (await answer.json()) as Record<string, unknown>;
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(reported)}`);
    return {
      status: answer.status,
      body: reported,
      ms: performance.now() - start,
      resident: Math.max(most, await resident()),
    };
  } finally {
    clearInterval(timer);
  }
}

async function resident(): Promise<number> {
  const status = await readFile(`/proc/${daemon.pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}

async function stage(statement: string): Promise<string> {
  const url = await daemon.newSession('production');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
  return sessionOf(url);
}

async function approve(session: string): Promise<Answer> {
  await post(`${session}/propose`);
  return post(`${session}/approve`, { approved_by: 'bench' });
}

async function fingerprint(): Promise<string> {
  const { rows: found } = await production.query<{ text: string }>(
    'SELECT md5(string_agg(t::text, chr(10) ORDER BY id)) AS text FROM t',
  );
  return found[0]?.text ?? '';
}

/** Reverts inserts, updates and deletes, a third of the rows each. */
async function revertMany(): Promise<void> {
  const third = Math.floor(rows / 3);
  const before = await fingerprint();
  const session = await stage(`
    INSERT INTO t SELECT g, 'new', 1 FROM generate_series(${2 * rows + 1}, ${2 * rows + third}) g;
    UPDATE t SET v = v || '!', n = n + 1 WHERE id <= ${third};
    DELETE FROM t WHERE id > ${third} AND id <= ${rows - third}`);
  const memory = await resident();
  const approval = await approve(session);
  const revert = await post(`${session}/revert`);
  const back = await approve(String(revert.body['session_id']));
  const isBack = (await fingerprint()) === before;
  const reported = (name: string, { ms, resident: most }: Answer) =>
    `${name} ${(ms / 1000).toFixed(1)} s, ${most} MB`;
  print(
    `${rows} rows, ${memory} MB resident before: ${reported('approval', approval)} at most; ${reported('revert', revert)}; ${reported('its approval', back)}`,
  );
  print(
    `the revert took ${(revert.ms / approval.ms).toFixed(2)} times the approval; all rows are back: ${isBack}`,
  );
}

/** Reverts sessions that change the same rows, the last one first. */
async function takeRangeBack(): Promise<void> {
  const before = await fingerprint();
  const sessions: string[] = [];
  for (let number = 0; number < range; number += 1) {
    const session = await stage(
      `UPDATE t SET n = n + 1, v = v || ${number} WHERE id <= 10; DELETE FROM t WHERE id = ${1000 + number};
       INSERT INTO t VALUES (${-1 - number}, 'x', ${number})`,
    );
    await approve(session);
    sessions.push(session);
  }
  const times: number[] = [];
  for (const session of sessions.reverse()) {
    const revert = await post(`${session}/revert`);
    await approve(String(revert.body['session_id']));
    times.push(revert.ms);
  }
  const isBack = (await fingerprint()) === before;
  const mean = (list: readonly number[]) =>
    Math.round(list.reduce((sum, ms) => sum + ms, 0) / Math.max(1, list.length));
  const tenth = Math.ceil(range / 10);
  print(
    `${range} sessions taken back one after the other: ${mean(times.slice(0, tenth))} ms each at first, ${mean(times.slice(-tenth))} ms at last, ${Math.round(Math.max(...times))} ms at most; all rows are back: ${isBack}`,
  );
}

/** Writes rows that the session changes and others, before, while and after it is rehearsed. */
async function rehearseBesideWriters(): Promise<void> {
  await production.query(`
    CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log (row) VALUES (NEW.id); RETURN NULL; END $$;
    CREATE TRIGGER note AFTER UPDATE ON t FOR EACH ROW WHEN (NEW.v <> OLD.v) EXECUTE FUNCTION note()`);
  const session = await stage(`UPDATE t SET v = v || '?' WHERE id <= ${rehearsed}`);
  const waits = { own: [0], other: [0] };
  const writing = new AbortController();
  // the same values, because another value would be a conflict and prevent the rehearsal
  const own = () => `UPDATE t SET n = n WHERE id = ${below(rehearsed)}`;
  const other = () => `UPDATE t SET n = n + 1 WHERE id = ${rehearsed + below(rows / 10)}`;
  const writers = [
    // a row that is written before it is locked restarts a rehearsal
    write(writing.signal, waits.own, { pauseMs: 2_000, next: own }),
    write(writing.signal, waits.own, { pauseMs: 2_000, next: own }),
    write(writing.signal, waits.other, { pauseMs: 5, next: other }),
    write(writing.signal, waits.other, {
      pauseMs: 5,
      next: () => 'INSERT INTO log (row) VALUES (0)',
    }),
  ];
  const most = async (name: string, work: () => Promise<string>) => {
    for (const list of Object.values(waits)) list.length = 0;
    const reported = await work();
    await sleep(500);
    const longest = (list: readonly number[]) => Math.round(Math.max(0, ...list));
    print(
      `${name}: ${waits.own.length} writes of the session's rows waited ${longest(waits.own)} ms at most, ${waits.other.length} others ${longest(waits.other)} ms`,
    );
    if (reported) print(reported);
  };
  try {
    await most('no rehearsal', async () => {
      await sleep(5000);
      return '';
    });
    for (let round = 0; round < 3; round += 1)
      await most(`a rehearsal of ${rehearsed} rows`, async () => {
        const work = post(`${session}/rehearse`).catch((error: Error) => error);
        const locks = await mostLocks(work);
        const done = await work;
        if (done instanceof Error) return `  ${done.message}`;
        const { body, ms, resident: memory } = done;
        return `  it took ${Math.round(ms)} ms, ok: ${body['ok']}, ${locks} locks of tables and keys at most, ${memory} MB resident at most`;
      });
  } finally {
    writing.abort();
    await Promise.all(writers);
  }
}

/** Returns the maximum number of locks of a connection, until the work is done. */
async function mostLocks(work: Promise<unknown>): Promise<number> {
  let most = 0;
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  while (!isDone) {
    const { rows: found } = await production.query<{ most: number }>(
      'SELECT max(n)::int AS most FROM (SELECT count(*) AS n FROM pg_locks GROUP BY pid) x',
    );
    most = Math.max(most, found[0]?.most ?? 0);
    await sleep(20);
  }
  return most;
}

function below(bound: number): number {
  return 1 + Math.floor(Math.random() * bound);
}

interface Writing {
  readonly pauseMs: number;
  next(): string;
}

async function write(signal: AbortSignal, waits: number[], { pauseMs, next }: Writing) {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  while (!signal.aborted) {
    const start = performance.now();
    await client.query(next());
    waits.push(performance.now() - start);
    await sleep(pauseMs / 2 + Math.random() * pauseMs);
  }
  await client.end();
}
