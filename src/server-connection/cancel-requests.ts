/**
 * The client's cancel requests. Each one is passed on at once. PostgreSQL discards it when the running statement ends, whatever the
 * outcome. So the code that would silently run a failed statement again must check for a request.
 */
import type { ErrorFields } from '../wire/error-fields.ts';
import { errorFields } from '../wire/error-fields.ts';

export class CancelRequests {
  private count = 0;

  /** Counts a request. Call it before the request is passed on. */
  note(): void {
    this.count += 1;
  }

  /** Starts to monitor requests. Returns a function that reports whether any has arrived since. */
  track(): () => boolean {
    const before = this.count;
    return () => this.count > before;
  }
}

/** The error for a statement that was cancelled between two tries. */
export const cancelled: ErrorFields = errorFields('ERROR', {
  sqlstate: '57014',
  message: 'canceling statement due to user request',
});
