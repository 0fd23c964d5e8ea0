/** Runs a write again, unseen by the client, when the names or rows that it relied on have changed. */

import type { Names } from '../rewrite/relation-names.ts';
import type { CancelRequests } from '../server-connection/cancel-requests.ts';
import { gaveUp, withoutAgain } from '../server-connection/copy-in.ts';
import { rowByRow, rowChanged, staleNames } from '../server-connection/error-mapping.ts';
import type { Begun, FreshBlock } from '../server-connection/fresh-block.ts';
import type { ErrorHandler } from '../server-connection/pending-response.ts';
import { PendingResponse } from '../server-connection/pending-response.ts';
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import type { ResponseRouter } from '../server-connection/response-router.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import type { Message } from '../wire/framer.ts';
import type { BufferedMessage } from './retry-buffer.ts';
import { needed, RetryBuffer } from './retry-buffer.ts';
import { failedInOverlay, isByPolicy, isInterrupt, without } from './retry-errors.ts';

/**
 * The limits on tries. Names rarely change. Writers of a contended row wait in turn, and one of them succeeds each time. Each try of a
 * set moves one more statement to row-by-row staging, so it needs no limit.
 */
const maxTries = { names: 1, rows: 100, set: Number.POSITIVE_INFINITY } as const;
type Reason = keyof typeof maxTries;
const noTries: Readonly<Record<Reason, number>> = { names: 0, rows: 0, set: 0 };

/** The possible causes of an error that another try may avoid. */
interface Cause {
  /** Whether changed names could have caused an error, beyond those that they always may cause. */
  readonly mayBeStale?: (sqlstate: string) => boolean;
  /** The message that has failed. Another try must begin with it, or before it. */
  readonly message?: Message;
  /** Switches to staging the rows one by one, if they are staged as a set. The next try then yields PostgreSQL's own error. */
  readonly stageRowByRow?: (() => void) | null;
}

/** The start of another try: the block, the savepoint before the statement, or a batch that only reads. */
type Scope = 'block' | 'savepoint' | 'read';

/**
 * Decides on other tries. It is armed while the client has seen no result of what would be rolled back, so that this can be run again.
 * In the client's own transaction and without a savepoint, only the client can do that: it gets 40001.
 */
export class Retry {
  private readonly router: ResponseRouter;
  private readonly names: Names;
  private readonly fresh: FreshBlock;
  private armedScope: Scope | null = null;
  /** How the block to roll back was begun, if it is the client's. */
  begun: Begun | null = null;
  private wanted = false;
  private readonly buffered = new RetryBuffer();
  private tries: Record<Reason, number> = { ...noTries };
  /** The row whose change made the last try fail, as the error names it. */
  private contended: string | null = null;
  /** The last error inside an overlay. If it recurs, changed names are not the cause, and another try would fail as well. */
  private failedLast: string | null = null;
  /** Another try is the next to be armed. */
  private isAgain = false;
  private hidesResponse = false;
  private readonly cancels: CancelRequests;
  /** Whether the client has sent a cancel request since the first try began. */
  private hasCancelled = () => false;

  constructor(router: ResponseRouter, names: Names, cancels: CancelRequests, fresh: FreshBlock) {
    this.router = router;
    this.names = names;
    this.fresh = fresh;
    this.cancels = cancels;
  }

  /** Whether the client has cancelled during the tries. PostgreSQL discarded the request together with the failed try. */
  get isCancelled(): boolean {
    return this.hasCancelled();
  }

  get isWanted(): boolean {
    return this.wanted;
  }

  /** The scope that another try would roll back; null when none is possible. */
  get scope(): Scope | null {
    return this.armedScope;
  }

  /** Whether a part of the block, behind a savepoint, may be run again alone. */
  get retainsBlock(): boolean {
    return this.armedScope === 'savepoint' || this.buffered.isProtected;
  }

  /** Whether the retry is armed and no statement has been executed since. */
  get isFresh(): boolean {
    return this.armedScope !== null && !this.buffered.hasExecute;
  }

  /** Returns, once, the row to wait for before the next try. */
  takeContended(): string | null {
    const { contended } = this;
    this.contended = null;
    return contended;
  }

  /** Ends the series of tries, armed or not. Call it after a try: the next statement has tries of its own. */
  endTries(): void {
    this.isAgain = false;
    this.hasCancelled = () => false;
  }

  /**
   * Arms the retry when an internal block is opened or a savepoint set, or for a client's block in which nothing has run. A try restarts
   * that block.
   * @param message buffered for another try, if given
   */
  arm(scope: Scope, message?: Message): void {
    if (this.armedScope === null && !this.isAgain) {
      this.tries = { ...noTries };
      this.hasCancelled = this.cancels.track();
      this.failedLast = null;
    }
    this.isAgain = false;
    if (scope === 'block' || this.armedScope === null) {
      this.disarm();
      this.begun = this.fresh.begun;
    }
    this.armedScope ??= scope;
    if (message !== undefined) this.push(message, scope === 'savepoint');
  }

  /** Disarms the retry: the client has seen a result, or the block is over. */
  disarm(): void {
    this.armedScope = null;
    this.begun = null;
    this.buffered.clear();
  }

  /** Buffers a message of the extended protocol to be handled again. */
  buffer(message: Message): void {
    if (this.armedScope !== null && this.buffered.last?.message !== message)
      this.push(message, false);
  }

  /** Returns whether a message fits into the buffer beside the others. */
  fits(message: Message): boolean {
    return this.buffered.fits(message);
  }

  private push(message: Message, isProtected: boolean): void {
    if (!this.buffered.push(message, isProtected)) this.disarm();
  }

  /**
   * Returns the expected response for the client's message that was buffered last. While armed, it tracks the responses that the client
   * has received, so that another try does not repeat them.
   * @param expected the response as it would be shown
   * @param bound for a Bind: the statement that it is of, if that is known
   */
  track(expected: PendingResponse, bound: PreparedStatement | null = null): PendingResponse {
    const { last: entry } = this.buffered;
    if (entry === undefined && !this.hidesResponse) return expected;
    const shown = this.hidesResponse ? 'nothing' : 'all';
    const { request } = expected;
    // guard: a block with a portal of the client is not restarted unseen
    if (this.hidesResponse && request === 'bind') this.fresh.noteRestored();
    if (entry === undefined) return new PendingResponse(request, shown, expected);
    entry.isExecute = request === 'execute';
    entry.statement = bound;
    const onDone = (payload: Buffer) => {
      expected.onDone?.(payload);
      if (this.wanted) return;
      entry.hasResponse = true;
      if (entry.isExecute) this.restart();
      else if (this.armedScope === null) this.proceed();
    };
    return new PendingResponse(request, shown, { onDone }, expected);
  }

  /** Notes the response to a Sync after which the transaction continues. */
  noteReady(): void {
    const { last } = this.buffered;
    if (last !== undefined && !this.wanted) last.hasResponse = true;
    if (this.armedScope === 'read' && !this.wanted) this.disarm();
  }

  /** Handles a shown result: only what follows the next savepoint can be run again. */
  private restart(): void {
    const rest = this.buffered.behindExecuted();
    this.disarm();
    if (!rest.some(({ isProtected }) => isProtected)) return;
    this.buffered.reset(rest);
    this.proceed();
  }

  /** Arms the retry again as soon as the server reaches the savepoint next. */
  private proceed(): void {
    if (this.buffered.reachesSavepoint()) this.armedScope = 'savepoint';
  }

  /** Wraps the error handler of a step so that it hides an error that another try may avoid. */
  before(handler: ErrorHandler, cause: Cause = {}) {
    return (fields: ErrorFields): Buffer | null => {
      // Statements that still run in the failed block fail with it.
      if (this.wanted) return null;
      const decision = this.decide(fields, cause);
      // The rest of the batch must have been sent. Otherwise it ends only after more messages of the client.
      const canRunAgain =
        this.armedScope !== null && this.router.awaited > 0 && this.buffered.has(cause.message);
      const { reason } = decision;
      // guard: a statement that the client has cancelled is not retried
      if (this.hasCancelled() && ((canRunAgain && reason !== null) || gaveUp(fields))) {
        this.disarm();
        return handler(withoutAgain(fields));
      }
      if (!canRunAgain || reason === null || this.tries[reason] === maxTries[reason]) {
        this.disarm();
        return handler(decision.fields);
      }
      this.tries[reason] += 1;
      this.contended = reason === 'rows' ? fields.get('D') || null : null;
      this.repeat(this.armedScope === 'read');
      return null;
    };
  }

  /**
   * Hides the last batch, and tries it again.
   * @param usedStandIns whether it only reads, and has locked stand-ins that may have to be rebuilt
   */
  repeat(usedStandIns: boolean): void {
    this.wanted = true;
    if (usedStandIns) this.fresh.noteStale();
    this.router.close();
  }

  /** Decides whether another try may succeed, and discards names that it must not use. Returns the reason, or null. */
  private decide(
    fields: ErrorFields,
    { mayBeStale, stageRowByRow }: Cause,
  ): { readonly fields: ErrorFields; readonly reason: Reason | null } {
    if (failedInOverlay(fields)) {
      const message = fields.get('M') ?? '';
      const isAgain = this.failedLast === message;
      this.failedLast = message;
      this.names.suspectOverlays();
      this.names.forget();
      // guard: an error that repeats is not reported as one that a retry may cure
      if (!isAgain) return { fields: new Map(fields).set('C', staleNames), reason: 'names' };
    }
    const sqlstate = fields.get('C') ?? '';
    if (sqlstate === rowChanged) return { fields, reason: 'rows' };
    const isStale = mayBeStale?.(sqlstate) === true || sqlstate === staleNames;
    if (isStale) this.names.forget();
    if (isStale || !stageRowByRow) return { fields, reason: isStale ? 'names' : null };
    // the context of a COPY names the internal table for sets
    // guard: a statement that the policy has refused is not staged again row by row
    if (isByPolicy(fields)) return { fields: without('W', fields), reason: null };
    if (isInterrupt(fields)) return { fields: without('W', fields), reason: null };
    stageRowByRow();
    // of an internal index: only another try yields PostgreSQL's own error
    const isInternal = fields.get('s') === 'stage_data';
    return { fields: isInternal ? new Map(fields).set('C', rowByRow) : fields, reason: 'set' };
  }

  /** Starts another try if one is wanted, and reopens the router. Returns the messages to handle again, or null. */
  take(): readonly BufferedMessage[] | null {
    if (!this.wanted) return null;
    const buffered = this.buffered.take();
    this.wanted = false;
    this.isAgain = true;
    this.disarm();
    this.router.reopen();
    return buffered;
  }

  /**
   * Handles the buffered messages again, if wanted. Statements that were prepared or described before remain valid.
   * @param handle gets the statement of a Bind to which the client already has the response, if it is known
   */
  async replay(
    handle: (message: Message, bound: PreparedStatement | null) => Promise<void>,
  ): Promise<void> {
    try {
      for (const { message, hasResponse, statement } of needed(this.take() ?? [])) {
        this.hidesResponse = hasResponse;
        await handle(message, hasResponse ? statement : null);
        this.hidesResponse = false;
      }
    } finally {
      this.endTries();
    }
  }
}
