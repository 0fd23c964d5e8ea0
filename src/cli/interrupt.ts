/** Handles Ctrl-C and a closed output pipe: both end the running work silently. */
import type { Host } from './host.ts';

/** The exit code after Ctrl-C. */
export const interruptedExit = 130;

/** Thrown by work that the user interrupted. */
export class Interrupted extends Error {}

/** Runs work that Ctrl-C can end: its controller is aborted, and the promise rejects with Interrupted. */
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

/** Returns whether an error means that the reader of the output is gone, as in `stage diff | head`. */
export function isClosedPipe(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')
  );
}
