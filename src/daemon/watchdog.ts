/**
 * The watchdog: a thread beside the event loop that ends the process when the loop has stood still for too long. Whoever starts
 * the service starts it anew; PostgreSQL rolls back what its lost connections were doing.
 */
import { once } from 'node:events';
import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { compiledProgram } from '../compiled.ts';
import type { LogFormat, LogLevel } from '../log.ts';

/** What the thread is given. */
export interface Watch {
  /** Counts on as long as the event loop turns. */
  readonly beats: SharedArrayBuffer;
  readonly intervalMs: number;
  /** After so many intervals without a beat the process is ended. */
  readonly patience: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

const usual = { intervalMs: 1_000, patience: 30 };

/**
 * Starts to watch over the event loop of this thread; not in a debugger, which stops it on purpose.
 * @returns what ends the watch, once it is on
 */
export async function startWatchdog(
  log: Pick<Watch, 'logLevel' | 'logFormat'>,
  limits: Pick<Watch, 'intervalMs' | 'patience'> = usual,
): Promise<() => void> {
  if (debuggerUrl() !== undefined) return () => undefined;
  const beats = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const counter = new Int32Array(beats);
  const timer = setInterval(() => Atomics.add(counter, 0, 1), limits.intervalMs / 2).unref();
  const watch: Watch = { beats, ...limits, ...log };
  const worker = new Worker(compiledProgram('daemon/watchdog-thread.js'), {
    workerData: watch,
    name: 'watchdog',
  });
  await once(worker, 'message');
  worker.unref();
  return () => {
    clearInterval(timer);
    void worker.terminate();
  };
}
