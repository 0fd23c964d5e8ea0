/** Runs a recurring task while the upstream is ready. When the daemon stops, a task that runs may finish. */
import type { Upstream } from '../rest/services.ts';
import type { Parts } from './parts.ts';
import { releaseInTime } from './parts.ts';

export interface PeriodicTask {
  /** Name of the task in the log. */
  readonly name: string;
  readonly everyMs: number;
  /** Log message for a failed run. */
  readonly failure: string;
  /** Runs the task. @param isStopped returns whether the daemon stops */
  run(isStopped: () => boolean): Promise<void>;
}

/** Starts the task. The first run begins at once. */
export function startPeriodicTask(parts: Parts, upstream: Upstream, task: PeriodicTask): void {
  const warn = (error: Error) => parts.log.warn(task.failure, { error: error.message });
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const runAgain = async (): Promise<void> => {
    if (upstream.state.ready) await task.run(() => isStopped).catch(warn);
    if (isStopped) return;
    timer = setTimeout(() => {
      running = runAgain();
    }, task.everyMs);
  };
  let running = runAgain();
  releaseInTime(parts, task.name, () => {
    isStopped = true;
    clearTimeout(timer);
    return running;
  });
}
