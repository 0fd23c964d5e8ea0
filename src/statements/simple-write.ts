/** A write in a Query message: staged in the client's transaction, or in a block of ours, and tried again if need be. */

import type { Rewrite } from '../rewrite/rewrite.ts';
import { isRefused } from '../rewrite/rewrite.ts';
import { hidesParameters } from '../rewrite/write-options.ts';
import { cancelled } from '../server-connection/cancel-requests.ts';
import { deliver } from '../server-connection/error-mapping.ts';
import type { ErrorHandler } from '../server-connection/pending-response.ts';
import { passing } from '../server-connection/pending-response.ts';
import { noParameters } from '../server-connection/prepared-statements.ts';
import { UpstreamError } from '../server-connection/refusals.ts';
import { waitForResponses } from '../server-connection/sync.ts';
import type { Write } from '../sql/write.ts';
import type { ConnectionContext } from './connection-context.ts';
import { enterWrite } from './enter-definition.ts';
import { originalTypes, refuseOriginal } from './original-types.ts';
import { inFailedTransaction, readOnlyRefusal } from './read-only-write.ts';
import type { Step } from './send-statement.ts';
import { sendStep } from './send-statement.ts';
import { answerToWrite } from './shared-steps.ts';
import type { StagedWrite } from './staged-write.ts';
import { commitInternal, readyWrite, undo } from './staged-write.ts';

/**
 * Stages a write of a Query message.
 * @returns whether the client has been given the message's ReadyForQuery with it
 * @throws StageError for what is refused
 */
export async function runQueryWrite(
  context: ConnectionContext,
  step: Step,
  write: Write,
): Promise<boolean> {
  const { plan, statement } = step;
  const original = { written: plan.text, start: statement.start, statement: statement.text };
  const refuse = () => refuseOriginal(context, write, original, null);
  // A Query has no parameters, and PostgreSQL says so; in what is sent in its place they may be missing.
  if (hidesParameters(write) && !context.state.failed) return refuse();
  const staged: StagedWrite = {
    body: write,
    bodyText: statement.text,
    refuse,
    // Mistakes are told of the client's own text: what is sent runs on another table.
    prepare: async ({ fill }) => {
      if (fill !== null) await originalTypes(context, original, []);
      const sent = { written: plan.text, statement };
      return (call) => enterWrite(context, call, sent, noParameters);
    },
  };
  return runWrite(context, step, staged, ({ replacements, isSet }, wrapErrors) => {
    const particular = answerToWrite(context, write, isSet);
    return sendStep(context, step, replacements, particular, wrapErrors);
  });
}

/** Sends the statement; says whether the client is given the ReadyForQuery that answers it. */
type Send = (rewrite: Rewrite, wrapErrors: (handler: ErrorHandler) => ErrorHandler) => boolean;

/**
 * Stages one write and waits for its answer.
 * @returns whether the client has been given the message's ReadyForQuery with it
 */
export async function runWrite(
  context: ConnectionContext,
  step: Step,
  staged: StagedWrite,
  send: Send,
): Promise<boolean> {
  const { state, metrics, retry } = context;
  if (state.failed) throw inFailedTransaction;
  if (!state.stages) return runReadOnly(context, staged, send);
  metrics.query('write');
  context.pending.writeStart ??= performance.now();
  try {
    return await tryWrite(context, step, staged, send);
  } finally {
    retry.endTries();
  }
}

/** Tries the write until it has succeeded, or failed by what no other try would cure. */
async function tryWrite(
  context: ConnectionContext,
  step: Step,
  staged: StagedWrite,
  send: Send,
): Promise<boolean> {
  const { state, retry, internal } = context;
  for (;;) {
    const ready = await readyWrite(context, staged, { mayBeSet: true });
    if (isRefused(ready)) return staged.refuse();
    ready.enter();
    const isReadyShown = send(ready.rewrite, ready.wrapErrors);
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

async function runReadOnly(
  context: ConnectionContext,
  staged: StagedWrite,
  send: Send,
): Promise<boolean> {
  const rewrite = await context.rewriter.write(staged.body);
  if (isRefused(rewrite)) return staged.refuse();
  const refusal = readOnlyRefusal(staged.body, rewrite);
  if (refusal) throw refusal;
  await staged.prepare(rewrite, (handler) => handler);
  context.internal.guard();
  const isReadyShown = send(rewrite, (handler) => handler);
  await waitForResponses(context);
  return isReadyShown;
}

/** In messages of its own: what comes behind it is not to be skipped. */
function endWatch({ internal, link }: ConnectionContext): void {
  internal.endWatch();
  link.close();
}
