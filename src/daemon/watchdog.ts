/**
 * The watchdog: a thread that ends the process when the event loop was blocked for too long. A supervisor then restarts the
 * service; PostgreSQL rolls back the transactions of the lost connections.
 */
import { once } from 'node:events';
import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { compiledProgram } from '../compiled.ts';
import type { LogFormat, LogLevel } from '../log.ts';

/** The data that the thread gets. */
export interface Heartbeat {
  /** A counter that grows while the event loop runs. */
  readonly beats: SharedArrayBuffer;
  readonly intervalMs: number;
  /** Number of intervals without a beat after which the process is ended. */
  readonly patience: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

const usual = { intervalMs: 1_000, patience: 30 };

/**
 * Starts to monitor the event loop of this thread, except under a debugger, which blocks it on purpose.
 * @returns a function that ends the monitoring, once the thread runs
 */
export async function startWatchdog(
  log: Pick<Heartbeat, 'logLevel' | 'logFormat'>,
  limits: Pick<Heartbeat, 'intervalMs' | 'patience'> = usual,
): Promise<() => void> {
  if (debuggerUrl() !== undefined) return () => undefined;
  const beats = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const counter = new Int32Array(beats);
  const timer = setInterval(() => Atomics.add(counter, 0, 1), limits.intervalMs / 2).unref();
  const heartbeat: Heartbeat = { beats, ...limits, ...log };
  const worker = new Worker(compiledProgram('daemon/watchdog-thread.js'), {
    workerData: heartbeat,
    name: 'watchdog',
  });
  await once(worker, 'message');
  worker.unref();
  return () => {
    clearInterval(timer);
    void worker.terminate();
  };
}
