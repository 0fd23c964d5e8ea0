/**
 * The simple query protocol: a Query message from its text to its ReadyForQuery.
 * Reads pass as they came. Everything else runs statement by statement, as PostgreSQL does: statements outside the
 * client's transactions share one implicit transaction, which is a block of ours as soon as one of them writes.
 */

import type { Outlook, QueryPlan } from '../rewrite/query-planner.ts';
import { passing } from '../server-connection/expectation.ts';
import { fence, settle } from '../server-connection/pace.ts';
import { errorMessage, refusalError } from '../server-connection/refusals.ts';
import { readsText } from '../server-connection/upstream-text.ts';
import type { Verdict } from '../sql/verdict.ts';
import { readyForQuery } from '../wire/backend-messages.ts';
import type { Message } from '../wire/framer.ts';
import { decodeQuery } from '../wire/frontend-messages.ts';
import type { Conversation } from './conversation.ts';
import { commitOwn, dropUnnamed, endOwn } from './shared-steps.ts';
import { runStep } from './simple-steps.ts';

/**
 * Handles a Query message; what takes more than one round trip gives a promise.
 * @throws for what is to be answered with an error by `failQuery`
 */
export function handleQuery(
  conversation: Conversation,
  { frame, payload }: Message,
): void | Promise<void> {
  // A write that was bound and not executed cannot be run again behind this.
  if (conversation.retry.scope !== null) conversation.retry.disarm();
  conversation.state.setImplicitAccess(null);
  // Nor may what its planning has run be committed unseen.
  conversation.own.endWatch();
  const text = decodeQuery(payload);
  if (conversation.planner.isLong(text)) return handleLong(conversation, frame, text);
  return handleText(conversation, frame, text, conversation.planner.look(text));
}

async function handleLong(conversation: Conversation, frame: Buffer, text: Buffer): Promise<void> {
  const plan = await conversation.planner.planApart(text);
  // What came before it without a Sync may have failed meanwhile: then it is skipped, as by the server.
  if (!conversation.router.hasShownError) await handleText(conversation, frame, text, plan, plan);
}

/** @param plan made when it is needed: a text that passes can do without */
function handleText(
  conversation: Conversation,
  frame: Buffer,
  text: Buffer,
  outlook: Outlook,
  plan: QueryPlan | null = null,
): void | Promise<void> {
  if (!passesAtOnce(conversation, outlook))
    return runQuery(conversation, plan ?? conversation.planner.plan(text));
  const { own, link, names, metrics, statements } = conversation;
  // A Query message drops the unnamed statement.
  statements.delete('');
  const { changesPath, reads, passingText } = outlook;
  if (changesPath) names.forget();
  if (reads > 0) own.guard();
  else own.release();
  for (let read = 0; read < reads; read += 1) metrics.query('read');
  const received = passingText === null ? frame : null;
  link.query(readsText(passingText ?? text, outlook, received), passing.query);
}

/**
 * Answers a Query message with an error, in the place and with the effect that an error of the server's would have:
 * what ran before it in the same transaction does not stand.
 */
export async function failQuery(conversation: Conversation, error: unknown): Promise<void> {
  const { state, router } = conversation;
  dropUnnamed(conversation);
  if (state.implicit) await fence(conversation);
  const message = errorMessage(error, state.failed);
  if (state.block === 'none' || state.failed) router.showError(message);
  else {
    conversation.own.fail(message);
    await fence(conversation);
  }
  await finish(conversation);
}

function passesAtOnce({ state, reads, names }: Conversation, outlook: Outlook): boolean {
  if (outlook.refusal !== null || !outlook.passes || state.implicit || state.block === 'own')
    return false;
  if (outlook.holds && state.exposesHeld) return false;
  if (!names.areHarmless(outlook.unclear)) return false;
  if (outlook.reads > 0 && outlook.hasSettings && state.block !== 'none') return false;
  return reads === 'production' || !outlook.hasNames;
}

async function runQuery(conversation: Conversation, plan: QueryPlan): Promise<void> {
  const { state, router, statements, names } = conversation;
  if (state.implicit || state.block === 'own') await endBatch(conversation);
  if (router.hasShownError) return;
  if (plan.refusal !== null) throw refusalError(plan.refusal);
  statements.delete('');
  const last = plan.statements.length - 1;
  let isReadyShown = false;
  for (const [index, statement] of plan.statements.entries()) {
    const step = { plan, statement, isAlone: last === 0, isLast: index === last };
    if (last > 0) openImplicit(conversation, statement.verdict);
    isReadyShown = await runStep(conversation, step);
    if (router.hasShownError) break;
  }
  if (plan.changesPath) names.forget();
  if (!isReadyShown) await finish(conversation);
}

/** Statements of one message share a transaction. A write opens it by itself, to be tried twice if it is the first. */
function openImplicit({ state, own }: Conversation, verdict: Verdict): void {
  if (state.block !== 'none' || verdict.kind === 'write') return;
  const type = verdict.kind === 'control' ? verdict.action.type : null;
  if (type !== 'begin' && type !== 'commit' && type !== 'rollback') own.begin();
}

/** A Query in the middle of an extended batch goes on in its transaction; here it begins one of its own. */
async function endBatch(conversation: Conversation): Promise<void> {
  if (conversation.state.needsOwnCommit) await endOwn(conversation);
  else await fence(conversation);
}

async function finish(conversation: Conversation): Promise<void> {
  if (!conversation.state.needsOwnCommit) {
    showReady(conversation);
    return;
  }
  commitOwn(conversation, passing.sync);
  await settle(conversation);
}

function showReady({ state, router }: Conversation): void {
  router.showHeld();
  if (state.block === 'none') router.showReady(readyForQuery('I'));
  else router.showReady(readyForQuery(state.failed ? 'E' : 'T'));
}
