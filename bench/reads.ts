/**
 * Plain reads through the proxy, directly and through PgBouncer: throughput, and the processor time of a query in the proxy and in
 * the server's backends. The targets take turns. A run's first second pays for logins and cold code, and does not count.
 */
import type { Target } from './pgbench.ts';
import { median, watchPgbench } from './pgbench.ts';
import { processorTime, sumSince, timeOfChildren } from './processor-time.ts';

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
  const backends = sumSince(first.seen.backends, last.seen.backends);
  return {
    rate: queries / (last.at - first.at),
    proxy: perQuery(last.seen.proxy - first.seen.proxy),
    backend: perQuery(backends),
  };
}
