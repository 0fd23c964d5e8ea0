/** Looks after a process under attack: for how long its event loop stands still, and how much it keeps in memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Meter {
  /**
   * The longest piece of work so far that kept everything else waiting, in milliseconds of the processor's time: on a busy
   * machine the clock would tell of others, too.
   */
  readonly longestWork: () => number;
  readonly memory: () => Memory;
  stop(): void;
}

export interface Memory {
  /** Bytes in use that nothing will free. */
  readonly inUse: number;
  /** Bytes that the process has of the machine: those in use, and what it keeps for later. */
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
