/** Looks after a process under attack: for how long its event loop stands still, and how much it keeps in memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Meter {
  /**
   * The longest piece of work so far that kept everything else waiting, in milliseconds of the processor's time: on a busy
   * machine the clock would tell of others, too.
   */
  readonly longestWork: () => number;
  /** Bytes in use that nothing will free. */
  readonly inUse: () => number;
  stop(): void;
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
    inUse: () => {
      collectGarbage();
      last = process.cpuUsage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    },
    stop: () => clearInterval(timer),
  };
}
