/** The thread of the watchdog: looks whether the event loop of the main thread still turns. */
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { createLog } from '../log.ts';
import type { Watch } from './watchdog.ts';

const { beats, intervalMs, patience, logLevel, logFormat } = workerData as Watch;
const counter = new Int32Array(beats);
let last = Atomics.load(counter, 0);
// looks are counted, not seconds: where the whole process has stood still, as in a suspended machine, none was missed
let missed = 0;

setInterval(() => {
  const now = Atomics.load(counter, 0);
  missed = now === last ? missed + 1 : 0;
  last = now;
  if (missed >= patience) end();
}, intervalMs);
parentPort?.postMessage('watching');

/** No other way out of a thread ends the process while its main thread stands. */
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

/** Past the stream of the process, which its main thread writes. */
function write(line: string): void {
  writeSync(2, line);
}
