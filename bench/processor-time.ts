/** Processor time of processes, as Linux counts it. */
import { readdir, readFile } from 'node:fs/promises';

/** Returns the nanoseconds that the threads of a process have run; NaN if the system does not report them. */
export async function processorTime(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => null);
  if (threads === null) return Number.NaN;
  const times = threads.map(async (thread) => {
    const reported = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(
      () => '0',
    );
    return Number(reported.split(' ')[0]);
  });
  return (await Promise.all(times)).reduce((sum, time) => sum + time, 0);
}

/** Returns the same for each child of a process. */
export async function timeOfChildren(parent: number): Promise<ReadonlyMap<number, number>> {
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.filter((entry) => /^\d+$/.test(entry)).map(Number);
  const times = new Map<number, number>();
  for (const pid of pids)
    if ((await parentOf(pid)) === parent) times.set(pid, await processorTime(pid));
  return times;
}

/** Sums the time of processes since `before`. Processes that have started since do not count. */
export function sumSince(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
): number {
  return [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? time), 0);
}

async function parentOf(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  // after the name, which may have spaces and parentheses
  return status === null ? null : Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
}
