/** The queue of expected responses. After an error in the extended protocol, the server skips messages up to the Sync. */
import type { PendingResponse } from './pending-response.ts';

/** So many entries stay in memory after they were taken, unless more are waiting. */
const mostTaken = 256;

export class ExpectedResponses {
  private readonly queue: PendingResponse[] = [];
  /** The index of the first entry. Those before it were taken: a shift of a long array takes time for each of its entries. */
  private first = 0;
  /** The server is skipping messages, and the Sync that ends this has not been sent yet. */
  private isSkipping = false;

  /** The server's next expected response. */
  get head(): PendingResponse | undefined {
    return this.queue[this.first];
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
    const taken = this.head;
    if (taken !== undefined) this.moveTo(this.first + 1);
    return taken;
  }

  /**
   * Removes the entries that the server skips after an error, the last one first, so that their assumed effects are undone in reverse
   * order.
   */
  skipToSync(): PendingResponse[] {
    let next = this.first;
    while (next < this.queue.length && this.queue[next]?.request !== 'sync') next += 1;
    const skipped = this.queue.slice(this.first, next).reverse();
    this.isSkipping = next === this.queue.length;
    this.moveTo(next);
    return skipped;
  }

  private moveTo(first: number): void {
    const isMostlyTaken = first >= mostTaken && first * 2 >= this.queue.length;
    if (isMostlyTaken) this.queue.splice(0, first);
    this.first = isMostlyTaken ? 0 : first;
  }
}
