/** Sends statements to the parser's process, one at a time, and abandons those that take too long. */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compiledProgram } from '../compiled.ts';
import type { Aids } from './aids.ts';
import { noAids } from './aids.ts';

/** The longest statement to parse, in characters, and the longest wait, in milliseconds. */
const longestQuery = 10_000;
const patienceMs = 5000;

export class AidsReader {
  #worker: ChildProcess | null = null;
  /** Whether the parser, which is an optional package, is missing. */
  #isMissing = false;
  #last: Promise<unknown> = Promise.resolve();

  /** Parses a statement. Returns `noAids` if it cannot be parsed. */
  read(query: string): Promise<Aids> {
    const answer = this.#last.then(() => this.#ask(query));
    this.#last = answer;
    return answer;
  }

  close(): void {
    this.#worker?.kill('SIGKILL');
    this.#worker = null;
  }

  async #ask(query: string): Promise<Aids> {
    if (query.length > longestQuery || this.#isMissing) return noAids;
    const worker = this.#worker ?? (await this.#start());
    if (worker.exitCode !== null) {
      this.#isMissing = true;
      this.close();
      return noAids;
    }
    return new Promise((resolve) => {
      const settle = (aids: Aids, broken: boolean) => {
        clearTimeout(timer);
        worker.removeAllListeners();
        if (broken) this.close();
        resolve(aids);
      };
      const timer = setTimeout(() => settle(noAids, true), patienceMs);
      worker.once('message', (aids) => settle(aids as Aids, false));
      worker.once('error', () => settle(noAids, true));
      worker.once('exit', () => settle(noAids, true));
      worker.send(query);
    });
  }

  async #start(): Promise<ChildProcess> {
    const worker = startWorker();
    this.#worker = worker;
    await new Promise<void>((resolve) => {
      for (const event of ['message', 'error', 'exit']) worker.once(event, () => resolve());
    });
    return worker;
  }
}

function startWorker(): ChildProcess {
  const program = fileURLToPath(compiledProgram('tui/aids-worker.js'));
  const worker = fork(program, { stdio: 'ignore' });
  worker.unref();
  worker.channel?.unref();
  return worker;
}
