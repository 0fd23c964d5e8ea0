/** The answers that are still to come, in order. After an error in the extended protocol the server skips what it is sent, up to Sync. */
import type { PendingResponse } from './pending-response.ts';

export class ExpectedAnswers {
  private readonly queue: PendingResponse[] = [];
  /** The server skips, and the Sync that ends it has yet to be sent. */
  private isSkipping = false;

  /** What the server answers next. */
  get head(): PendingResponse | undefined {
    return this.queue[0];
  }

  /**
   * To be called for each message that is sent.
   * @returns false for one that the server will skip: it is given up at once, as if it had been sent before the error
   */
  add(pending: PendingResponse): boolean {
    if (pending.asked === 'sync') this.isSkipping = false;
    // guard: no answer is expected to what the server skips
    if (this.isSkipping) {
      pending.onFailure?.();
      return false;
    }
    this.queue.push(pending);
    return true;
  }

  /** Takes the first one out: it has been answered. */
  take(): PendingResponse | undefined {
    return this.queue.shift();
  }

  /** Takes out all that the server skips after an error, the last one first: what was done on the assumption of success is undone. */
  skipToSync(): PendingResponse[] {
    const next = this.queue.findIndex(({ asked }) => asked === 'sync');
    this.isSkipping = next === -1;
    return this.queue.splice(0, this.isSkipping ? this.queue.length : next).reverse();
  }
}
