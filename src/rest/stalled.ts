/** Ends answers of which nothing is taken: each holds memory, and a diff a snapshot in the database. */
import type { ServerResponse } from 'node:http';

/** So often within the time it is seen to that the event loop turns. */
const pulses = 6;

/**
 * Ends an answer when its reader takes nothing of what waits for it.
 * @param timeoutMs how long it may take nothing; 0 for ever
 */
export function endWhenStalled(res: ServerResponse, timeoutMs: number): void {
  if (timeoutMs === 0) return;
  const intervalMs = timeoutMs / pulses;
  let pulse = performance.now();
  let stoodAt = Number.NEGATIVE_INFINITY;
  const look = () => {
    const now = performance.now();
    if (now - pulse > 2 * intervalMs) stoodAt = now;
    pulse = now;
    return now;
  };
  const timer = setInterval(look, intervalMs).unref();
  res.once('close', () => clearInterval(timer));
  res.setTimeout(timeoutMs, () => {
    // where nothing waits for the reader, the reader waits for us
    if (res.writableLength === 0) return;
    // timers come before sockets: where the loop has stood, nobody knows yet what the reader has taken
    if (look() - stoodAt < timeoutMs) res.setTimeout(timeoutMs);
    else res.destroy();
  });
}
