/**
 * The steps before a staged write is sent, in their order, and the block that it runs in, for both protocols. A Query runs them all at
 * once, from its names to its response. In the extended protocol the Bind prepares the write.
 */

import type { Rewrite } from '../rewrite/rewritten.ts';
import { isRefused } from '../rewrite/rewritten.ts';
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
import type { BeginCall } from './begin-statement.ts';
import type { ConnectionContext } from './connection-context.ts';

type WrapErrors = (handler: ErrorHandler) => ErrorHandler;

/** The operations that stage one kind of statement: a write itself, or a prepared statement that writes. */
export interface StagedWrite {
  readonly body: Write;
  /** The client's text of the body, for the mutation log. */
  readonly bodyText: Buffer;
  /** Makes PostgreSQL report the error in the client's own text, when the write cannot succeed. */
  refuse(): Promise<never>;
  /**
   * Prepares, inside the transaction, what the statement needs.
   * @param wrapErrors for a text that may be replaced by another one after an error
   * @returns the function that sends `stage.begin_statement`
   */
  prepare(rewrite: Rewrite, wrapErrors: WrapErrors): Promise<(call: BeginCall) => void>;
}

/** Whether a write may be staged as a set, and the conditions for another try of it. */
interface Tries {
  readonly mayBeSet: boolean;
  /** The message that another try begins with, in a protocol whose messages can be handled again. */
  readonly message?: Message;
  /** Whether changed names could have caused an error of it. */
  readonly mayBeStale?: (sqlstate: string) => boolean;
}

/** A write that can be sent. */
export interface ReadyWrite {
  readonly rewrite: Rewrite;
  /** Sends `stage.begin_statement` for it, directly before it is bound or run. */
  begin(): void;
  /** Switches to staging its rows one by one; null when they already are. */
  readonly stageRowByRow: (() => void) | null;
  readonly wrapErrors: WrapErrors;
}

/**
 * Prepares a write to be sent: resolves its names, opens a block or sets a savepoint, and creates what it needs.
 * @returns the stage at which PostgreSQL refuses it, if it does; PostgreSQL reports the error itself
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
  const cause = mayBeStale ? { stageRowByRow, mayBeStale } : { stageRowByRow };
  const wrapErrors = (handler: ErrorHandler) => retry.before(handler, cause);
  const begin = await staged.prepare(rewrite, wrapErrors);
  // The queries meanwhile ran in a read-only guard.
  internal.releaseGuard();
  const onError = (text: SentText | null) =>
    retry.before(mapErrors(text, names), mayBeStale && { mayBeStale });
  const call = { text: staged.bodyText, rewrite, onError };
  return { rewrite, stageRowByRow, wrapErrors, begin: () => begin(call) };
}

/**
 * Opens an internal block unless a block is open, after ending what ran READ ONLY before it in the same batch. A client's block in
 * which nothing has run serves as well, because it can be restarted.
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
 * Sets a savepoint before a write that is not the first statement, so that it can be rolled back alone. It is only needed if others could
 * change the rows that the write finds, or if its rows are staged as a set.
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

/** Waits for the row that made the last try fail, and locks it for this one: first come, first served. */
function waitForRow({ internal, retry }: ConnectionContext): void {
  const row = retry.takeContended();
  if (row === null) return;
  // names may have been queried in a read-only guard since the last try, where the row cannot be locked
  internal.releaseGuard();
  internal.run({ text: 'SELECT stage.lock_newest_row($1)' }, { values: [Buffer.from(row)] });
}

/**
 * Undoes a statement that is to be tried again: rolls back the internal block, the client's block if nothing else has run in it, or
 * to the savepoint. A read has changed nothing. But if the names that it was sent with made the client's transaction fail, the
 * client gets that error, and there is no other try.
 */
export async function undo(context: ConnectionContext): Promise<void> {
  const { internal, retry, link, state, router } = context;
  internal.forgetTripwire();
  const { scope, begun } = retry;
  if (begun !== null) return beginAnew(context, begun);
  if (scope === 'block') return endInternal(context);
  if (scope === 'read') {
    if (!state.failed) return;
    retry.take();
    router.showError(errorMessage(tableChanged, false));
    router.showReady(readyForQuery('E'));
    return;
  }
  // after an error the server skips messages up to a Sync, and would skip these
  link.close();
  internal.unwind();
  await syncAndWait(context);
}

/**
 * Commits the internal block. The successful statements become durable, and the client then gets its ReadyForQuery.
 * @param sync the expected response with that ReadyForQuery
 */
export function commitInternal(
  { internal, router, link }: ConnectionContext,
  sync: PendingResponse,
): void {
  internal.checkCommit();
  link.close();
  internal.commit({ onError: deliver, onDone: () => router.showDeferred() });
  link.sync(sync);
}

/** Ends an internal block, if one is open, without the client's Sync: commits, or rolls back after an error. */
async function endInternal(context: ConnectionContext): Promise<void> {
  if (!context.state.needsInternalCommit) return;
  context.link.sync(hiddenSync);
  commitInternal(context, hiddenSync);
  await waitForResponses(context);
}
