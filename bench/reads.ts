/**
 * Plain reads through the proxy, directly and through PgBouncer: throughput, and the processor time of a query in the proxy and in the
 * server's backends. The targets alternate. A run's first second includes logins and cold code, and does not count.
 */
import type { Target } from './pgbench.ts';
import { median, watchPgbench } from './pgbench.ts';
import { processorTime, sumSince, timeOfChildren } from './processor-time.ts';

export interface ReadTarget extends Target {
  /** The process id of the proxy; null if there is none. */
  readonly pid: number | null;
}

export interface ReadEffort {
  readonly seconds: number;
  readonly rounds: number;
  /** Path of pgbench's script. */
  readonly script: string;
  /** Process id of PostgreSQL's postmaster. */
  readonly postmaster: number;
  readonly modes: readonly Mode[];
}

interface Run {
  /** Queries per second. */
  readonly rate: number;
  /** Microseconds of processor time of a query; NaN if unknown. */
  readonly proxy: number;
  readonly backend: number;
}

/** pgbench's query modes. */
export const modes = ['simple', 'extended', 'prepared'] as const;
type Mode = (typeof modes)[number];
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
  for (const mode of effort.modes) {
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
  const args = ['-f', script, ...options];
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
  const { rate, count, seen } = await watchPgbench(url, args, { first: 1, counted: seconds }, used);
  const [first, last] = seen;
  return {
    rate,
    proxy: (last.proxy - first.proxy) / 1000 / count,
    backend: sumSince(first.backends, last.backends) / 1000 / count,
  };
}
