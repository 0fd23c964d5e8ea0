/** The moments at which daemons that follow the rules of review are killed: drawn, or while one of them decides or splits a session. */
import { setTimeout as delay } from 'node:timers/promises';
import type { TestDatabase } from '../helpers/database.ts';
import { callHttp } from '../helpers/http.ts';
import type { Random } from '../helpers/random.ts';
import type { SpawnedDaemon } from '../helpers/spawned-daemon.ts';

interface Targets {
  /** The sessions that the daemons decide, with the name of their kind. */
  readonly sessions: readonly { readonly kind: string; readonly id: string }[];
  /** The session that a caller splits, and its rows. */
  readonly whole: string;
  readonly rows: readonly number[];
}

/** How long work on a session is searched for. Daemons look for some every two seconds. */
const searchMs = 5_000;
/** The daemons are killed when one of them is seen at work so often, at most: a look takes some milliseconds, an approval a hundred. */
const mostLooks = 20;

/** Sends a split through a daemon, and kills one or two. Returns the texts to count. */
export async function strike(
  database: TestDatabase,
  daemons: readonly SpawnedDaemon[],
  random: Random,
  targets: Targets,
): Promise<string[]> {
  return random.chance(0.75)
    ? strikeAtWork(database, daemons, random, targets)
    : strikeAtRandom(daemons, random, targets);
}

/** Kills both daemons while one of them decides or splits a session. */
async function strikeAtWork(
  database: TestDatabase,
  daemons: readonly SpawnedDaemon[],
  random: Random,
  targets: Targets,
): Promise<string[]> {
  const kind = random.pick(kindsOf(targets));
  const splitAt = random.below(kind === 'split' ? 500 : 2_500);
  const splitting = delay(splitAt).then(() => split(random.pick(daemons), targets));
  await workOn(kind, random.below(mostLooks), () => lockedOf(database, targets));
  for (const { child } of daemons) child.kill('SIGKILL');
  const struck = await lockedOf(database, targets);
  await Promise.all(daemons.map((daemon) => daemon.kill()));
  const what = struck.length === 0 ? ['killed beside'] : struck.map((kind) => `killed in ${kind}`);
  return [await splitting, ...what, ...daemons.map(() => 'killed')];
}

/** Waits until a kind of session is seen locked so often, or free again. */
async function workOn(kind: string, looks: number, locked: () => Promise<readonly string[]>) {
  const end = performance.now() + searchMs;
  for (let seen = 0; seen <= looks && performance.now() < end; ) {
    const isLocked = (await locked()).includes(kind);
    if (!isLocked && seen > 0) return;
    seen += isLocked ? 1 : 0;
  }
}

/** Kills one or two daemons at moments of the next seconds. */
async function strikeAtRandom(
  daemons: readonly SpawnedDaemon[],
  random: Random,
  targets: Targets,
): Promise<string[]> {
  const moments = daemons.map(() => random.below(2_600));
  const victims = daemons.filter((_, index) => index === 0 || random.chance(0.8));
  const splitter = random.pick(victims);
  // the split is often under way when its daemon is killed
  const splitAt = Math.max(0, (moments[daemons.indexOf(splitter)] ?? 0) - random.below(1_200));
  const splitting = delay(splitAt).then(() => split(splitter, targets));
  const killed = victims.map(async (daemon) => {
    await delay(moments[daemons.indexOf(daemon)] ?? 0);
    await daemon.kill();
  });
  await Promise.all(killed);
  return [await splitting, ...victims.map(() => 'killed')];
}

async function split({ restUrl }: SpawnedDaemon, { whole, rows }: Targets): Promise<string> {
  const only = [{ table: 'account', row_id: rows[0] }];
  return callHttp(restUrl, 'POST', `/sessions/${whole}/split`, { json: { only } }).then(
    ({ status }) => `split answered ${status}`,
    () => 'split not answered',
  );
}

const lockable = ({ sessions, whole }: Targets) => [...sessions, { kind: 'split', id: whole }];
const kindsOf = (targets: Targets) => lockable(targets).map(({ kind }) => kind);

/** Returns the kinds of the sessions that a transaction has locked. */
async function lockedOf(database: TestDatabase, targets: Targets): Promise<readonly string[]> {
  const all = lockable(targets);
  const free = await database.query<{ id: string }>(
    `SELECT 'sess_' || replace(id::text, '-', '') AS id FROM stage.session WHERE id = ANY ($1) FOR KEY SHARE SKIP LOCKED`,
    [all.map(({ id }) => id.slice(5))],
  );
  const ids = new Set(free.map(({ id }) => id));
  return all.filter(({ id }) => !ids.has(id)).map(({ kind }) => kind);
}
