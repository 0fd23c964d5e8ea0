/**
 * Measures with pgbench: targets alternate, round by round, and their medians are compared, so that ratios are stable on a busy machine.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Target {
  readonly name: string;
  readonly url: string;
}

export interface Effort {
  readonly seconds: number;
  readonly rounds: number;
  readonly clients: number;
}

/** Seconds of warming up: the first staged statement of each connection takes as long as many of the next ones. */
const firstSeconds = 2;

/** Returns whether a program is installed. */
export async function isInstalled(program: string): Promise<boolean> {
  return run(program, ['--version']).then(
    () => true,
    () => false,
  );
}

/**
 * Returns the cells of a row: transactions per second of each target, and the ratio of all others to the first.
 * @param targets the URLs of each, among which its clients are divided
 * @param script path of pgbench's script
 */
export async function compareLoad(
  script: string,
  targets: readonly (readonly string[])[],
  { seconds, rounds, clients }: Effort,
): Promise<string[]> {
  const results = targets.map((): number[] => []);
  const given = ['-M', 'prepared', '-f', script];
  // creates overlays
  for (const [url = ''] of targets) await pgbench(url, ['-t', '1', '-c', '1', ...given]);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, urls] of targets.entries())
      results[index]?.push(await rateOf(urls, clients, seconds, given));
  }
  const [first = Number.NaN, ...others] = results.map(median);
  return [
    first.toFixed(0),
    ...others.flatMap((rate) => [rate.toFixed(0), (rate / first).toFixed(2)]),
  ];
}

/** Returns the transactions per second of all clients together. */
async function rateOf(
  urls: readonly string[],
  clients: number,
  counted: number,
  args: readonly string[],
): Promise<number> {
  const each = ['-c', String(clients / urls.length), ...args];
  const time = { first: firstSeconds, counted };
  const nothing = async () => undefined;
  const runs = await Promise.all(urls.map((url) => watchPgbench(url, each, time, nothing)));
  return runs.reduce((sum, { rate }) => sum + rate, 0);
}

/**
 * Runs pgbench.
 * @throws Error when a client of pgbench has met an error, which ends it: fewer than the intended number would have run
 */
async function pgbench(url: string, args: readonly string[]): Promise<void> {
  const { stderr } = await run('pgbench', ['-n', '-j', '1', ...args, url]);
  if (stderr.includes('aborted')) throw new Error(`pgbench: ${stderr}`);
}

export interface Seconds<Seen> {
  /** Transactions per second. */
  readonly rate: number;
  /** The number of transactions between the two observations. */
  readonly count: number;
  readonly seen: readonly [Seen, Seen];
}

/**
 * Runs pgbench for some first seconds, which include logins and cold code, and for the seconds that count. Then ends it, because its own
 * end would depend on how long its clients took to log in.
 * @throws Error when a client of pgbench has met an error
 */
export async function watchPgbench<Seen>(
  url: string,
  args: readonly string[],
  { first, counted }: { readonly first: number; readonly counted: number },
  look: () => Promise<Seen>,
): Promise<Seconds<Seen>> {
  const child = spawn('pgbench', ['-n', '-j', '1', '-P', '1', '-T', '600', ...args, url], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const reports: { readonly at: number; readonly count: number; readonly seen: Seen }[] = [];
  for await (const line of createInterface(child.stderr)) {
    if (/aborted|failed:/.test(line)) throw new Error(`pgbench: ${line}`);
    const [, at, rate] = /^progress: ([\d.]+) s, ([\d.]+) tps/.exec(line) ?? [];
    if (at === undefined) continue;
    const since = Number(at) - (reports.at(-1)?.at ?? 0);
    reports.push({ at: Number(at), count: Number(rate) * since, seen: await look() });
    if (reports.length === first + counted) child.kill();
  }
  await ended;
  const [begin, ...rest] = reports.slice(first - 1, first + counted);
  const end = rest.at(-1);
  if (begin === undefined || end === undefined) throw new Error('pgbench has ended by itself');
  const count = rest.reduce((sum, report) => sum + report.count, 0);
  return { rate: count / (end.at - begin.at), count, seen: [begin.seen, end.seen] };
}

/** Returns the median, which is the mean of the middle two for an even number of values; NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const [low, high] = [Math.floor((values.length - 1) / 2), Math.floor(values.length / 2)];
  return ((sorted[low] ?? Number.NaN) + (sorted[high] ?? Number.NaN)) / 2;
}
