/** Ends responses that their readers do not read: each holds memory, and a diff also a snapshot in the database. */
import type { ServerResponse } from 'node:http';

/** Number of checks per timeout whether the event loop was blocked. */
const pulses = 6;

/**
 * Ends a response if its reader reads nothing of what is ready.
 * @param timeoutMs how long it may read nothing; 0 for no limit
 */
export function endWhenStalled(res: ServerResponse, timeoutMs: number): void {
  if (timeoutMs === 0) return;
  const intervalMs = timeoutMs / pulses;
  let pulse = performance.now();
  let stoodAt = Number.NEGATIVE_INFINITY;
  const beat = () => {
    const now = performance.now();
    if (now - pulse > 2 * intervalMs) stoodAt = now;
    pulse = now;
    return now;
  };
  const timer = setInterval(beat, intervalMs).unref();
  res.once('close', () => clearInterval(timer));
  res.setTimeout(timeoutMs, () => {
    // nothing is ready: the reader waits for the service
    if (res.writableLength === 0) return;
    // timers run before sockets: just after the event loop was blocked, it is unknown what the reader has read
    if (beat() - stoodAt < timeoutMs) res.setTimeout(timeoutMs);
    else res.destroy();
  });
}
