/**
 * Handles the simple query protocol: a Query message from its text to its ReadyForQuery.
 * A text that only reads production passes unchanged. Any other runs statement by statement, as in PostgreSQL. Several statements of one
 * message share an internal block where PostgreSQL would run them in one implicit transaction. A single one needs it only if it writes.
 */

import type { QueryPlan, TextClass } from '../rewrite/query-plan.ts';
import { hiddenSync, passing } from '../server-connection/pending-response.ts';
import { errorMessage, refusalError } from '../server-connection/refusals.ts';
import { syncAndWait, waitForResponses } from '../server-connection/sync.ts';
import { readsText } from '../server-connection/upstream-text.ts';
import type { Verdict } from '../sql/verdict.ts';
import { readyForQuery } from '../wire/backend-messages.ts';
import type { Message } from '../wire/framer.ts';
import { decodeQuery } from '../wire/frontend-messages.ts';
import type { ConnectionContext } from './connection-context.ts';
import { learnDefault } from './default-access.ts';
import type { Step } from './send-statement.ts';
import { runRead } from './send-statement.ts';
import { dropUnnamed } from './shared-steps.ts';
import { runControl } from './simple-control.ts';
import { runQueryWrite } from './simple-write.ts';
import { mayStageCalls, withStagedCalls } from './staged-calls.ts';
import { commitInternal } from './staged-write.ts';

/**
 * Ends a batch of the extended protocol that has no Sync before a Query. The result decides whether the Query is skipped.
 * @param handle handles the Query
 */
export function handleBehindBatch(
  context: ConnectionContext,
  handle: () => void | Promise<void>,
): void | Promise<void> {
  const { retry, state, internal, link } = context;
  // A write that was bound and not executed cannot be run again behind the Query.
  if (retry.scope !== null) retry.disarm();
  state.endBatch();
  // Code that ran during its planning must not be committed without the check, either.
  internal.endTripwire();
  return link.isOpen || state.block === 'internal' ? handleAfterEnd(context, handle) : handle();
}

/**
 * Ends the batch before the Query. In PostgreSQL a Query continues the transaction of such a batch; here it begins its own. So an error at
 * the end of the batch becomes the response to the Query.
 */
async function handleAfterEnd(
  context: ConnectionContext,
  handle: () => void | Promise<void>,
): Promise<void> {
  const { router, state } = context;
  await syncAndWait(context);
  if (router.hasShownError) return;
  if (state.needsInternalCommit) {
    commitInternal(context, hiddenSync);
    await waitForResponses(context);
  }
  if (router.hasShownError) await finish(context);
  else await handle();
}

/**
 * Handles a Query message. Returns a promise if that takes more than one round trip.
 * @throws any error, which `failQuery` reports to the client
 */
export function handleQuery(
  context: ConnectionContext,
  { frame, payload }: Message,
): void | Promise<void> {
  const text = decodeQuery(payload);
  const textClass = context.planner.classify(text);
  if (textClass === null) return handleHeavy(context, frame, text);
  return handleText(context, frame, text, textClass);
}

async function handleHeavy(context: ConnectionContext, frame: Buffer, text: Buffer): Promise<void> {
  const plan = await context.planner.planApart(text, context.gone);
  await handleText(context, frame, text, plan, plan);
}

/**
 * Runs a text, or passes it at once.
 * @param plan made when it is needed; a text that passes unchanged needs none
 */
function handleText(
  context: ConnectionContext,
  frame: Buffer,
  text: Buffer,
  textClass: TextClass,
  plan: QueryPlan | null = null,
): void | Promise<void> {
  if (!passesAtOnce(context, textClass)) return runQuery(context, text, plan);
  const { internal, link, names, metrics, statements } = context;
  // A Query message drops the unnamed statement.
  statements.delete('');
  const { changesPath, reads, passingText } = textClass;
  if (changesPath) names.forget();
  if (reads > 0) internal.guard();
  else internal.release();
  for (let read = 0; read < reads; read += 1) metrics.query('read');
  const received = passingText === null ? frame : null;
  link.query(readsText(passingText ?? text, textClass, received), passing.query);
}

/**
 * Responds to a Query message with an error, at the place and with the effect of an error of the server: the earlier statements of the same
 * transaction are rolled back.
 */
export async function failQuery(context: ConnectionContext, error: unknown): Promise<void> {
  const { state, router } = context;
  dropUnnamed(context);
  if (state.implicit) await syncAndWait(context);
  const message = errorMessage(error, state.failed);
  if (state.block === 'none' || state.failed) router.showError(message);
  else {
    context.internal.fail(message);
    await syncAndWait(context);
  }
  await finish(context);
}

function passesAtOnce({ state, reads, names }: ConnectionContext, textClass: TextClass): boolean {
  if (textClass.refusal !== null || !textClass.passes) return false;
  if (textClass.declaresHold && state.block !== 'none') return false;
  // guard: a text does not pass before the catalog has resolved its calls
  if (!names.areHarmless(textClass.unclear)) return false;
  if (state.block === 'none' && names.runCode(textClass.unclear)) return false;
  if (textClass.reads > 0 && textClass.hasSettings && state.block !== 'none') return false;
  return reads === 'production' || !textClass.hasNames;
}

async function runQuery(
  context: ConnectionContext,
  text: Buffer,
  known: QueryPlan | null,
): Promise<void> {
  const { planner, state, router, statements, names, gone } = context;
  const plan = known ?? planner.plan(text) ?? (await planner.planApart(text, gone));
  if (plan.refusal !== null) throw refusalError(plan.refusal);
  statements.delete('');
  const last = plan.statements.length - 1;
  let isReadyShown = false;
  for (const [index, statement] of plan.statements.entries()) {
    const step = { plan, statement, isAlone: last === 0, isLast: index === last };
    if (state.isDefaultUnknown) await learnDefault(context);
    if (last > 0) openImplicit(context, statement.verdict);
    isReadyShown = await runStep(context, step);
    if (router.hasShownError) break;
  }
  if (plan.changesPath) names.forget();
  if (isReadyShown) state.endBatch();
  else await finish(context);
}

/** Runs one statement according to its kind. Returns whether the client has received the message's ReadyForQuery with it. */
async function runStep(context: ConnectionContext, step: Step): Promise<boolean> {
  const { verdict } = step.statement;
  switch (verdict.kind) {
    case 'read':
      return mayStageCalls(context, verdict) ? runCalling(context, step) : runRead(context, step);
    case 'write':
      return runQueryWrite(context, step, verdict);
    case 'control':
      return runControl(context, step, verdict.action);
    case 'refuse':
      throw new Error('a refused statement was about to run');
  }
}

/** Runs a read that may call functions that write: it is a write then. */
async function runCalling(context: ConnectionContext, step: Step): Promise<boolean> {
  const statement = await withStagedCalls(context, step.statement);
  const { verdict } = statement;
  return verdict.kind === 'write'
    ? runQueryWrite(context, { ...step, statement }, verdict)
    : runRead(context, step);
}

/** Opens the block that the statements of one message share. A write opens it itself, so that it can be tried again if it is the first. */
function openImplicit({ state, internal }: ConnectionContext, verdict: Verdict): void {
  if (state.block !== 'none' || verdict.kind === 'write') return;
  const type = verdict.kind === 'control' ? verdict.action.type : null;
  if (type !== 'begin' && type !== 'commit' && type !== 'rollback') internal.begin();
}

async function finish(context: ConnectionContext): Promise<void> {
  if (context.state.needsInternalCommit) {
    commitInternal(context, passing.sync);
    await waitForResponses(context);
  } else showReady(context);
  context.state.endBatch();
}

function showReady({ state, router }: ConnectionContext): void {
  router.showDeferred();
  if (state.block === 'none') router.showReady(readyForQuery('I'));
  else router.showReady(readyForQuery(state.failed ? 'E' : 'T'));
}
