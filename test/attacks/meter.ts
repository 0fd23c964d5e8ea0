/** Monitors a process under attack: how long its event loop blocks, and how much memory it retains. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Meter {
  /**
   * The longest work so far that blocked everything else, in milliseconds of CPU time. On a busy machine the clock would include the work
   * of other processes.
   */
  readonly longestWork: () => number;
  readonly memory: () => Memory;
  stop(): void;
}

export interface Memory {
  /** Bytes in use that garbage collection cannot free. */
  readonly inUse: number;
  /** Resident bytes: those in use, and those that the process retains for later. */
  readonly resident: number;
}

const interval = 10;

export function startMeter(): Meter {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  let longest = 0;
  let last = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    longest = Math.max(longest, (user + system) / 1000);
  }, interval);
  return {
    longestWork: () => longest,
    memory: () => {
      collectGarbage();
      last = process.cpuUsage();
      const { heapUsed, external, rss } = process.memoryUsage();
      return { inUse: heapUsed + external, resident: rss };
    },
    stop: () => clearInterval(timer),
  };
}
