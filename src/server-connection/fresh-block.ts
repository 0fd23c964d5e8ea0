/**
 * The client's transaction block while none of the client's statements has run in it. Such a block can be restarted unseen by the client.
 */
import type { PendingResponse } from './pending-response.ts';
import type { Access } from './transaction-table.ts';
import type { UpstreamText } from './upstream-text.ts';

/** How a block was begun. */
export interface Begun {
  readonly text: () => UpstreamText;
  readonly access: Access;
}

/** Messages whose effects would be lost with the block. */
const losses: ReadonlySet<PendingResponse['request']> = new Set(['bind', 'execute', 'query']);

export class FreshBlock {
  private how: Begun | null = null;
  private locksStale = false;

  /** How the block was begun; null when it is not fresh. */
  get begun(): Begun | null {
    return this.how;
  }

  /** Notes that the client's BEGIN has been sent outside of a block. */
  begin(begun: Begun): void {
    this.how = begun;
  }

  /** Notes a message that is sent. */
  note({ request, shown }: PendingResponse): void {
    if (shown !== 'nothing' && losses.has(request)) this.how = null;
  }

  /** Notes that a portal of the client was restored in the block, which hides the response. */
  noteRestored(): void {
    this.how = null;
  }

  /** Notes that a read used a stand-in that is no longer valid, in a block that cannot be restarted. */
  noteStale(): void {
    this.locksStale = true;
  }

  /** Whether the block has locked a stand-in that may have to be rebuilt. The rebuild would wait for the end of the block. */
  get hasStale(): boolean {
    return this.locksStale;
  }

  /** Notes that no block is open. */
  end(): void {
    this.how = null;
    this.locksStale = false;
  }
}
