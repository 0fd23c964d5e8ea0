/** Runs a recurring task while the upstream is ready. When the daemon stops, a task that runs may finish. */
import type { Upstream } from '../rest/services.ts';
import type { Parts } from './parts.ts';
import { releaseInTime } from './parts.ts';

export interface Looks {
  /** Name of the task in the log. */
  readonly name: string;
  readonly everyMs: number;
  /** Log message for a failed run. */
  readonly failure: string;
  /** Runs the task. @param isStopped returns whether the daemon stops */
  look(isStopped: () => boolean): Promise<void>;
}

/** Starts the task. The first run begins at once. */
export function startLooks(parts: Parts, upstream: Upstream, looks: Looks): void {
  const tell = (error: Error) => parts.log.warn(looks.failure, { error: error.message });
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const lookAgain = async (): Promise<void> => {
    if (upstream.state.ready) await looks.look(() => isStopped).catch(tell);
    if (isStopped) return;
    timer = setTimeout(() => {
      looking = lookAgain();
    }, looks.everyMs);
  };
  let looking = lookAgain();
  releaseInTime(parts, looks.name, () => {
    isStopped = true;
    clearTimeout(timer);
    return looking;
  });
}
