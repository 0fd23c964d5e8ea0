/**
 * The same work directly and staged, alternately, so that a ratio is stable on a busy machine; with the processor time of the server's
 * backends and of the daemon, which is even more stable.
 */
import { median } from './pgbench.ts';
import { processorTime, sumSince, timeOfChildren } from './processor-time.ts';

/** Process ids: PostgreSQL's postmaster, the daemon. */
export interface Watched {
  readonly postmaster: number;
  readonly daemon: number;
}

/** Times in milliseconds. */
export interface Used {
  readonly wall: number;
  readonly backends: number;
  readonly daemon: number;
}

/** A way of doing the work. Returns what it used, without its preparation. */
export type Side = (use: Meter) => Promise<Used>;
/** Runs the work to measure. */
export type Meter = (work: () => Promise<unknown>) => Promise<Used>;

export interface Turns {
  readonly label: string;
  readonly watched: Watched;
  readonly rounds: number;
  /** The number of pieces of work in a turn: a row shows the values of one piece. */
  readonly pieces?: number;
}

export const turnsHead = (label: string, unit: 'ms' | 'us') =>
  `| ${label} | direct ${unit} | stage ${unit} | ratio (lowest, highest) | backends ${unit} | ratio of backends | daemon ${unit} |\n|${'---|'.repeat(7)}`;

/** Alternates both sides, and returns the row of a table. A first turn, which prepares tables and connections, does not count. */
export async function takeTurns(turns: Turns, direct: Side, staged: Side): Promise<string> {
  const { label, watched, rounds, pieces } = turns;
  const meter: Meter = (work) => measure(watched, work);
  const found: (readonly [Used, Used])[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const pair = [await direct(meter), await staged(meter)] as const;
    if (round >= 0) found.push(pair);
  }
  return `| ${[label, ...cells(found, pieces === undefined ? 1 : 1000 / pieces)].join(' | ')} |`;
}

async function measure({ postmaster, daemon }: Watched, work: () => Promise<unknown>) {
  const [backends, node] = [await timeOfChildren(postmaster), await processorTime(daemon)];
  const start = performance.now();
  await work();
  const wall = performance.now() - start;
  return {
    wall,
    backends: sumSince(backends, await timeOfChildren(postmaster)) / 1e6,
    daemon: ((await processorTime(daemon)) - node) / 1e6,
  };
}

function cells(found: readonly (readonly [Used, Used])[], scale: number): string[] {
  const of = (side: 0 | 1, what: keyof Used) =>
    scale * median(found.map((each) => each[side][what]));
  const ratios = found.map(([direct, staged]) => staged.wall / direct.wall);
  return [
    of(0, 'wall').toFixed(0),
    of(1, 'wall').toFixed(0),
    `${median(ratios).toFixed(1)} (${Math.min(...ratios).toFixed(1)}, ${Math.max(...ratios).toFixed(1)})`,
    of(1, 'backends').toFixed(0),
    (of(1, 'backends') / of(0, 'backends')).toFixed(1),
    of(1, 'daemon').toFixed(0),
  ];
}
