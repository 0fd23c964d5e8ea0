/** A soak test: clients that stage, read, leave and decide until the time is over. Nothing may grow, and nothing may go wrong. */
import { setMaxListeners } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { callHttp } from '../helpers/http.ts';
import type { Random } from '../helpers/random.ts';
import { createRandom } from '../helpers/random.ts';
import type { SpawnedDaemon } from '../helpers/spawned-daemon.ts';
import { spawnDaemon } from '../helpers/spawned-daemon.ts';
import type { Arena } from './arena.ts';
import type { Scene, Target } from './scene.ts';
import { openScene, patiently } from './scene.ts';

const rows = 1000;
/** The rounds of ten seconds before the daemon's memory is compared: fifteen minutes of warming up. */
const warmRounds = 90;

/** The number of connections that the daemon's pools may keep open beyond those at the beginning. */
const pooled = 20;

/** Counts that grow if something is not released. */
const standing = `
SELECT (SELECT count(*) FROM pg_class) AS relations,
  (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state ~ 'transaction') AS transactions,
  (SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE d.datname = current_database() AND l.pid <> pg_backend_pid()) AS locks`;

interface Work {
  readonly scene: Scene;
  readonly target: Target;
  readonly random: Random;
  readonly count: (what: string) => void;
  readonly wrong: (what: string) => void;
  /** Waits as people do between two statements; does not wait after the run is over. */
  readonly think: () => Promise<unknown>;
}

/**
 * @param clients the number of simultaneous clients
 * @param thinkMs the longest time that a client waits before each statement
 * @param roundMs how long a round lasts
 */
export async function openSoak(clients = 20, thinkMs = 0, roundMs = 10_000): Promise<Arena> {
  const scene = await openScene();
  await scene.database.query(
    `INSERT INTO account (balance) SELECT 0 FROM generate_series(1, ${rows})`,
  );
  const daemon = await spawnDaemon(scene.database.url, {
    settings: { maxConnections: clients + 40 },
  });
  const residents: number[] = [];
  let counts: string[] = [];
  let anomalies: string[] = [];
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  const count = (what: string) => counts.push(what);
  const wrong = (what: string) => anomalies.push(what);
  const client = async (seed: number) => {
    const random = createRandom(seed);
    const think = () => pause(random.below(thinkMs), over.signal);
    const work = { scene, target: daemon, random, count, wrong, think };
    while (!over.signal.aborted)
      await oneSession(work).catch((error: Error) => wrong(`${error.name}: ${error.message}`));
  };
  const noPause = () => Promise.resolve();
  await oneSession({
    scene,
    target: daemon,
    random: createRandom(0),
    count,
    wrong,
    think: noPause,
  });
  // the daemon runs transactions of its own at any time
  const before = await patiently(async () => {
    const now = await look(scene);
    if (!now.includes('"transactions":"0","locks":"0"')) throw new Error(now);
    return now;
  });
  const files = await openFiles(daemon);
  const working = Array.from({ length: clients }, (_, n) => client(n + 1));
  return {
    round: async () => {
      await delay(roundMs);
      residents.push(await residentMb(daemon.child.pid ?? 0));
      const outcome = { label: `resident ${residents.at(-1)} MB`, counts, anomalies };
      counts = [];
      anomalies = [];
      return outcome;
    },
    close: async () => {
      over.abort();
      await Promise.all(working);
      const after = await patiently(async () => {
        const now = await look(scene);
        if (now !== before) throw new Error(now);
        return now;
      }).catch((error: Error) => error.message);
      const filesLeft = await openFiles(daemon);
      process.stdout.write(`files open: ${files} before, ${filesLeft} after\n`);
      if (filesLeft > files + pooled) wrong(`files open: ${files} before, ${filesLeft} after`);
      process.stdout.write(`resident MB, every ${roundMs / 1000} s: ${residents.join(' ')}\n`);
      const warm = residents.slice(warmRounds);
      const slope = slopeOf(warm) * (3_600_000 / roundMs);
      if (warm.length > 1) process.stdout.write(`then ${slope.toFixed(2)} MB more an hour\n`);
      const left = [...anomalies, ...(await scene.verify())];
      await daemon.kill();
      await scene.close();
      return after === before ? left : [...left, `before ${before}, after ${after}`];
    },
  };
}

const look = async ({ database }: Scene) =>
  JSON.stringify((await database.query<Record<string, string>>(standing))[0]);

const openFiles = async ({ child }: SpawnedDaemon) =>
  (await readdir(`/proc/${child.pid}/fd`)).length;

const pause = (ms: number, signal: AbortSignal) =>
  delay(ms, undefined, { signal }).catch(() => undefined);

/** Returns the slope by least squares, per value. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, _, n) => sum + (n - middle) ** 2, 0);
  return values.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0) / squares;
}

/** Runs a session from its beginning to its end. One of ten clients disconnects in the middle of a transaction. */
async function oneSession(work: Work): Promise<void> {
  const { target, random, count } = work;
  const ask = async (method: string, path: string) => {
    const { status, body } = await callHttp(target.restUrl, method, `/sessions${path}`, {
      json: {},
    });
    count(`${method} ${path.replace(/sess_\w+/, ':id') || '/'}: ${status} ${body.error ?? ''}`);
    if (status >= 500 && status !== 503) work.wrong(`${method} ${path}: ${status} ${body.error}`);
    return { status, body };
  };
  await work.think();
  const { body } = await ask('POST', '');
  if (body.session_id === undefined) return;
  const path = `/${body.session_id}`;
  await stageIn(work, body.session_id);
  await ask('GET', `${path}/diff`);
  if (random.chance(0.1)) return void (await ask('DELETE', path));
  await ask('POST', `${path}/propose`);
  const decision = random.chance(0.7) ? 'approve' : 'reject';
  if ((await ask('POST', `${path}/${decision}`)).status !== 200)
    await ask('POST', `${path}/reject`);
}

async function stageIn(
  { scene, target, random, count, think }: Work,
  session: string,
): Promise<void> {
  const url = new URL(scene.database.url);
  url.host = `127.0.0.1:${target.proxyPort}`;
  url.searchParams.set('options', `-c service_session=${session} -c service_reads=staged`);
  const client = new pg.Client({ connectionString: url.href });
  client.on('error', () => undefined);
  await client.connect();
  const id = () => 1 + random.below(rows);
  for (let n = 1 + random.below(5); n > 0; n -= 1) {
    await think();
    const ids = [id(), id()];
    await client.query('UPDATE account SET balance = balance + 1 WHERE id IN ($1, $2)', ids);
  }
  await client.query('SELECT sum(balance) FROM account');
  if (random.chance(0.1)) {
    await client.query('BEGIN');
    await client.query('DELETE FROM account WHERE id = $1', [id()]);
    (
      client as unknown as { connection: { stream: { destroy(): void } } }
    ).connection.stream.destroy();
    return count('client gone');
  }
  await client.end();
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}
