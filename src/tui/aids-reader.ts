/** Asks the parser's thread about statements, one at a time, and gives a statement up that takes too long. */
import { Worker } from 'node:worker_threads';
import type { Aids } from './aids.ts';
import { noAids } from './aids.ts';

/** Longer statements are not worth the risk; nor is waiting longer. */
const longestQuery = 10_000;
const patienceMs = 2000;

export class AidsReader {
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** Reads a statement; what cannot be read has no aids. */
  read(query: string): Promise<Aids> {
    const answer = this.#last.then(() => this.#ask(query));
    this.#last = answer;
    return answer;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = null;
  }

  #ask(query: string): Promise<Aids> {
    if (query.length > longestQuery) return Promise.resolve(noAids);
    this.#worker ??= startWorker();
    const worker = this.#worker;
    return new Promise((resolve) => {
      const settle = (aids: Aids, broken: boolean) => {
        clearTimeout(timer);
        worker.removeAllListeners();
        if (broken) void this.close();
        resolve(aids);
      };
      const timer = setTimeout(() => settle(noAids, true), patienceMs);
      worker.once('message', (aids: Aids) => settle(aids, false));
      worker.once('error', () => settle(noAids, true));
      worker.once('exit', () => settle(noAids, true));
      worker.postMessage(query);
    });
  }
}

function startWorker(): Worker {
  // built or from its sources: beside this file, in the same language
  const file = `./aids-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`;
  const worker = new Worker(new URL(file, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  });
  worker.unref();
  return worker;
}
