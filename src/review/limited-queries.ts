/** Queries of a transaction that must be over in time. */
import type { Queryable } from '../db/database.ts';
import { StageError } from '../errors.ts';
import { sqlstateOf } from '../staging/session-lock.ts';

export interface QueryLimit {
  /** How long, from now on, statements may run. */
  readonly ms: number;
  /** A statement's own limit is set anew when so much of the time has passed. */
  readonly stepMs: number;
  /** What is said when the time is over. */
  readonly message: string;
  readonly hint: string;
}

/** Each statement may run for the time that is left; after it, or after `end`, none is sent any more. */
export class LimitedQueries implements Queryable {
  readonly #tx: Queryable;
  readonly #limit: QueryLimit;
  readonly #deadline: number;
  /** What the statements' limit was set to last. */
  #setTo = Number.POSITIVE_INFINITY;
  #ending: Error | null = null;

  constructor(tx: Queryable, limit: QueryLimit) {
    this.#tx = tx;
    this.#limit = limit;
    this.#deadline = performance.now() + limit.ms;
  }

  /** @throws StageError `took_too_long` when the time is over, or what `end` was given */
  async query(text: string, values?: readonly (string | number | null)[]) {
    await this.#limitStatement();
    try {
      return await this.#tx.query(text, values);
    } catch (error) {
      // a connection that was ended says other things
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
