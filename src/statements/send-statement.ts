/** How one statement of a Query message is sent, and its answer waited for. */

import type { QueryPlan } from '../rewrite/query-planner.ts';
import { readOf } from '../rewrite/query-planner.ts';
import { mapErrors } from '../server-connection/error-mapping.ts';
import type { ErrorHandler, Expectation } from '../server-connection/expectation.ts';
import { settle } from '../server-connection/pace.ts';
import { noParameters } from '../server-connection/prepared-statements.ts';
import { textToSend } from '../server-connection/statement-text.ts';
import { statementText } from '../server-connection/upstream-text.ts';
import type { Replacement } from '../sql/splice.ts';
import type { ControlAction, Statement } from '../sql/verdict.ts';
import { afterControl, beforeControl, controlDone } from './controls.ts';
import type { Conversation } from './conversation.ts';
import { checkHold } from './held-cursors.ts';
import { checkReadCalls } from './read-calls.ts';
import { noteResult } from './result-type.ts';
import { lockRows } from './row-locks.ts';
import { readReplacements } from './shared-steps.ts';

export interface Step {
  readonly plan: QueryPlan;
  readonly statement: Statement;
  /** The message holds no other statement. */
  readonly isAlone: boolean;
  readonly isLast: boolean;
}

/** Runs what must not write: guarded where it could, and otherwise as it stands. */
export async function runRead(conversation: Conversation, step: Step): Promise<boolean> {
  const { own, metrics } = conversation;
  checkHold(conversation, step.statement.verdict);
  await checkReadCalls(conversation, step.statement.verdict);
  const replacements = await replacementsIn(conversation, step);
  if (conversation.router.hasShownError) return false;
  own.guard();
  metrics.query('read');
  const isReadyShown = sendStep(conversation, step, replacements);
  await settle(conversation);
  return isReadyShown;
}

async function replacementsIn(
  conversation: Conversation,
  { plan, statement }: Step,
): Promise<readonly Replacement[]> {
  const { verdict } = statement;
  const body = readOf(verdict);
  if (body === null) return [];
  const read = { body, written: plan.text, statement };
  const locked = verdict === body ? await lockRows(conversation, read, noParameters) : null;
  return locked ?? readReplacements(conversation, body);
}

/** Sends a control statement and waits; what it changes is noted, and on success once more. */
export async function sendControl(
  conversation: Conversation,
  step: Step,
  action: ControlAction,
  replacements: readonly Replacement[],
  onSuccess: () => void = () => controlDone(conversation, action),
): Promise<boolean> {
  const outcome = { failed: false };
  if (action.type === 'begin' && conversation.state.block === 'none')
    conversation.own.beforeBegin();
  const particular = beforeControl(conversation, action);
  const isReadyShown = sendStep(conversation, step, replacements, {
    ...particular,
    onFailure: () => {
      outcome.failed = true;
      particular.onFailure?.();
    },
    onDone: () => {
      if (!outcome.failed) onSuccess();
    },
  });
  afterControl(conversation, action, replacements);
  if (action.type === 'prepare') noteResult(conversation, action.name, action.body);
  conversation.link.close();
  await settle(conversation);
  return isReadyShown;
}

/**
 * Sends the statement as a Query of its own.
 * @returns whether the client is given the ReadyForQuery that answers it
 */
export function sendStep(
  { link, names, state, own }: Conversation,
  { plan, statement, isAlone, isLast }: Step,
  replacements: readonly Replacement[],
  handlers: Partial<Expectation> = {},
  wrapErrors: (handler: ErrorHandler) => ErrorHandler = (handler) => handler,
): boolean {
  const text = textToSend(plan.text, statement, isAlone, replacements);
  const isInOwnBlock = state.block === 'own';
  const isReadyShown = isAlone && !isInOwnBlock && !own.isWatching;
  link.query(statementText(statement, text), {
    asked: 'query',
    shown: isReadyShown ? 'all' : 'answer',
    // PostgreSQL reports the last statement's success when its transaction is committed.
    holdsCompletion: isLast && isInOwnBlock,
    ...handlers,
    onError: wrapErrors(mapErrors(text, names.productionSchema)),
  });
  return isReadyShown;
}
