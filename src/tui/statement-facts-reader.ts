/** Sends statements to the parser's process, one at a time, and abandons those that take too long. */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compiledProgram } from '../compiled.ts';
import type { StatementFacts } from './statement-facts.ts';
import { noFacts } from './statement-facts.ts';

/** The longest statement to parse, in characters, and the longest wait, in milliseconds. */
const longestQuery = 10_000;
const patienceMs = 5000;

export class StatementFactsReader {
  #worker: ChildProcess | null = null;
  /** Whether the parser, which is an optional package, is missing. */
  #isMissing = false;
  #last: Promise<unknown> = Promise.resolve();

  /** Parses a statement. Returns `noFacts` if it cannot be parsed. */
  read(query: string): Promise<StatementFacts> {
    const answer = this.#last.then(() => this.#request(query));
    this.#last = answer;
    return answer;
  }

  close(): void {
    this.#worker?.kill('SIGKILL');
    this.#worker = null;
  }

  async #request(query: string): Promise<StatementFacts> {
    if (query.length > longestQuery || this.#isMissing) return noFacts;
    const worker = this.#worker ?? (await this.#start());
    if (worker.exitCode !== null) {
      this.#isMissing = true;
      this.close();
      return noFacts;
    }
    return new Promise((resolve) => {
      const settle = (facts: StatementFacts, broken: boolean) => {
        clearTimeout(timer);
        worker.removeAllListeners();
        if (broken) this.close();
        resolve(facts);
      };
      const timer = setTimeout(() => settle(noFacts, true), patienceMs);
      worker.once('message', (facts) => settle(facts as StatementFacts, false));
      worker.once('error', () => settle(noFacts, true));
      worker.once('exit', () => settle(noFacts, true));
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
  const program = fileURLToPath(compiledProgram('tui/statement-facts-worker.js'));
  const worker = fork(program, { stdio: 'ignore' });
  worker.unref();
  worker.channel?.unref();
  return worker;
}
