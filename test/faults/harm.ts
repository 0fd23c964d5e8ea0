/** One round of harm: one operation of each kind at once, something that breaks meanwhile, and what has become of all of it. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Random } from '../helpers/random.ts';
import type { Answer } from './answers.ts';
import type { Outcome } from './arena.ts';
import type { Operation } from './operations.ts';
import { prepareOperations } from './operations.ts';
import type { OperationName } from './plans.ts';
import type { Scene, Target } from './scene.ts';
import { patiently } from './scene.ts';

/** Where an operation is struck. */
interface Aim {
  /** How long it takes where nothing breaks; corrected as rounds show whether it was done by the moment. */
  lengthMs: number;
  /** How often it was found on each side of its commit. */
  before: number;
  after: number;
}
export type Aims = ReadonlyMap<OperationName, Aim>;

/** By what a length is corrected, so that moments fall before and after what an operation commits about as often. */
const corrections = { before: 1.2, after: 0.8 };

/** Moments are drawn over a bit more than an operation takes. */
const beyond = 1.25;

/** Nothing that broke may hold anything longer. */
const longestHoldMs = 30_000;

/** Plays rounds in which nothing breaks, and aims at the median length of each operation. */
export async function takeAim(scene: Scene, target: Target, rounds = 3): Promise<Aims> {
  const times = new Map<OperationName, number[]>();
  for (let round = 0; round < rounds; round += 1) {
    const operations = await prepareOperations(scene);
    await Promise.all(
      operations.map(async (operation) => {
        const start = performance.now();
        await operation.send(target);
        const list = times.get(operation.name) ?? [];
        times.set(operation.name, [...list, performance.now() - start]);
      }),
    );
  }
  const median = (list: readonly number[]) =>
    [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
  return new Map([...times].map(([name, list]) => [name, aimWithin(median(list))]));
}

/** Nothing has been seen yet. */
export const aimWithin = (lengthMs: number): Aim => ({ lengthMs, before: 0, after: 0 });

/** One of the operations whose rarer side has been seen least. */
function choose(aims: Aims, random: Random): [OperationName, Aim] {
  const rarer = ({ before, after }: Aim) => Math.min(before, after);
  const least = Math.min(...[...aims.values()].map(rarer));
  return random.pick([...aims].filter(([, aim]) => rarer(aim) === least));
}

export interface Harm {
  readonly label: string;
  /** Breaks something. @returns what is to be counted of it */
  strike(): Promise<readonly string[]>;
  /** Has the service be there again, when all have been answered. */
  mend(): Promise<void>;
}

/** Draws the moment in the length of one of the operations, and strikes then. */
export async function harmedRound(
  scene: Scene,
  target: Target,
  random: Random,
  aims: Aims,
  harm: Harm,
): Promise<Outcome> {
  const operations = await prepareOperations(scene);
  const [name, aim] = choose(aims, random);
  const { lengthMs } = aim;
  const moment = (random.below(1000) / 1000) * lengthMs * beyond;
  const sent = operations.map((operation) => operation.send(target));
  await delay(moment);
  const counts = await harm.strike();
  const answers = await Promise.all(sent);
  await harm.mend();
  const heldMs = await letGo(scene);
  const judged = await Promise.all(
    operations.map((operation, index) => judge(operation, answers[index] as Answer)),
  );
  for (const [index, operation] of operations.entries())
    correct(aims.get(operation.name), operation, judged[index]?.found, operation.name === name);
  const held = heldMs > longestHoldMs ? [`held for ${heldMs} ms`] : [];
  return {
    label: `${harm.label}, ${Math.round(moment)} of ${Math.round(lengthMs)} ms of ${name}`,
    counts: [...counts, ...judged.flatMap((each) => each.counts)],
    anomalies: [...held, ...judged.flatMap((each) => each.anomalies)],
  };
}

/** Learns from what was found of an operation, and whether it was the one that was aimed at. */
function correct(
  aim: Aim | undefined,
  { done }: Operation,
  found: string | undefined,
  isAimed: boolean,
): void {
  if (aim === undefined || (found !== 'before' && found !== 'after')) return;
  if (done === 'after') {
    aim[found] += 1;
    if (isAimed) aim.lengthMs *= corrections[found];
  } else if (isAimed) {
    // what leaves everything as it was has one side only
    aim.before += 1;
    aim.after += 1;
  }
}

/** What the database holds, before anybody asks again, against what was said; then the operation is asked for again. */
async function judge(operation: Operation, { said, text }: Answer) {
  const { name, done } = operation;
  const found = await operation.found();
  const told = { done, undone: 'before', unknown: found, wrong: found }[said];
  const anomalies = [
    ...(found === 'before' || found === 'after' ? [] : [`${name}: found ${found}`]),
    ...(said === 'wrong' ? [`${name}: answered ${text}, found ${found}`] : []),
    ...(told === found ? [] : [`${name}: answered ${text}, found ${found}`]),
    ...(await operation.again(found).catch((error: Error) => [`${name}: ${error.message}`])),
  ];
  return { found, counts: [`${name} ${found}, said ${said}`], anomalies };
}

/** Waits until nobody holds a session or a row of production, and gives how long that took. */
async function letGo({ database }: Scene): Promise<number> {
  const start = performance.now();
  await patiently(async () => {
    const client = new pg.Client({ connectionString: database.url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(`BEGIN; SET LOCAL lock_timeout = '40s';
        LOCK TABLE stage.session IN EXCLUSIVE MODE; LOCK TABLE account IN EXCLUSIVE MODE; COMMIT`);
    } finally {
      await client.end().catch(() => undefined);
    }
  });
  return Math.round(performance.now() - start);
}
