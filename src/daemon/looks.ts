/** Something that is done again and again while the upstream is ready, and that the daemon lets end when it stops. */
import type { Upstream } from '../rest/services.ts';
import type { Parts } from './parts.ts';
import { releaseInTime } from './parts.ts';

export interface Looks {
  /** What it is, in the log. */
  readonly name: string;
  readonly everyMs: number;
  /** Logged where it fails. */
  readonly failure: string;
  /** Does it. @param isStopped tells whether the daemon stops */
  look(isStopped: () => boolean): Promise<void>;
}

/** Looks for the first time now. */
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
