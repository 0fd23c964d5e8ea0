/** One round of harm: one operation of each kind at once, a fault meanwhile, and the outcome of all operations. */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Random } from '../helpers/random.ts';
import type { Outcome } from './arena.ts';
import type { Operation } from './operations.ts';
import { prepareOperations } from './operations.ts';
import type { CallOutcome } from './outcomes.ts';
import type { OperationName } from './plans.ts';
import type { Scene, Target } from './scene.ts';
import { patiently } from './scene.ts';

/** The moment at which an operation is struck. */
interface Aim {
  /** How long it takes without a fault. Each round corrects it, by whether the operation was done at the moment of the fault. */
  lengthMs: number;
  /** How often it was found not done, and done. */
  before: number;
  after: number;
}
export type Aims = ReadonlyMap<OperationName, Aim>;

/** The factors that correct a length, so that faults precede and follow an operation's commit about equally often. */
const corrections = { before: 1.2, after: 0.8 };

/** Moments are drawn over slightly more than an operation's length. */
const beyond = 1.25;

/** The longest time that anything may stay locked after a fault. */
const longestHoldMs = 30_000;

/** Plays rounds without a fault, and aims at the median length of each operation. */
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

/** Returns an aim without observations. */
export const aimWithin = (lengthMs: number): Aim => ({ lengthMs, before: 0, after: 0 });

/** Chooses one of the operations whose rarer outcome has been seen least. */
function choose(aims: Aims, random: Random): [OperationName, Aim] {
  const rarer = ({ before, after }: Aim) => Math.min(before, after);
  const least = Math.min(...[...aims.values()].map(rarer));
  return random.pick([...aims].filter(([, aim]) => rarer(aim) === least));
}

export interface Harm {
  readonly label: string;
  /** Breaks something. @returns the texts to count for it */
  strike(): Promise<readonly string[]>;
  /** Restores the service, after all responses. */
  mend(): Promise<void>;
}

/** Draws a moment within the length of one of the operations, and strikes then. */
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
  const checked = await Promise.all(
    operations.map((operation, index) => checkCall(operation, answers[index] as CallOutcome)),
  );
  for (const [index, operation] of operations.entries())
    correct(aims.get(operation.name), operation, checked[index]?.found, operation.name === name);
  const held = heldMs > longestHoldMs ? [`held for ${heldMs} ms`] : [];
  return {
    label: `${harm.label}, ${Math.round(moment)} of ${Math.round(lengthMs)} ms of ${name}`,
    counts: [...counts, ...checked.flatMap((each) => each.counts)],
    anomalies: [...held, ...checked.flatMap((each) => each.anomalies)],
  };
}

/** Corrects an operation's aim by its outcome, and by whether the fault was aimed at it. */
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
    // an operation that changes nothing has only one outcome
    aim.before += 1;
    aim.after += 1;
  }
}

/** Compares the database with the response, before any other request. Then repeats the operation. */
async function checkCall(operation: Operation, { result, text }: CallOutcome) {
  const { name, done } = operation;
  const found = await operation.found();
  const reported = { done, undone: 'before', unknown: found, wrong: found }[result];
  const anomalies = [
    ...(found === 'before' || found === 'after' ? [] : [`${name}: found ${found}`]),
    ...(result === 'wrong' ? [`${name}: answered ${text}, found ${found}`] : []),
    ...(reported === found ? [] : [`${name}: answered ${text}, found ${found}`]),
    ...(await operation.again(found).catch((error: Error) => [`${name}: ${error.message}`])),
  ];
  return { found, counts: [`${name} ${found}, said ${result}`], anomalies };
}

/** Waits until nobody locks a session or a row of production. Returns how long that took. */
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
