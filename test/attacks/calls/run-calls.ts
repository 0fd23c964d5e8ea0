/** Runs calls, looks for effects after each group of them, and finds the calls that had one. */
import { readBack } from '../../../src/db/connection-settings.ts';
import type { ReadsMode } from '../../../src/model/session.ts';
import { backend } from '../../../src/wire/message-codes.ts';
import type { WireClient } from '../../helpers/wire-script.ts';
import { connectWire, inWords, q } from '../../helpers/wire-script.ts';
import { changesOf, isAllowed, takeHeld, takeState } from './effects.ts';
import type { Field } from './field.ts';
import type { RandomCall, Role } from './random-call.ts';
import { randomCall } from './random-call.ts';

export interface Leak {
  readonly calls: readonly RandomCall[];
  readonly effects: readonly string[];
}

export interface Totals {
  calls: number;
  /** Calls for which an object could not be created, for example a cast between types for which another call of the run has created one. */
  unmade: number;
  /** Calls whose statements all succeeded. */
  succeeded: number;
  leaks: number;
  /** Functions called at least once. */
  readonly functions: Set<string>;
}

export interface Options {
  readonly seed: number;
  readonly calls: number;
  /** The number of calls between two checks. */
  readonly width: number;
  /** Whether they are sent past the proxy, to show that they have effects at all. */
  readonly directly?: boolean;
  readonly signal?: AbortSignal;
  tell(leak: Leak): void;
}

/** Runs the calls of many seeds. */
export async function runCalls(field: Field, options: Options): Promise<Totals> {
  const totals: Totals = {
    ...{ calls: 0, unmade: 0, succeeded: 0, leaks: 0 },
    functions: new Set(),
  };
  const runner = createRunner(field, options.directly ?? false);
  const end = options.seed + options.calls;
  for (let seed = options.seed; seed < end && !options.signal?.aborted; seed += options.width) {
    const count = Math.min(options.width, end - seed);
    const drawn = Array.from({ length: count }, (_, at) =>
      randomCall(seed + at, field.catalog, field.filled),
    );
    const calls = await runner.prepare(drawn);
    for (const call of calls) totals.functions.add(call.function);
    totals.calls += drawn.length;
    totals.unmade += drawn.length - calls.length;
    const { succeeded, leaks } = await runner.check(calls);
    totals.succeeded += succeeded;
    totals.leaks += leaks.length;
    for (const leak of leaks) options.tell(leak);
  }
  return totals;
}

interface Ran {
  readonly effects: readonly string[];
  readonly succeeded: number;
}

interface Runner {
  /** Creates what the calls need, and returns the calls for which that succeeded. */
  prepare(calls: readonly RandomCall[]): Promise<RandomCall[]>;
  check(calls: readonly RandomCall[]): Promise<{ succeeded: number; leaks: Leak[] }>;
}

function createRunner(field: Field, directly: boolean): Runner {
  const run = (calls: readonly RandomCall[]): Promise<Ran> =>
    runOnce(calls).catch(async () => {
      // a cast of a call may stop what observes the calls, too
      await dropCasts(field);
      return runOnce(calls);
    });
  const runOnce = async (calls: readonly RandomCall[]): Promise<Ran> => {
    await field.reset();
    const before = await takeState(field.database);
    await field.watchers.take();
    const { effects, succeeded } = await runOn(field, calls, directly);
    const after = await takeState(field.database);
    const heard = await field.watchers.take();
    return { effects: [...effects, ...heard, ...changesOf(before, after)], succeeded };
  };

  /** Finds the calls of a run that had the effects. */
  const parted = async (
    calls: readonly RandomCall[],
    effects: readonly string[],
  ): Promise<Leak[]> => {
    const [only, ...others] = calls;
    if (only !== undefined && others.length === 0) {
      const left = effects.filter((effect) => !isAllowed(effect, only.function));
      return left.length === 0 ? [] : [{ calls, effects: left }];
    }
    const middle = calls.length >> 1;
    const found: Leak[] = [];
    let isSeenAgain = false;
    for (const half of [calls.slice(0, middle), calls.slice(middle)]) {
      const again = await run(half);
      if (again.effects.length === 0) continue;
      isSeenAgain = true;
      found.push(...(await parted(half, again.effects)));
    }
    return isSeenAgain ? found : [{ calls, effects }];
  };

  return {
    check: async (calls) => {
      const { effects, succeeded } = await run(calls);
      return { succeeded, leaks: effects.length === 0 ? [] : await parted(calls, effects) };
    },
    prepare: async (calls) => {
      const keys = new Set<string>();
      const made: RandomCall[] = [];
      for (const call of calls) {
        const isTaken = call.key !== null && keys.has(call.key);
        if (!isTaken && (await make(field, call)) && (await isBearable(field, call)))
          made.push(call);
        if (call.key !== null) keys.add(call.key);
      }
      return made;
    },
  };
}

async function make({ database }: Field, { made }: RandomCall): Promise<boolean> {
  for (const sql of made) {
    const isMade = await database.query(sql).then(
      () => true,
      (error: Error & { code?: string }) => error.code === '42710' || error.code === '42723',
    );
    if (!isMade) return false;
  }
  return true;
}

/**
 * Returns whether the service and the observers still work beside a cast that was created for a call, and drops it otherwise. A cast
 * between types of PostgreSQL applies to their own queries, too. Only superusers create such casts.
 */
async function isBearable(field: Field, { made }: RandomCall): Promise<boolean> {
  const cast = made.map((sql) => /CREATE CAST \((.+)\) WITH/.exec(sql)?.[1]).find(Boolean);
  if (cast === undefined) return true;
  const tried = tryService(field).then(
    () => true,
    () => false,
  );
  // the service waits for a server whose version it cannot read
  const works = (await within(tried, 15_000)) === true;
  if (!works) await field.database.query(`DROP CAST IF EXISTS (${cast}) CASCADE`);
  return works;
}

async function tryService(field: Field): Promise<void> {
  await takeState(field.database);
  // the service reads this on each new connection, and its pool has others
  const [row] = await field.database.query(readBack.text, readBack.values);
  if (row?.['settings'] === null) throw new Error('the settings of a connection cannot be read');
  await field.watchers.take();
  const client = await connectWire(await field.session('writer', 'staged'));
  try {
    client.send(q(`UPDATE item SET v = 'x' WHERE id = 1`), q('SELECT count(*) FROM item'));
    const answers = (await client.readTo(backend.readyForQuery, 2)).map(inWords);
    if (answers.at(-1)?.startsWith('Z ') !== true || answers.some((word) => word.startsWith('E ')))
      throw new Error(answers.join('\n'));
  } finally {
    client.close();
  }
}

/** Creates a session. If the service has come to a cast that it cannot bear, all casts of calls are dropped first. */
async function sessionOf(field: Field, role: Role, reads: ReadsMode): Promise<string> {
  const created = field.session(role, reads);
  if ((await within(created, 15_000)) === null) await dropCasts(field);
  return created;
}

const dropAll = `DO $$ DECLARE v_cast text; BEGIN
  FOR v_cast IN SELECT format('%s AS %s', castsource::regtype, casttarget::regtype) FROM pg_cast
    WHERE oid >= 16384 AND castmethod = 'f' AND castsource < 16384 AND casttarget < 16384
  LOOP EXECUTE format('DROP CAST (%s) CASCADE', v_cast); END LOOP; END $$`;

/** Drops the casts between types of PostgreSQL that calls have left. Calls that use one fail then. */
const dropCasts = async ({ database }: Field): Promise<void> => {
  await database.query(dropAll);
};

const patience = 60_000;

/** Sends the calls one after the other, each role over one connection; returns what was observed meanwhile. */
async function runOn(field: Field, calls: readonly RandomCall[], directly: boolean): Promise<Ran> {
  const clients = new Map<string, WireClient>();
  const seen: string[] = [];
  const done = { succeeded: 0 };
  const connect = async (role: Role, reads: ReadsMode): Promise<WireClient> => {
    const known = clients.get(`${role} ${reads}`);
    if (known) return known;
    const url = directly ? field.direct(role) : await sessionOf(field, role, reads);
    const client = await connectWire(url);
    clients.set(`${role} ${reads}`, client);
    client.send(q('SET statement_timeout = 5000'));
    await client.readTo(backend.readyForQuery);
    return client;
  };
  try {
    for (const call of calls) {
      const client = await connect(call.role, call.reads);
      const heard = await runOne(field, client, call);
      seen.push(...heard.effects);
      if (heard.succeeded) done.succeeded += 1;
      if (heard.isOver) {
        client.close();
        clients.delete(`${call.role} ${call.reads}`);
      }
    }
    seen.push(...(await takeHeld(field.database)));
  } finally {
    for (const client of clients.values()) client.close();
  }
  return { effects: [...new Set(seen)], succeeded: done.succeeded };
}

interface Heard {
  readonly effects: string[];
  readonly succeeded: boolean;
  /** Whether the connection is closed, or hangs. */
  readonly isOver: boolean;
}

async function runOne(field: Field, client: WireClient, call: RandomCall): Promise<Heard> {
  const effects: string[] = [];
  let succeeded = true;
  let status = 'I';
  for (const { bytes, ready } of [...call.said, { bytes: q('ROLLBACK'), ready: 1 }]) {
    client.send(bytes);
    const answers = await within(client.readTo(backend.readyForQuery, ready));
    if (answers === null) return { effects: [...effects, 'a standstill'], succeeded, isOver: true };
    const words = answers.map(inWords);
    if (words.some((word) => word.startsWith('E '))) succeeded = false;
    status = words.findLast((word) => word.startsWith('Z '))?.slice(2) ?? 'closed';
    if (status === 'closed') return { effects, succeeded: false, isOver: true };
    if (status === 'T') effects.push(...(await takeHeld(field.database)));
  }
  return { effects, succeeded, isOver: false };
}

/** Waits for `work`; returns null if it takes longer than a limit in milliseconds. */
async function within<T>(work: Promise<T>, limit = patience): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), limit);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Returns a report of a leak, with everything needed to reproduce it. */
export function report({ calls, effects }: Leak): string {
  return calls
    .map(written)
    .concat(effects.map((effect) => `--   ${effect}`))
    .join('\n');
}

const written = (call: RandomCall): string =>
  [
    `-- seed ${call.seed}, as ${call.role}, reads ${call.reads}: ${call.function} ${call.form}`,
    ...call.made.map((sql) => `-- made before, by a superuser: ${sql};`),
    ...call.said.map(({ words }) => words),
  ].join('\n');

export const summary = (totals: Totals): string =>
  `calls ${totals.calls} of ${totals.functions.size} functions, succeeded ${totals.succeeded}, not made ${totals.unmade}, leaks ${totals.leaks}`;
