/** The client's transaction block as long as nothing of the client's has run in it: it can be begun anew, and the client does not see it. */
import type { PendingResponse } from './pending-response.ts';
import type { Access } from './transaction-table.ts';
import type { UpstreamText } from './upstream-text.ts';

/** How a block was begun. */
export interface Begun {
  readonly text: () => UpstreamText;
  readonly access: Access;
}

/** What would be lost with the block. */
const losses: ReadonlySet<PendingResponse['asked']> = new Set(['bind', 'execute', 'query']);

export class FreshBlock {
  private how: Begun | null = null;
  private locksStale = false;

  /** How the block was begun; null where it is not fresh. */
  get begun(): Begun | null {
    return this.how;
  }

  /** To be called when the client's BEGIN has been sent outside of a block. */
  begin(begun: Begun): void {
    this.how = begun;
  }

  /** To be called for each message that is sent. */
  note({ asked, shown }: PendingResponse): void {
    if (shown !== 'nothing' && losses.has(asked)) this.how = null;
  }

  /** To be called when a read turns out to have gone to what does not stand for its tables any more, in a block that has to stay. */
  noteStale(): void {
    this.locksStale = true;
  }

  /** Whether the block has locked what may have to be made anew: who makes it would wait for the end of the block. */
  get hasStale(): boolean {
    return this.locksStale;
  }

  /** To be called when no block is open. */
  end(): void {
    this.how = null;
    this.locksStale = false;
  }
}
