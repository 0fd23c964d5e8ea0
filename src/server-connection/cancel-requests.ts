/**
 * The client's cancel requests. Each is passed on at once, and PostgreSQL forgets it when the statement that runs ends, however that
 * ends: so a statement that has failed, and would be run again unseen, must know of it.
 */
import type { ErrorFields } from '../wire/error-fields.ts';
import { errorFields } from '../wire/error-fields.ts';

export class CancelRequests {
  private count = 0;

  /** To be called before one is passed on. */
  note(): void {
    this.count += 1;
  }

  /** Begins to watch; gives what says whether any has come since. */
  watch(): () => boolean {
    const before = this.count;
    return () => this.count > before;
  }
}

/** What is told of a statement that was cancelled between two tries. */
export const cancelled: ErrorFields = errorFields('ERROR', {
  sqlstate: '57014',
  message: 'canceling statement due to user request',
});
