/** Measures by pgbench: targets take turns, round by round, and their medians are compared, so that ratios hold on a noisy machine. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Target {
  readonly name: string;
  readonly url: string;
  readonly options: string;
}

export interface Effort {
  readonly seconds: number;
  readonly rounds: number;
  readonly clients: number;
}

interface Load {
  readonly label: string;
  /** pgbench's query mode. */
  readonly mode: 'simple' | 'extended' | 'prepared';
  /** Its arguments that choose the script. */
  readonly script: readonly string[];
}

/** Whether a program is there. */
export async function isInstalled(program: string): Promise<boolean> {
  return run(program, ['--version']).then(
    () => true,
    () => false,
  );
}

/** Gives one line of a table: transactions per second of each target, and the ratio of all others to the first. */
export async function compareLoad(
  { label, mode, script }: Load,
  targets: readonly Target[],
  effort: Effort,
): Promise<string> {
  const results = targets.map((): number[] => []);
  for (let round = 0; round < effort.rounds; round += 1) {
    for (const [index, target] of targets.entries())
      results[index]?.push(await measure(target, mode, script, effort));
  }
  const [first = Number.NaN, ...others] = results.map(median);
  const cells = others.flatMap((rate) => [rate.toFixed(0), (rate / first).toFixed(2)]);
  return `| ${[label, mode, first.toFixed(0), ...cells].join(' | ')} |`;
}

/** Transactions per second. */
async function measure(
  { url, options }: Target,
  mode: string,
  script: readonly string[],
  { seconds, clients }: Effort,
): Promise<number> {
  const args = ['-n', '-T', String(seconds), '-c', String(clients), '-j', '1', '-M', mode];
  const env = { ...process.env, PGOPTIONS: options };
  const { stdout } = await run('pgbench', [...args, ...script, url], { env });
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}

export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
