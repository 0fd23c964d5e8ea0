/** Measures by pgbench: targets take turns, round by round, and their medians are compared, so that ratios hold on a noisy machine. */
import { execFile, spawn } from 'node:child_process';
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

interface Load {
  readonly label: string;
  /** pgbench's query mode. */
  readonly mode: 'simple' | 'prepared';
  /** Path of its script. */
  readonly script: string;
}

/** Whether a program is there. */
export async function isInstalled(program: string): Promise<boolean> {
  return run(program, ['--version']).then(
    () => true,
    () => false,
  );
}

/**
 * Gives one line of a table: transactions per second of each target, and the ratio of all others to the first.
 * @param targets the URLs of each, to which its clients are divided
 */
export async function compareLoad(
  { label, mode, script }: Load,
  targets: readonly (readonly string[])[],
  effort: Effort,
): Promise<string> {
  const results = targets.map((): number[] => []);
  const given = ['-M', mode, '-f', script];
  // A first run of one client makes overlays, a second one fills caches and has hot code compiled; neither counts.
  for (const urls of targets) {
    await pgbench(urls[0] ?? '', ['-t', '1', '-c', '1', ...given]);
    await rateOf(urls, effort.clients, ['-T', '1', ...given]);
  }
  const args = ['-T', String(effort.seconds), ...given];
  for (let round = 0; round < effort.rounds; round += 1) {
    for (const [index, urls] of targets.entries())
      results[index]?.push(await rateOf(urls, effort.clients, args));
  }
  const [first = Number.NaN, ...others] = results.map(median);
  const cells = others.flatMap((rate) => [rate.toFixed(0), (rate / first).toFixed(2)]);
  return `| ${[label, mode, first.toFixed(0), ...cells].join(' | ')} |`;
}

/** Transactions per second of so many clients, together. */
async function rateOf(
  urls: readonly string[],
  clients: number,
  args: readonly string[],
): Promise<number> {
  const each = ['-c', String(clients / urls.length), ...args];
  const rates = await Promise.all(urls.map((url) => measure(url, each)));
  return rates.reduce((sum, rate) => sum + rate, 0);
}

/** Transactions per second. */
async function measure(url: string, args: readonly string[]): Promise<number> {
  const rate = /tps = ([\d.]+)/.exec(await pgbench(url, args))?.[1];
  if (rate === undefined) throw new Error('pgbench ended before it had connected: take more time');
  return Number(rate);
}

/** @throws Error when a client of pgbench has met an error, which ends it: fewer would have run than were meant to */
async function pgbench(url: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run('pgbench', ['-n', '-j', '1', ...args, url]);
  if (stderr.includes('aborted')) throw new Error(`pgbench: ${stderr}`);
  return stdout;
}

export interface Sample<Seen> {
  /** Seconds since the run began. */
  readonly at: number;
  /** Transactions since the report before. */
  readonly count: number;
  readonly seen: Seen;
}

/**
 * Runs pgbench, and looks at something with each of its reports, one a second.
 * @throws Error when a client of pgbench has met an error
 */
export async function watchPgbench<Seen>(
  url: string,
  args: readonly string[],
  look: () => Promise<Seen>,
): Promise<readonly Sample<Seen>[]> {
  const child = spawn('pgbench', ['-n', '-j', '1', '-P', '1', ...args, url], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const samples: Sample<Seen>[] = [];
  for await (const line of createInterface(child.stderr)) {
    const [, seconds, rate] = /^progress: ([\d.]+) s, ([\d.]+) tps/.exec(line) ?? [];
    if (/aborted|failed:/.test(line)) throw new Error(`pgbench: ${line}`);
    if (seconds === undefined) continue;
    const at = Number(seconds);
    const count = Number(rate) * (at - (samples.at(-1)?.at ?? 0));
    samples.push({ at, count, seen: await look() });
  }
  return samples;
}

export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
