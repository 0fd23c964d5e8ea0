/** Stages a write of a Query message, in the client's transaction or an internal block, and tries it again if necessary. */

import type { Rewrite } from '../rewrite/rewritten.ts';
import { isRefused } from '../rewrite/rewritten.ts';
import { hidesParameters } from '../rewrite/write-options.ts';
import { cancelled } from '../server-connection/cancel-requests.ts';
import { deliver } from '../server-connection/error-mapping.ts';
import type { ErrorHandler } from '../server-connection/pending-response.ts';
import { passing } from '../server-connection/pending-response.ts';
import { noParameters } from '../server-connection/prepared-statements.ts';
import { UpstreamError } from '../server-connection/refusals.ts';
import { waitForResponses } from '../server-connection/sync.ts';
import type { Write } from '../sql/write.ts';
import { beginWrite } from './begin-write.ts';
import type { ConnectionContext } from './connection-context.ts';
import { originalTypes, refuseOriginal } from './original-types.ts';
import { inFailedTransaction, readOnlyRefusal } from './read-only-write.ts';
import type { Step } from './send-statement.ts';
import { sendStep } from './send-statement.ts';
import { responseToWrite } from './shared-steps.ts';
import type { StagedWrite } from './staged-write.ts';
import { commitInternal, readyWrite, undo } from './staged-write.ts';

/**
 * Stages a write of a Query message.
 * @returns whether the client has received the message's ReadyForQuery with it
 * @throws StageError for a refused statement
 */
export async function runQueryWrite(
  context: ConnectionContext,
  step: Step,
  write: Write,
): Promise<boolean> {
  const { plan, statement } = step;
  const original = { written: plan.text, start: statement.start, statement: statement.text };
  const refuse = () => refuseOriginal(context, write, original, null);
  // PostgreSQL refuses parameters in a Query, but the rewritten text may have lost them. So the original is refused.
  if (hidesParameters(write) && !context.state.failed) return refuse();
  const staged: StagedWrite = {
    body: write,
    bodyText: statement.text,
    refuse,
    // Errors are reported for the client's own text, because the rewritten one runs on another table.
    prepare: async ({ fill }) => {
      if (fill !== null) await originalTypes(context, original, []);
      const sent = { written: plan.text, statement };
      return (call) => beginWrite(context, call, sent, noParameters);
    },
  };
  return runWrite(context, step, staged, ({ replacements, isSet }, wrapErrors) => {
    const particular = responseToWrite(context, write, isSet);
    return sendStep(context, step, replacements, particular, wrapErrors);
  });
}

/** Sends the statement. Returns whether the client receives the ReadyForQuery of its response. */
type Send = (rewrite: Rewrite, wrapErrors: (handler: ErrorHandler) => ErrorHandler) => boolean;

/**
 * Stages one write and waits for its response.
 * @returns whether the client has received the message's ReadyForQuery with it
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

/** Tries the write until it succeeds, or fails with an error that no other try would avoid. */
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
    ready.begin();
    const isReadyShown = send(ready.rewrite, ready.wrapErrors);
    const isCopy = staged.body.form === 'copy';
    if (!isCopy) endTripwire(context);
    // COMMIT is sent without waiting: after an error it rolls back the whole block. It cannot precede the data of a COPY.
    const commits =
      step.isLast && state.block === 'internal' && retry.scope !== 'savepoint' && !isCopy;
    if (commits) commitInternal(context, passing.sync);
    await waitForResponses(context);
    if (internal.isTripwireSet) {
      endTripwire(context);
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

/** Ends the tripwire in separate messages, so that an error does not skip what follows. */
function endTripwire({ internal, link }: ConnectionContext): void {
  internal.endTripwire();
  link.close();
}
