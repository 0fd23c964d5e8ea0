/** Queries of a transaction with a time limit. */
import type { Queryable } from '../db/database.ts';
import { StageError } from '../errors.ts';
import { sqlstateOf } from '../staging/session-lock.ts';

export interface QueryLimit {
  /** How long statements may run from now on. */
  readonly ms: number;
  /** How much time passes before `statement_timeout` is set again. */
  readonly stepMs: number;
  /** The message and hint of the error when the time is over. */
  readonly message: string;
  readonly hint: string;
}

/**
 * Runs queries until a deadline. Each statement may run for the remaining time. After the deadline, or after `end`, no statement is sent.
 */
export class LimitedQueries implements Queryable {
  readonly #tx: Queryable;
  readonly #limit: QueryLimit;
  readonly #deadline: number;
  /** The last value of `statement_timeout`. */
  #setTo = Number.POSITIVE_INFINITY;
  #ending: Error | null = null;

  constructor(tx: Queryable, limit: QueryLimit) {
    this.#tx = tx;
    this.#limit = limit;
    this.#deadline = performance.now() + limit.ms;
  }

  /** Runs a statement. @throws StageError `took_too_long` when the time is over, or the error that `end` was called with */
  async query(text: string, values?: readonly (string | number | null)[]) {
    await this.#limitStatement();
    try {
      return await this.#tx.query(text, values);
    } catch (error) {
      // a connection that was terminated reports other errors
      throw sqlstateOf(error) === '57014' || this.#leftMs() <= 0 ? this.tookTooLong(error) : error;
    }
  }

  end(error: Error): void {
    this.#ending ??= error;
  }

  tookTooLong(cause?: unknown): StageError {
    const { message, hint } = this.#limit;
    return new StageError('took_too_long', message, { hint, cause });
  }

  #leftMs(): number {
    return Math.round(this.#deadline - performance.now());
  }

  async #limitStatement(): Promise<void> {
    this.#demandTime();
    const left = this.#leftMs();
    if (this.#setTo - left < this.#limit.stepMs) return;
    this.#setTo = left;
    await this.#tx.query(`SET LOCAL statement_timeout = ${left}`);
    this.#demandTime();
  }

  #demandTime(): void {
    if (this.#ending !== null) throw this.#ending;
    if (this.#leftMs() <= 0) throw this.tookTooLong();
  }
}
