/** Running a write again, unseen by the client, when what it was prepared for or what it read turns out to have changed. */

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
import { failedInOverlay, isInterrupt, without } from './retry-errors.ts';

/** More than this is not kept for another try. */
const maxKeptBytes = 4 * 1024 * 1024;

/**
 * Names change once in a while; a row that many write to is waited for in turn, and each time somebody gets on. Of statements whose
 * rows are staged as a set, each try leaves one less.
 */
const maxTries = { names: 1, rows: 100, set: Number.POSITIVE_INFINITY } as const;
type Reason = keyof typeof maxTries;
const noTries: Readonly<Record<Reason, number>> = { names: 0, rows: 0, set: 0 };

/** What may be the matter with a statement whose error another try may cure. */
interface Cause {
  /** Which errors names could have caused that have changed their meaning, beside those that always may be. */
  readonly mayBeStale?: (sqlstate: string) => boolean;
  /** The message that has failed: another try has to begin with it, or before it. */
  readonly message?: Message;
  /** Its rows are staged as a set, and would be staged one by one from now on: what that tells is PostgreSQL's error. */
  readonly stageRowByRow?: (() => void) | null;
}

/** How far back another try begins: with a block, at the savepoint before the statement, or with a batch that only reads. */
type Scope = 'block' | 'savepoint' | 'read';

interface Kept {
  readonly message: Message;
  /** The client has been given its answer. */
  isAnswered: boolean;
  /** It runs a statement. */
  isExecute: boolean;
  /** A savepoint was set before it. */
  readonly isProtected: boolean;
}

/**
 * Armed while the client has seen no result of what would be rolled back: that can be run again, then. Without a
 * savepoint, in the client's own transaction, only the client can do that: it gets 40001.
 */
export class Retry {
  private readonly router: ResponseRouter;
  private readonly names: Names;
  private readonly fresh: FreshBlock;
  private armedScope: Scope | null = null;
  /** How the block to roll back was begun, where it is the client's. */
  begun: Begun | null = null;
  private wanted = false;
  private kept: Kept[] = [];
  private keptBytes = 0;
  private tries: Record<Reason, number> = { ...noTries };
  /** The row whose change made the last try fail, as the error names it. */
  private contended: string | null = null;
  /** The error inside of an overlay that was last: where it comes again, no name has changed its meaning, and another try fails, too. */
  private failedLast: string | null = null;
  /** What is armed next is another try. */
  private isAgain = false;
  private hidesAnswer = false;
  private readonly cancels: CancelRequests;
  /** Whether the client has asked to cancel since the first try began. */
  private hasCancelled = () => false;

  constructor(router: ResponseRouter, names: Names, cancels: CancelRequests, fresh: FreshBlock) {
    this.router = router;
    this.names = names;
    this.fresh = fresh;
    this.cancels = cancels;
  }

  /** Whether PostgreSQL has forgotten a cancel request with the try that has failed. */
  get isCancelled(): boolean {
    return this.hasCancelled();
  }

  get isWanted(): boolean {
    return this.wanted;
  }

  /** What would be rolled back for another try; null when there can be none. */
  get scope(): Scope | null {
    return this.armedScope;
  }

  /** Whether a part of the block, that behind a savepoint, may come to be run again alone. */
  get keepsBlock(): boolean {
    return this.armedScope === 'savepoint' || this.kept.some(({ isProtected }) => isProtected);
  }

  /** Whether everything since it was armed is still to be run. */
  get isFresh(): boolean {
    return this.armedScope !== null && !this.kept.some(({ isExecute }) => isExecute);
  }

  /** The row to wait for before the next try; told once. */
  takeContended(): string | null {
    const { contended } = this;
    this.contended = null;
    return contended;
  }

  /** To be called by whoever has taken a try when it is over, armed or not: what comes next has tries of its own. */
  endTries(): void {
    this.isAgain = false;
    this.hasCancelled = () => false;
  }

  /**
   * To be called when a block of ours is opened, or a savepoint set, for a message that is kept if it is given; and where nothing has run
   * in one of the client's, which is begun anew then.
   */
  arm(scope: Scope, message?: Message): void {
    if (this.armedScope === null && !this.isAgain) {
      this.tries = { ...noTries };
      this.hasCancelled = this.cancels.watch();
      this.failedLast = null;
    }
    this.isAgain = false;
    if (scope === 'block' || this.armedScope === null) this.disarm();
    this.armedScope ??= scope;
    this.begun = this.fresh.begun;
    if (message !== undefined) this.push(message, scope === 'savepoint');
  }

  /** The client has seen a result, or the block is over. */
  disarm(): void {
    this.armedScope = null;
    this.begun = null;
    if (this.kept.length > 0) this.kept = [];
    this.keptBytes = 0;
  }

  /** Keeps a message of the extended protocol to be handled again. */
  keep(message: Message): void {
    if (this.armedScope !== null && this.kept.at(-1)?.message !== message)
      this.push(message, false);
  }

  /** Whether a message can be kept beside those that are. */
  canKeep({ frame }: Message): boolean {
    return this.keptBytes + frame.length <= maxKeptBytes;
  }

  private keeps(message: Message | undefined): boolean {
    return message === undefined || this.kept.some((entry) => entry.message === message);
  }

  private push(message: Message, isProtected: boolean): void {
    this.keptBytes += message.frame.length;
    if (this.kept.at(-1)?.message === message) this.kept.pop();
    if (this.keptBytes > maxKeptBytes) this.disarm();
    else this.kept.push({ message, isAnswered: false, isExecute: false, isProtected });
  }

  /**
   * What is expected for the message of the client that was kept last. While armed it is noted which answers the client
   * has been given; in another run these are not given again.
   * @param expected the answer as it would be shown
   */
  answer(expected: PendingResponse): PendingResponse {
    if (this.kept.length === 0 && !this.hidesAnswer) return expected;
    const shown = this.hidesAnswer ? 'nothing' : 'all';
    const entry = this.kept.at(-1);
    const { asked } = expected;
    if (entry === undefined) return new PendingResponse(asked, shown, expected);
    entry.isExecute = asked === 'execute';
    const onDone = (payload: Buffer) => {
      expected.onDone?.(payload);
      if (this.wanted) return;
      entry.isAnswered = true;
      if (entry.isExecute) this.restart();
      else if (this.armedScope === null) this.proceed();
    };
    return new PendingResponse(asked, shown, { onDone }, expected);
  }

  /** A Sync after which the transaction goes on has been answered. */
  noteReady(): void {
    const entry = this.kept.at(-1);
    if (entry !== undefined && !this.wanted) entry.isAnswered = true;
    if (this.armedScope === 'read' && !this.wanted) this.disarm();
  }

  /** A result has been shown: only what comes behind the next savepoint can be run again. */
  private restart(): void {
    const executed = this.kept.findLastIndex((entry) => entry.isExecute && entry.isAnswered);
    const rest = this.kept.slice(executed + 1);
    this.disarm();
    if (!rest.some(({ isProtected }) => isProtected)) return;
    this.kept = rest;
    this.keptBytes = rest.reduce((sum, { message }) => sum + message.frame.length, 0);
    this.proceed();
  }

  /** Armed again as soon as the savepoint is the next thing that the server comes to. */
  private proceed(): void {
    while (this.kept[0]?.isAnswered && !this.kept[0].isProtected) this.kept.shift();
    if (this.kept[0]?.isProtected) this.armedScope = 'savepoint';
  }

  /**
   * Wraps the error handler of a step: what another try may cure is not shown.
   */
  before(handler: ErrorHandler, cause: Cause = {}) {
    return (fields: ErrorFields): Buffer | null => {
      // What still runs in the failed block fails with it.
      if (this.wanted) return null;
      const told = this.decide(fields, cause);
      // The rest of the batch must be on its way: only then does it end without the client.
      const canRunAgain =
        this.armedScope !== null && this.router.awaited > 0 && this.keeps(cause.message);
      const { reason } = told;
      // guard: what the client has cancelled is not run again
      if (this.hasCancelled() && ((canRunAgain && reason !== null) || gaveUp(fields))) {
        this.disarm();
        return handler(withoutAgain(fields));
      }
      if (!canRunAgain || reason === null || this.tries[reason] === maxTries[reason]) {
        this.disarm();
        return handler(told.fields);
      }
      this.tries[reason] += 1;
      this.contended = reason === 'rows' ? fields.get('D') || null : null;
      this.wanted = true;
      this.router.close();
      return null;
    };
  }

  /** Has the batch hidden that was begun last and only reads, and tried again: names in it have changed their meaning. */
  repeat(): void {
    this.wanted = true;
    this.router.close();
  }

  /** Decides whether another try may succeed, and forgets the names that it must not start from. Gives the reason, or null. */
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
      // guard: what fails in the same way again is not told as what another try may cure
      if (!isAgain) return { fields: new Map(fields).set('C', staleNames), reason: 'names' };
    }
    const sqlstate = fields.get('C') ?? '';
    if (sqlstate === rowChanged) return { fields, reason: 'rows' };
    const isStale = sqlstate === staleNames || mayBeStale?.(sqlstate) === true;
    if (isStale) this.names.forget();
    if (isStale || !stageRowByRow) return { fields, reason: isStale ? 'names' : null };
    // the context of a COPY names the table that a set is put into
    if (isInterrupt(fields)) return { fields: without('W', fields), reason: null };
    stageRowByRow();
    // by an index of ours: what PostgreSQL would say, only another try tells
    const isOurs = fields.get('s') === 'stage_data';
    return { fields: isOurs ? new Map(fields).set('C', rowByRow) : fields, reason: 'set' };
  }

  /** Whether to try again; if so the client hears from now on, and gives what is to be handled again. */
  take(): readonly Kept[] | null {
    if (!this.wanted) return null;
    const { kept } = this;
    this.wanted = false;
    this.isAgain = true;
    this.disarm();
    this.router.reopen();
    return kept;
  }

  /** Handles the kept messages again, if that is wanted. What was prepared or described before still is. */
  async replay(handle: (message: Message) => Promise<void>): Promise<void> {
    try {
      for (const { message, isAnswered } of this.take() ?? []) {
        if (isAnswered && message.type !== frontend.bind) continue;
        this.hidesAnswer = isAnswered;
        await handle(message);
        this.hidesAnswer = false;
      }
    } finally {
      this.endTries();
    }
  }
}
