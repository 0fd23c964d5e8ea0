/** PREPARE and EXECUTE as SQL statements of a Query message. */

import { watched } from '../rewrite/rewrite.ts';
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import { sqlStatement } from '../server-connection/prepared-statements.ts';
import type { ControlAction, Write } from '../sql/verdict.ts';
import type { Conversation } from './conversation.ts';
import { makeMergeTarget } from './enter-call.ts';
import { refusePrepared } from './original-types.ts';
import { checkReadCalls } from './read-calls.ts';
import { checkResult } from './result-type.ts';
import type { Step } from './send-statement.ts';
import { runRead, sendControl, sendStep } from './send-statement.ts';
import {
  answerToWrite,
  enterExecute,
  learnParameterTypes,
  prepareAgain,
  prepareReplacements,
  refreshRead,
} from './shared-steps.ts';
import { runWrite } from './simple-write.ts';

type Prepare = Extract<ControlAction, { type: 'prepare' }>;
type Execute = Extract<ControlAction, { type: 'execute' }>;

/** Prepares under the client's name, with overlay names in the body of a write. */
export async function runPrepare(
  conversation: Conversation,
  step: Step,
  action: Prepare,
): Promise<boolean> {
  const { statements, state } = conversation;
  const { plan, statement } = step;
  await checkReadCalls(conversation, statement.verdict);
  const preparation = { written: plan.text, statement, action };
  const made = await prepareReplacements(conversation, preparation);
  return sendControl(conversation, step, action, made.replacements, () => {
    statements.set(action.name, sqlStatement(plan.text, statement, action, made, state.runs));
  });
}

/** Runs a prepared statement; if there is none, PostgreSQL itself says so. */
export async function runExecute(
  conversation: Conversation,
  step: Step,
  action: Execute,
): Promise<boolean> {
  const statement = conversation.statements.get(action.name);
  if (statement?.body.kind === 'write') {
    return executeWrite(conversation, step, action, statement, statement.body);
  }
  if (statement !== undefined) await refreshRead(conversation, statement);
  return runRead(conversation, step);
}

async function executeWrite(
  conversation: Conversation,
  step: Step,
  action: Execute,
  statement: PreparedStatement,
  body: Write,
): Promise<boolean> {
  const runsCode = await conversation.rewriter.checkCalls(action.calls);
  const { plan, statement: written } = step;
  const expressions = { written: plan.text, statement: written, places: action.arguments };
  return runWrite(conversation, step, {
    body,
    bodyText: statement.bodyText,
    refuse: () => refusePrepared(conversation, statement, body),
    prepare: async ({ replacements, fill }) => {
      if (fill !== null) makeMergeTarget(conversation.own, fill);
      prepareAgain(conversation, statement, replacements);
      await checkResult(conversation, statement);
      await learnParameterTypes(conversation, statement);
    },
    enter: (call) => {
      const rewrite = runsCode ? watched(call.rewrite) : call.rewrite;
      enterExecute(conversation, { ...call, rewrite }, statement, expressions);
    },
    send: (_, wrapErrors) =>
      sendStep(conversation, step, [], answerToWrite(conversation, body), wrapErrors),
  });
}
