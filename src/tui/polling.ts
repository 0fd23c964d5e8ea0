/** Reads something again and again, with pauses, until the review ends. */
import { setTimeout as delay } from 'node:timers/promises';

export interface PollingOptions {
  /** Ends the polling. */
  readonly signal: AbortSignal;
  /** Called with what a read or a pause threw, unless it was aborted. */
  readonly failed: (error: unknown) => void;
}

export class Polling {
  readonly #options: PollingOptions;
  #hurry = new AbortController();

  constructor(options: PollingOptions) {
    this.#options = options;
  }

  /** Ends all pauses, and makes the reads that are under way void: their signal is aborted. */
  hurry(): void {
    this.#hurry.abort();
    this.#hurry = new AbortController();
  }

  /**
   * Reads and waits in turn; after an error it waits for a fixed time. A read whose signal is aborted when its answer arrives must not
   * use it: the answer may be older than the outcome of a request.
   */
  async run(
    every: number,
    read: (signal: AbortSignal) => Promise<void>,
    wait: (readMs: number, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { signal, failed } = this.#options;
    while (!signal.aborted) {
      const start = Date.now();
      const either = AbortSignal.any([signal, this.#hurry.signal]);
      try {
        await read(either);
        await wait(Date.now() - start, either);
      } catch (error) {
        if (signal.aborted) return;
        if (either.aborted) continue;
        failed(error);
        await delay(every, undefined, { signal: either }).catch(() => undefined);
      }
    }
  }
}
