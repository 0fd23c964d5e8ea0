/**
 * Plain reads through the proxy, directly and through PgBouncer: throughput, and the processor time of a query in the proxy and in
 * the server's backends. The targets take turns. A run's first second pays for logins and cold code, and does not count.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { Target } from './pgbench.ts';
import { median, watchPgbench } from './pgbench.ts';

export interface ReadTarget extends Target {
  /** Of the proxy's process; null where there is none. */
  readonly pid: number | null;
}

export interface ReadEffort {
  readonly seconds: number;
  readonly rounds: number;
  /** Path of pgbench's script. */
  readonly script: string;
  /** Process id of PostgreSQL's postmaster. */
  readonly postmaster: number;
}

interface Run {
  /** Queries a second. */
  readonly rate: number;
  /** Microseconds of processor time of a query; NaN where it cannot be known. */
  readonly proxy: number;
  readonly backend: number;
}

const modes = ['simple', 'extended', 'prepared'] as const;
const clientCounts = [1, 8, 32];

/** Prints a row for each protocol and number of clients. The first target is the direct one. */
export async function compareReads(
  targets: readonly ReadTarget[],
  effort: ReadEffort,
  print: (line: string) => void,
): Promise<void> {
  const [direct, ...proxies] = targets.map(({ name }) => name);
  const columns = proxies.flatMap((name) => [
    `${name}/s`,
    `/ ${direct}`,
    `us of ${name}`,
    'us of backend',
  ]);
  const others = proxies.slice(1).map((name) => `${name} / ${proxies[0]} (range)`);
  const heads = ['SELECT by key', 'clients', `${direct}/s`, 'us of backend', ...columns, ...others];
  print(`| ${heads.join(' | ')} |`);
  print(`|${'---|'.repeat(heads.length)}`);
  for (const mode of modes) {
    for (const clients of clientCounts) {
      const runs = await takeTurns(targets, effort, ['-M', mode, '-c', String(clients)]);
      print(`| ${[mode, clients, ...cells(runs)].join(' | ')} |`);
    }
  }
}

async function takeTurns(
  targets: readonly ReadTarget[],
  { seconds, rounds, script, postmaster }: ReadEffort,
  options: readonly string[],
): Promise<readonly (readonly Run[])[]> {
  const runs = targets.map((): Run[] => []);
  // its backends are gone when it tells of the last second
  const args = ['-f', script, '-T', String(seconds + 2), ...options];
  for (let round = 0; round < rounds; round += 1)
    for (const [index, target] of targets.entries())
      runs[index]?.push(await measure(target, args, postmaster, seconds));
  return runs;
}

function cells(runs: readonly (readonly Run[])[]): string[] {
  const middle = (of: readonly Run[] | undefined, member: keyof Run) =>
    median((of ?? []).map((run) => run[member]));
  const [direct, ...proxies] = runs;
  const own = proxies.flatMap((run) => [
    middle(run, 'rate').toFixed(0),
    (middle(run, 'rate') / middle(direct, 'rate')).toFixed(2),
    middle(run, 'proxy').toFixed(1),
    middle(run, 'backend').toFixed(1),
  ]);
  const [first, ...others] = proxies;
  const ratios = others.map((run) => {
    const each = run.map(({ rate }, round) => rate / (first?.[round]?.rate ?? Number.NaN));
    const range = `${Math.min(...each).toFixed(2)} to ${Math.max(...each).toFixed(2)}`;
    return `${median(each).toFixed(2)} (${range})`;
  });
  return [
    middle(direct, 'rate').toFixed(0),
    middle(direct, 'backend').toFixed(1),
    ...own,
    ...ratios,
  ];
}

/** One run: what happened between its first and its last report. */
async function measure(
  { url, pid }: ReadTarget,
  args: readonly string[],
  postmaster: number,
  seconds: number,
): Promise<Run> {
  const used = async () => ({
    proxy: pid === null ? Number.NaN : await processorTime(pid),
    backends: await timeOfChildren(postmaster),
  });
  const samples = await watchPgbench(url, args, used);
  const [first, ...rest] = samples.slice(0, seconds + 1);
  const last = rest.at(-1);
  if (!first || !last) throw new Error('pgbench ended before its second report: take more time');
  const queries = rest.reduce((sum, { count }) => sum + count, 0);
  const perQuery = (nanoseconds: number) => nanoseconds / 1000 / queries;
  // of another run there may be some that are about to end
  const backends = [...last.seen.backends].map(
    ([backend, time]) => time - (first.seen.backends.get(backend) ?? time),
  );
  return {
    rate: queries / (last.at - first.at),
    proxy: perQuery(last.seen.proxy - first.seen.proxy),
    backend: perQuery(backends.reduce((sum, time) => sum + time, 0)),
  };
}

/** Nanoseconds that the threads of a process have run. NaN where the system does not tell. */
async function processorTime(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => null);
  if (threads === null) return Number.NaN;
  const times = threads.map(async (thread) => {
    const told = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
    return Number(told.split(' ')[0]);
  });
  return (await Promise.all(times)).reduce((sum, time) => sum + time, 0);
}

/** The same of each child of a process. */
async function timeOfChildren(parent: number): Promise<ReadonlyMap<number, number>> {
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.filter((entry) => /^\d+$/.test(entry)).map(Number);
  const times = new Map<number, number>();
  for (const pid of pids)
    if ((await parentOf(pid)) === parent) times.set(pid, await processorTime(pid));
  return times;
}

async function parentOf(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  // behind the name, which may have spaces and parentheses
  return status === null ? null : Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
}
