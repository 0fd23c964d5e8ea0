/** PREPARE and EXECUTE as SQL statements of a Query message. */

import { movesPath } from '../rewrite/query-planner.ts';
import { watched } from '../rewrite/rewrite.ts';
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import { sqlStatement } from '../server-connection/prepared-statements.ts';
import type { ControlAction } from '../sql/verdict.ts';
import type { Write } from '../sql/write.ts';
import type { ConnectionContext } from './connection-context.ts';
import { makeMergeTarget } from './enter-call.ts';
import { checkNamed, namesSettings } from './named-settings.ts';
import { refusePrepared } from './original-types.ts';
import { checkReadCalls, needsLook } from './read-calls.ts';
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
  context: ConnectionContext,
  step: Step,
  action: Prepare,
): Promise<boolean> {
  const { statements, state } = context;
  const { plan, statement } = step;
  // guard: the catalog is asked before a statement is prepared by SQL
  await checkReadCalls(context, statement.verdict);
  if (needsLook(context, statement.verdict)) context.internal.begin();
  const preparation = { written: plan.text, statement, action };
  const made = await prepareReplacements(context, preparation);
  return sendControl(context, step, action, made.replacements, () => {
    statements.set(action.name, sqlStatement(plan.text, statement, action, made, state.runs));
  });
}

/** Runs a prepared statement; if there is none, PostgreSQL itself says so. */
export async function runExecute(
  context: ConnectionContext,
  step: Step,
  action: Execute,
): Promise<boolean> {
  const statement = context.statements.get(action.name);
  if (statement?.body.kind === 'write') {
    return executeWrite(context, step, action, statement, statement.body);
  }
  if (statement === undefined) return runRead(context, step);
  await refreshRead(context, statement);
  if (namesSettings(context, statement.body))
    await checkNamed(context, { statement, values: action.constants });
  const isReadyShown = await runRead(context, step);
  if (movesPath(statement.body)) context.names.forget();
  return isReadyShown;
}

async function executeWrite(
  context: ConnectionContext,
  step: Step,
  action: Execute,
  statement: PreparedStatement,
  body: Write,
): Promise<boolean> {
  const runsCode = await context.rewriter.checkCalls(action.calls);
  const { plan, statement: written } = step;
  const expressions = { written: plan.text, statement: written, places: action.arguments };
  return runWrite(context, step, {
    body,
    bodyText: statement.bodyText,
    refuse: () => refusePrepared(context, statement, body),
    prepare: async ({ replacements, fill }, wrapErrors) => {
      if (fill !== null) makeMergeTarget(context.internal, fill);
      prepareAgain(context, statement, replacements, wrapErrors);
      await checkResult(context, statement);
      await learnParameterTypes(context, statement);
    },
    enter: (call) => {
      const rewrite = runsCode ? watched(call.rewrite) : call.rewrite;
      enterExecute(context, { ...call, rewrite }, statement, expressions);
    },
    send: (_, wrapErrors) => sendStep(context, step, [], answerToWrite(context, body), wrapErrors),
  });
}
