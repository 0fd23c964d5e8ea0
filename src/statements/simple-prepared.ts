/** PREPARE and EXECUTE as SQL statements of a Query message. */

import { movesPath } from '../rewrite/query-planner.ts';
import { sqlStatement } from '../server-connection/prepared-statements.ts';
import type { ControlAction } from '../sql/verdict.ts';
import type { ConnectionContext } from './connection-context.ts';
import { checkNamed, namesSettings } from './named-settings.ts';
import { stagePrepared } from './prepared-writes.ts';
import { checkReadCalls, needsLook } from './read-calls.ts';
import type { Step } from './send-statement.ts';
import { runRead, sendControl, sendStep } from './send-statement.ts';
import { answerToWrite, prepareReplacements, refreshRead } from './shared-steps.ts';
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
    const { body } = statement;
    const { plan, statement: written } = step;
    const expressions = { written: plan.text, statement: written, places: action.arguments };
    const write = { statement, body, given: { expressions, calls: action.calls } };
    return runWrite(context, step, await stagePrepared(context, write), (_, wrapErrors) =>
      sendStep(context, step, [], answerToWrite(context, body), wrapErrors),
    );
  }
  if (statement === undefined) return runRead(context, step);
  await refreshRead(context, statement);
  if (namesSettings(context, statement.body))
    await checkNamed(context, { statement, values: action.constants });
  const isReadyShown = await runRead(context, step);
  if (movesPath(statement.body)) context.names.forget();
  return isReadyShown;
}
