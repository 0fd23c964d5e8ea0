/** Sends one statement of a Query message, and waits for its response. */

import type { QueryPlan } from '../rewrite/query-plan.ts';
import { explainsWrite, readOf } from '../rewrite/query-planner.ts';
import { mapErrors } from '../server-connection/error-mapping.ts';
import type { ErrorHandler, Particulars } from '../server-connection/pending-response.ts';
import { PendingResponse } from '../server-connection/pending-response.ts';
import type { Verification } from '../server-connection/prepared-statements.ts';
import { noParameters } from '../server-connection/prepared-statements.ts';
import { textToSend } from '../server-connection/statement-text.ts';
import { waitForResponses } from '../server-connection/sync.ts';
import { statementText } from '../server-connection/upstream-text.ts';
import type { Replacement } from '../sql/splice.ts';
import type { Statement } from '../sql/verdict.ts';
import type { ConnectionContext } from './connection-context.ts';
import { checkLockRights } from './lock-rights.ts';
import { validateWithBatch } from './read-batches.ts';
import { checkCursorWithHold, checkReadCalls, needsBlock, noteHeldCursor } from './read-calls.ts';
import { hinted } from './read-hints.ts';
import { lockRows } from './row-locks.ts';
import { readReplacements } from './shared-steps.ts';
import { undo } from './staged-write.ts';
import { noteDeclared, sendWrittenTexts } from './written-texts.ts';

export interface Step {
  readonly plan: QueryPlan;
  readonly statement: Statement;
  /** The message contains no other statement. */
  readonly isAlone: boolean;
  readonly isLast: boolean;
}

/** Runs a statement that must not write, guarded where writing is possible. */
export async function runRead(context: ConnectionContext, step: Step): Promise<boolean> {
  try {
    return await tryRead(context, step);
  } finally {
    context.retry.endTries();
  }
}

/** Tries the read until its names are verified. */
async function tryRead(context: ConnectionContext, step: Step): Promise<boolean> {
  const { internal, metrics, retry } = context;
  const { verdict } = step.statement;
  for (;;) {
    // guard: the catalog is queried before a read runs
    await checkReadCalls(context, verdict);
    await checkLockRights(context, verdict);
    checkCursorWithHold(context, verdict);
    if (needsBlock(context, verdict)) internal.begin();
    const verification = verificationOf(context, step);
    const replacements = await replacementsIn(context, step, verification !== null);
    const isOfWrite = explainsWrite(verdict);
    internal.guard(isOfWrite);
    metrics.query('read');
    if (verification !== null) validateWithBatch(context, verification);
    sendWrittenTexts(context, verdict);
    const wrapErrors = (handler: ErrorHandler) => hinted(context, verdict, handler) ?? handler;
    const isReadyShown = sendStep(context, step, replacements, {}, wrapErrors);
    await waitForResponses(context);
    if (!retry.isWanted) {
      retry.disarm();
      noteHeldCursor(context, verdict);
      return isReadyShown;
    }
    await undo(context);
    if (retry.take() === null) return true;
  }
}

/** Returns the facts to verify together with a single read of staged rows; null when its names are queried first. */
function verificationOf(
  { reads, state, rewriter }: ConnectionContext,
  { statement: { verdict }, isAlone }: Step,
): Verification | null {
  const isFirst = isAlone && !state.implicit && state.block !== 'internal' && !state.failed;
  if (reads === 'production' || !isFirst || verdict.kind !== 'read') return null;
  return explainsWrite(verdict) ? null : rewriter.checks.verification(verdict);
}

async function replacementsIn(
  context: ConnectionContext,
  { plan, statement }: Step,
  isVerified: boolean,
): Promise<readonly Replacement[]> {
  const { verdict } = statement;
  const body = readOf(verdict);
  if (body === null) return [];
  const read = { body, written: plan.text, statement };
  const locked = verdict === body ? await lockRows(context, read, noParameters) : null;
  return locked ?? readReplacements(context, body, isVerified);
}

/**
 * Sends the statement as a Query of its own.
 * @returns whether the client receives the ReadyForQuery of its response
 */
export function sendStep(
  context: ConnectionContext,
  { plan, statement, isAlone, isLast }: Step,
  replacements: readonly Replacement[],
  particulars: Particulars = {},
  wrapErrors: (handler: ErrorHandler) => ErrorHandler = (handler) => handler,
): boolean {
  const { link, names, state, internal } = context;
  const text = textToSend(plan.text, statement, isAlone, replacements);
  noteDeclared(context, statement.verdict, text);
  const isInInternalBlock = state.block === 'internal';
  const isReadyShown = isAlone && !isInInternalBlock && !internal.isTripwireSet;
  const own = {
    // PostgreSQL reports the last statement's success after the commit of its transaction.
    defersCompletion: isLast && isInInternalBlock,
    onError: wrapErrors(mapErrors(text, names)),
  };
  const shown = isReadyShown ? 'all' : 'response';
  link.query(statementText(statement, text), new PendingResponse('query', shown, own, particulars));
  return isReadyShown;
}
