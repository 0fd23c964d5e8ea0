/**
 * The cost for a review of a server that compiles queries: `npm run bench:jit`, on an installation with LLVM (STAGE_TEST_PG). Stages and
 * approves one row in a database where every query would be compiled, and in one where none is, alternately, BENCH_ROUNDS (15) times. Exits
 * with 1 if staging takes more than five times as long, or an approval more than three.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startTestServer } from '../test/runner/server.ts';
import type { Daemon } from './daemon.ts';
import { sessionOf, startBuiltDaemon } from './daemon.ts';
import { median } from './pgbench.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 15);
const mostTimes: Partial<Record<keyof Times, number>> = { stage: 5, approve: 3 };
const sides = {
  compiled: 'SET jit_above_cost = 0',
  plain: 'SET jit = off',
} as const;
type Side = keyof typeof sides;
const steps = ['stage', 'diff', 'propose', 'approve'] as const;
type Times = Record<(typeof steps)[number], number[]>;

const directory = await mkdtemp(join(tmpdir(), 'stage-jit-'));
const server = await startTestServer(
  undefined,
  process.env['STAGE_TEST_PG'] || '/usr/lib/postgresql/15',
);
const daemons = new Map<Side, Daemon>();
const times = new Map<Side, Times>();
try {
  const [row] = await on(server.url, 'SELECT pg_jit_available() AS there');
  if (row?.['there'] !== true)
    throw new Error('this server cannot compile queries: it has no LLVM');
  for (const side of Object.keys(sides) as Side[]) {
    await on(server.url, `CREATE DATABASE ${side}`);
    await on(server.url, `ALTER DATABASE ${side} ${sides[side]}`);
    const url = urlOf(side);
    await on(
      url,
      'CREATE TABLE account (id int PRIMARY KEY, balance int); INSERT INTO account VALUES (1, 0)',
    );
    daemons.set(side, await startBuiltDaemon(url, directory));
    times.set(side, { stage: [], diff: [], propose: [], approve: [] });
  }
  // the first round creates the overlay
  for (let round = 0; round <= rounds; round += 1)
    for (const [side, daemon] of daemons) await patiently(() => review(side, daemon, round > 0));
  tell();
} finally {
  for (const daemon of daemons.values()) await daemon.stop();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}

async function review(side: Side, daemon: Daemon, counts: boolean): Promise<void> {
  const url = await daemon.newSession('production');
  const session = sessionOf(url);
  const ask = async (method: string, path: string) => {
    const answer = await fetch(`${daemon.rest}/sessions/${session}/${path}`, { method });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.text();
  };
  const work: Record<keyof Times, () => Promise<unknown>> = {
    stage: () => on(url, 'UPDATE account SET balance = balance + 1 WHERE id = 1'),
    diff: () => ask('GET', 'diff'),
    propose: () => ask('POST', 'propose'),
    approve: () => ask('POST', 'approve'),
  };
  for (const step of steps) {
    const start = performance.now();
    await work[step]();
    if (counts) times.get(side)?.[step].push(performance.now() - start);
  }
}

/** Repeats a round: a busy machine may separate the daemon from its upstream for a moment. */
async function patiently(work: () => Promise<void>): Promise<void> {
  for (let left = 60; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0) throw error;
      await delay(1000);
    }
  }
}

function tell(): void {
  for (const step of steps) {
    const [compiled, plain] = (['compiled', 'plain'] as const).map((side) =>
      median(times.get(side)?.[step] ?? []),
    ) as [number, number];
    const ratio = compiled / plain;
    process.stdout.write(
      `${step}: ${Math.round(compiled)} ms compiled, ${Math.round(plain)} ms not: ${ratio.toFixed(2)} times\n`,
    );
    if (!(ratio <= (mostTimes[step] ?? ratio))) process.exitCode = 1;
  }
}

function urlOf(database: string): string {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return url.href;
}

async function on(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query(text)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}
