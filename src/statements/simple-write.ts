/** A write in a Query message: staged in the client's transaction, or in a block of ours that is tried twice if need be. */

import type { Rewrite } from '../rewrite/rewrite.ts';
import { isRefused } from '../rewrite/rewrite.ts';
import { cancelled } from '../server-connection/cancel-requests.ts';
import { deliver, mapErrors } from '../server-connection/error-mapping.ts';
import type { ErrorHandler } from '../server-connection/pending-response.ts';
import { passing } from '../server-connection/pending-response.ts';
import type { SentText } from '../server-connection/position-map.ts';
import { UpstreamError } from '../server-connection/refusals.ts';
import { waitForResponses } from '../server-connection/sync.ts';
import type { Write } from '../sql/write.ts';
import type { ConnectionContext } from './connection-context.ts';
import type { EnterCall } from './enter-call.ts';
import { inFailedTransaction, readOnlyRefusal } from './read-only-write.ts';
import type { Step } from './send-statement.ts';
import { commitInternal } from './shared-steps.ts';
import { protectWrite, undo, waitForRow } from './write-protection.ts';

/** How one kind of statement is staged: a write itself, or an EXECUTE of one. */
export interface StagedWrite {
  readonly body: Write;
  /** The client's text of the body, for the mutation log. */
  readonly bodyText: Buffer;
  /** Has PostgreSQL say what is wrong with the client's own text, where it can only be refused. */
  refuse(): Promise<never>;
  /** Makes ready, inside the transaction, what the statement needs. */
  prepare?(rewrite: Rewrite, wrapErrors: (handler: ErrorHandler) => ErrorHandler): Promise<void>;
  enter(call: EnterCall): void;
  /** Sends the statement; says whether the client is given the ReadyForQuery that answers it. */
  send(rewrite: Rewrite, wrapErrors: (handler: ErrorHandler) => ErrorHandler): boolean;
}

/**
 * Stages one write and waits for its answer.
 * @returns whether the client has been given the message's ReadyForQuery with it
 */
export async function runWrite(
  context: ConnectionContext,
  step: Step,
  staged: StagedWrite,
): Promise<boolean> {
  const { state, metrics, retry } = context;
  if (state.failed) throw inFailedTransaction;
  if (!state.stages) return runReadOnly(context, staged);
  metrics.query('write');
  context.pending.writeStart ??= performance.now();
  try {
    return await tryWrite(context, step, staged);
  } finally {
    retry.endTries();
  }
}

/** Tries the write until it has succeeded, or failed by what no other try would cure. */
async function tryWrite(
  context: ConnectionContext,
  step: Step,
  staged: StagedWrite,
): Promise<boolean> {
  const { state, rewriter, retry, names, internal } = context;
  for (;;) {
    const rewrite = await rewriter.write(staged.body, true);
    if (isRefused(rewrite)) return staged.refuse();
    openForWrite(context, rewrite);
    const stageRowByRow = rewriter.fallback(staged.body, rewrite);
    const wrapErrors = (handler: ErrorHandler) => retry.before(handler, { stageRowByRow });
    await staged.prepare?.(rewrite, wrapErrors);
    // What was asked meanwhile was asked READ ONLY.
    internal.releaseGuard();
    const onError = (text: SentText | null) =>
      retry.before(mapErrors(text, names.productionSchema));
    staged.enter({ text: staged.bodyText, rewrite, onError });
    const isReadyShown = staged.send(rewrite, wrapErrors);
    const isCopy = staged.body.form === 'copy';
    if (!isCopy) endWatch(context);
    // Sent along without waiting: after an error it rolls back, all there is. Where a COPY's data has to come it would be in
    // the way.
    const commits =
      step.isLast && state.block === 'internal' && retry.scope !== 'savepoint' && !isCopy;
    if (commits) commitInternal(context, passing.sync);
    await waitForResponses(context);
    if (internal.isWatching) {
      endWatch(context);
      await waitForResponses(context);
    }
    if (!retry.isWanted) {
      retry.disarm();
      context.copyIn.forget();
      return isReadyShown || commits;
    }
    await undo(context);
    retry.take();
    if (retry.isCancelled) throw new UpstreamError(cancelled, deliver(cancelled) as Buffer);
  }
}

async function runReadOnly(context: ConnectionContext, staged: StagedWrite): Promise<boolean> {
  const rewrite = await context.rewriter.write(staged.body);
  if (isRefused(rewrite)) return staged.refuse();
  const refusal = readOnlyRefusal(staged.body, rewrite);
  if (refusal) throw refusal;
  await staged.prepare?.(rewrite, (handler) => handler);
  context.internal.guard();
  const isReadyShown = staged.send(rewrite, (handler) => handler);
  await waitForResponses(context);
  return isReadyShown;
}

/** In messages of its own: what comes behind it is not to be skipped. */
function endWatch({ internal, link }: ConnectionContext): void {
  internal.endWatch();
  link.close();
}

function openForWrite(context: ConnectionContext, { isSet }: Rewrite): void {
  const { state, internal, retry, link } = context;
  const { begun } = link.fresh;
  if (begun === null && state.block !== 'none') {
    protectWrite(context, null, isSet);
    return;
  }
  if (begun === null) internal.begin();
  retry.arm('block', null, begun);
  waitForRow(context);
}
