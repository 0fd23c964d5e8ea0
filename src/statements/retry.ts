/** Runs a write again, unseen by the client, when the names or rows that it relied on have changed. */

import type { Names } from '../rewrite/relation-names.ts';
import type { CancelRequests } from '../server-connection/cancel-requests.ts';
import { gaveUp, withoutAgain } from '../server-connection/copy-in.ts';
import { rowByRow, rowChanged, staleNames } from '../server-connection/error-mapping.ts';
import type { Begun, FreshBlock } from '../server-connection/fresh-block.ts';
import type { ErrorHandler } from '../server-connection/pending-response.ts';
import { PendingResponse } from '../server-connection/pending-response.ts';
import type { ResponseRouter } from '../server-connection/response-router.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import type { Message } from '../wire/framer.ts';
import { frontend } from '../wire/message-codes.ts';
import { failedInOverlay, isByPolicy, isInterrupt, without } from './retry-errors.ts';

/** The limit on the bytes of messages that are buffered for another try. */
const maxBufferedBytes = 4 * 1024 * 1024;

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

interface BufferedMessage {
  readonly message: Message;
  /** The client has received its response. */
  hasResponse: boolean;
  /** It runs a statement. */
  isExecute: boolean;
  /** A savepoint was set before it. */
  readonly isProtected: boolean;
}

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
  private buffered: BufferedMessage[] = [];
  private bufferedBytes = 0;
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
    return this.armedScope === 'savepoint' || this.buffered.some(({ isProtected }) => isProtected);
  }

  /** Whether the retry is armed and no statement has been executed since. */
  get isFresh(): boolean {
    return this.armedScope !== null && !this.buffered.some(({ isExecute }) => isExecute);
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
    if (scope === 'block' || this.armedScope === null) this.disarm();
    this.armedScope ??= scope;
    this.begun = this.fresh.begun;
    if (message !== undefined) this.push(message, scope === 'savepoint');
  }

  /** Disarms the retry: the client has seen a result, or the block is over. */
  disarm(): void {
    this.armedScope = null;
    this.begun = null;
    if (this.buffered.length > 0) this.buffered = [];
    this.bufferedBytes = 0;
  }

  /** Buffers a message of the extended protocol to be handled again. */
  buffer(message: Message): void {
    if (this.armedScope !== null && this.buffered.at(-1)?.message !== message)
      this.push(message, false);
  }

  /** Returns whether a message fits into the buffer beside the others. */
  fits({ frame }: Message): boolean {
    return this.bufferedBytes + frame.length <= maxBufferedBytes;
  }

  private hasBuffered(message: Message | undefined): boolean {
    return message === undefined || this.buffered.some((entry) => entry.message === message);
  }

  private push(message: Message, isProtected: boolean): void {
    this.bufferedBytes += message.frame.length;
    if (this.buffered.at(-1)?.message === message) this.buffered.pop();
    if (this.bufferedBytes > maxBufferedBytes) this.disarm();
    else this.buffered.push({ message, hasResponse: false, isExecute: false, isProtected });
  }

  /**
   * Returns the expected response for the client's message that was buffered last. While armed, it tracks the responses that the client
   * has received, so that another try does not repeat them.
   * @param expected the response as it would be shown
   */
  track(expected: PendingResponse): PendingResponse {
    if (this.buffered.length === 0 && !this.hidesResponse) return expected;
    const shown = this.hidesResponse ? 'nothing' : 'all';
    const entry = this.buffered.at(-1);
    const { request } = expected;
    if (entry === undefined) return new PendingResponse(request, shown, expected);
    entry.isExecute = request === 'execute';
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
    const entry = this.buffered.at(-1);
    if (entry !== undefined && !this.wanted) entry.hasResponse = true;
    if (this.armedScope === 'read' && !this.wanted) this.disarm();
  }

  /** Handles a shown result: only what follows the next savepoint can be run again. */
  private restart(): void {
    const executed = this.buffered.findLastIndex((entry) => entry.isExecute && entry.hasResponse);
    const rest = this.buffered.slice(executed + 1);
    this.disarm();
    if (!rest.some(({ isProtected }) => isProtected)) return;
    this.buffered = rest;
    this.bufferedBytes = rest.reduce((sum, { message }) => sum + message.frame.length, 0);
    this.proceed();
  }

  /** Arms the retry again as soon as the server reaches the savepoint next. */
  private proceed(): void {
    while (this.buffered[0]?.hasResponse && !this.buffered[0].isProtected) this.buffered.shift();
    if (this.buffered[0]?.isProtected) this.armedScope = 'savepoint';
  }

  /** Wraps the error handler of a step so that it hides an error that another try may avoid. */
  before(handler: ErrorHandler, cause: Cause = {}) {
    return (fields: ErrorFields): Buffer | null => {
      // Statements that still run in the failed block fail with it.
      if (this.wanted) return null;
      const decision = this.decide(fields, cause);
      // The rest of the batch must have been sent. Otherwise it ends only after more messages of the client.
      const canRunAgain =
        this.armedScope !== null && this.router.awaited > 0 && this.hasBuffered(cause.message);
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
      this.wanted = true;
      this.router.close();
      return null;
    };
  }

  /** Hides the last batch, which only reads, and tries it again because names in it have changed. */
  repeat(): void {
    this.wanted = true;
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
    const isStale = sqlstate === staleNames || mayBeStale?.(sqlstate) === true;
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
    const { buffered } = this;
    this.wanted = false;
    this.isAgain = true;
    this.disarm();
    this.router.reopen();
    return buffered;
  }

  /** Handles the buffered messages again, if wanted. Statements that were prepared or described before remain valid. */
  async replay(handle: (message: Message) => Promise<void>): Promise<void> {
    try {
      for (const { message, hasResponse } of this.take() ?? []) {
        if (hasResponse && message.type !== frontend.bind) continue;
        this.hidesResponse = hasResponse;
        await handle(message);
        this.hidesResponse = false;
      }
    } finally {
      this.endTries();
    }
  }
}
