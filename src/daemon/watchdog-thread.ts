/** The watchdog's thread: checks whether the event loop of the main thread is blocked. */
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { createLog } from '../log.ts';
import type { Heartbeat } from './watchdog.ts';

const { beats, intervalMs, patience, logLevel, logFormat } = workerData as Heartbeat;
const counter = new Int32Array(beats);
let last = Atomics.load(counter, 0);
// counts checks, not seconds: while the whole process was suspended, no check was missed
let missed = 0;

setInterval(() => {
  const now = Atomics.load(counter, 0);
  missed = now === last ? missed + 1 : 0;
  last = now;
  if (missed >= patience) end();
}, intervalMs);
parentPort?.postMessage('watching');

/** Ends the process. A thread cannot end it in another way while the main thread is blocked. */
function end(): void {
  try {
    createLog(logLevel, { write }, logFormat).error('the event loop stands still: ending', {
      seconds: (missed * intervalMs) / 1000,
      hint: 'Start the service anew. What was not committed is rolled back; nothing that was staged is lost.',
    });
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}

/** Writes to file descriptor 2 directly, because the main thread serves the process's stream. */
function write(line: string): void {
  writeSync(2, line);
}
