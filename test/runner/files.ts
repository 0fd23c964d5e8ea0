/** Runs the test files that the runner names, one after the other in this process: starting a process costs more than most files. */
import { readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiled } from '../helpers/compiled.ts';
import { report } from '../helpers/suite.ts';

const environment = { ...process.env };
const channel = Number(environment['STAGE_TEST_REPORT']);
let files = 0;

// Nothing keeps the process running any more: the file has closed all that it opened. Only then is the next one read, in blocking mode.
process.on('beforeExit', () => {
  // The runner reports that the process has ended in this file.
  if (process.exitCode) return;
  if (files > 0) report({ event: 'ended', memory: process.memoryUsage.rss() });
  const request = Buffer.alloc(4096);
  const length = readSync(channel, request);
  if (length === 0) return;
  files += 1;
  const [path, id] = request.toString('utf8', 0, length).trim().split(' ');
  void run(path ?? '', id);
});

async function run(path: string, id: string | undefined): Promise<void> {
  // The previous file may have set variables for its own server.
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, { ...environment, STAGE_TEST_FILE: id });
  // Suites that have run stay in uvu's queue, and would run again.
  Object.assign(globalThis, { UVU_QUEUE: [[null]] });
  // Node 20's loader reads the type of the file that was examined last. After a socket or a pipe it does not resolve the link `.build/src`,
  // and would load modules of the product twice.
  statSync(compiled(path));
  await import(pathToFileURL(resolve(compiled(path))).href);
}
