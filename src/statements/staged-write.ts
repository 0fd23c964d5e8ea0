/**
 * A staged write in either protocol: the steps before it is sent, in their order, and the block that it runs in. How far it has to go
 * at once differs: a Query takes it from its names to its answer, the extended protocol makes it ready when it is bound.
 */

import type { Rewrite } from '../rewrite/rewrite.ts';
import { isRefused } from '../rewrite/rewrite.ts';
import { tableChanged } from '../rewrite/stageable.ts';
import { deliver, mapErrors } from '../server-connection/error-mapping.ts';
import type { ErrorHandler, PendingResponse } from '../server-connection/pending-response.ts';
import { hiddenSync } from '../server-connection/pending-response.ts';
import type { SentText } from '../server-connection/position-map.ts';
import type { RefusedWhen } from '../server-connection/prepared-statements.ts';
import { errorMessage } from '../server-connection/refusals.ts';
import {
  beginAnew,
  syncAndGoOn,
  syncAndWait,
  waitForResponses,
} from '../server-connection/sync.ts';
import type { Write } from '../sql/write.ts';
import { readyForQuery } from '../wire/backend-messages.ts';
import type { Message } from '../wire/framer.ts';
import type { ConnectionContext } from './connection-context.ts';
import type { EnterCall } from './enter-call.ts';

type WrapErrors = (handler: ErrorHandler) => ErrorHandler;

/** How one kind of statement is staged: a write itself, or what is prepared and writes. */
export interface StagedWrite {
  readonly body: Write;
  /** The client's text of the body, for the mutation log. */
  readonly bodyText: Buffer;
  /** Has PostgreSQL say what is wrong with the client's own text, where it can only be refused. */
  refuse(): Promise<never>;
  /**
   * Makes ready, inside the transaction, what the statement needs.
   * @param wrapErrors for a text that may be given up for another one
   * @returns what enters it
   */
  prepare(rewrite: Rewrite, wrapErrors: WrapErrors): Promise<(call: EnterCall) => void>;
}

/** Whether a write may be staged as a set, and what comes with another try of it. */
interface Tries {
  readonly mayBeSet: boolean;
  /** The message that another try begins with, where it comes in messages that can be handled again. */
  readonly message?: Message;
  /** Which of its errors names could have caused that have changed their meaning. */
  readonly mayBeStale?: (sqlstate: string) => boolean;
}

/** A write that can be sent. */
export interface ReadyWrite {
  readonly rewrite: Rewrite;
  /** Tells the staging of it, right before it is bound or run. */
  enter(): void;
  /** Has its rows staged one by one from now on; null where they are. */
  readonly stageRowByRow: (() => void) | null;
  readonly wrapErrors: WrapErrors;
}

/**
 * Makes a write ready to be sent: its names are resolved, a block is open or a savepoint set, and what it needs is there.
 * @returns when PostgreSQL refuses it, if it does: it shall say so itself
 * @throws StageError for what cannot be staged
 */
export async function readyWrite(
  context: ConnectionContext,
  staged: StagedWrite,
  { mayBeSet, message, mayBeStale }: Tries,
): Promise<ReadyWrite | RefusedWhen> {
  const { rewriter, retry, names, internal } = context;
  const rewrite = await rewriter.write(staged.body, mayBeSet);
  if (isRefused(rewrite)) return rewrite;
  await openBlock(context, message);
  if (retry.isFresh) internal.releaseGuard();
  else protectWrite(context, rewrite, message);
  const stageRowByRow = rewriter.fallback(staged.body, rewrite);
  const wrapErrors = (handler: ErrorHandler) => retry.before(handler, { stageRowByRow });
  const enter = await staged.prepare(rewrite, wrapErrors);
  // What was asked meanwhile was asked READ ONLY.
  internal.releaseGuard();
  const onError = (text: SentText | null) =>
    retry.before(mapErrors(text, names.productionSchema), mayBeStale && { mayBeStale });
  const call = { text: staged.bodyText, rewrite, onError };
  return { rewrite, stageRowByRow, wrapErrors, enter: () => enter(call) };
}

/**
 * Opens a block of ours unless one is open, after ending what ran before it READ ONLY in the same batch. One of the client's in which
 * nothing has run can be begun anew.
 */
export async function openBlock(context: ConnectionContext, message?: Message): Promise<void> {
  const { state, internal, retry, link } = context;
  if (link.fresh.begun === null) {
    if (state.block !== 'none') return;
    if (state.implicit) await syncAndGoOn(context);
    internal.begin();
  }
  retry.arm('block', message);
  waitForRow(context);
}

/**
 * Where something has run before a write: where others could change the rows it meets, or its rows are staged as a set, it can be
 * rolled back alone.
 */
function protectWrite(
  context: ConnectionContext,
  { isSet }: Rewrite,
  message: Message | undefined,
): void {
  const { internal, retry, isShared } = context;
  if (!isShared() && !isSet) {
    internal.release();
    return;
  }
  internal.protect();
  retry.arm('savepoint', message);
  waitForRow(context);
}

/** Waits for the row by which the last try failed, and keeps it for this one: whoever comes first goes first. */
function waitForRow({ internal, retry }: ConnectionContext): void {
  const row = retry.takeContended();
  if (row === null) return;
  // names may have been asked for since the last try, READ ONLY: the row is locked
  internal.releaseGuard();
  internal.run({ text: 'SELECT stage.hold_row($1)' }, { values: [Buffer.from(row)] });
}

/**
 * Undoes what a statement that is to be tried again has done: all of a block of ours, or of one of the client's in which nothing else has
 * run, or what came after its savepoint. A read has changed nothing; but where the names that it was sent with have made the client's
 * transaction fail, the client is told so, and there is no other try.
 */
export async function undo(context: ConnectionContext): Promise<void> {
  const { internal, retry, link, state, router } = context;
  internal.forgetWatch();
  const { scope, begun } = retry;
  if (begun !== null) return beginAnew(context, begun);
  if (scope === 'block') return endInternal(context);
  if (scope === 'read') {
    link.fresh.noteStale();
    if (!state.failed) return;
    retry.take();
    router.showError(errorMessage(tableChanged, false));
    router.showReady(readyForQuery('E'));
    return;
  }
  // what was sent since the server has failed is skipped up to a Sync, and this would be, too
  link.close();
  internal.unwind();
  await syncAndWait(context);
}

/** Ends the block of ours: what went well becomes durable, and the client then gets its ReadyForQuery as told. */
export function commitInternal(
  { internal, router, link }: ConnectionContext,
  sync: PendingResponse,
): void {
  internal.checkCommit();
  link.close();
  internal.commit({ onError: deliver, onDone: () => router.showHeld() });
  link.sync(sync);
}

/** Ends a block of ours, if one is open, without the client's Sync: commits, or after an error rolls back. */
async function endInternal(context: ConnectionContext): Promise<void> {
  if (!context.state.needsInternalCommit) return;
  context.link.sync(hiddenSync);
  commitInternal(context, hiddenSync);
  await waitForResponses(context);
}
