/** The queue of expected responses. After an error in the extended protocol, the server skips messages up to the Sync. */
import type { PendingResponse } from './pending-response.ts';

export class ExpectedResponses {
  private readonly queue: PendingResponse[] = [];
  /** The server is skipping messages, and the Sync that ends this has not been sent yet. */
  private isSkipping = false;

  /** The server's next expected response. */
  get head(): PendingResponse | undefined {
    return this.queue[0];
  }

  /**
   * Adds the response to a message that is sent.
   * @returns false for a message that the server will skip: it fails at once, as if it had been sent before the error
   */
  add(pending: PendingResponse): boolean {
    if (pending.request === 'sync') this.isSkipping = false;
    // guard: no response is expected to a message that the server skips
    if (this.isSkipping) {
      pending.onFailure?.();
      return false;
    }
    this.queue.push(pending);
    return true;
  }

  /** Removes the first entry, whose response is complete. */
  take(): PendingResponse | undefined {
    return this.queue.shift();
  }

  /**
   * Removes the entries that the server skips after an error, the last one first, so that their assumed effects are undone in reverse
   * order.
   */
  skipToSync(): PendingResponse[] {
    const next = this.queue.findIndex(({ request }) => request === 'sync');
    this.isSkipping = next === -1;
    return this.queue.splice(0, this.isSkipping ? this.queue.length : next).reverse();
  }
}
