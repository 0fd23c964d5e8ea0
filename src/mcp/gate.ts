/** Limits the statements that run at once: further calls wait, and too many are refused. */
import { StageError } from '../errors.ts';

const maxRunning = 8;
const maxWaiting = 64;

export class Gate {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Runs work as soon as the limit allows it. @throws StageError `too_many_connections` when too many wait */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < maxRunning) this.#running += 1;
    else await this.#turn();
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  /** Waits until a running call ends and passes its slot on. */
  #turn(): Promise<void> {
    // guard: only so many calls wait
    if (this.#waiting.length >= maxWaiting)
      throw new StageError('too_many_connections', 'too many calls at once');
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
