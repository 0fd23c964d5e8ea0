/** Ctrl-C, and a reader of our output that went away: both end what is under way without noise. */
import type { Host } from './host.ts';

/** Exit codes that no error stands behind. */
export const interruptedExit = 130;

/** Thrown by work that ended because the user interrupted it. */
export class Interrupted extends Error {}

/** Runs work that Ctrl-C ends: its controller is aborted, and the promise rejects with Interrupted. */
export async function interruptible<T>(
  host: Host,
  work: (interruption: AbortController) => Promise<T>,
): Promise<T> {
  const interruption = new AbortController();
  const stop = () => interruption.abort();
  host.on('SIGINT', stop);
  try {
    return await work(interruption);
  } catch (error) {
    throw interruption.signal.aborted ? new Interrupted() : error;
  } finally {
    host.off('SIGINT', stop);
  }
}

/** Whether an error says that nobody reads our output any more, as in `stage diff | head`. */
export function isClosedPipe(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')
  );
}
