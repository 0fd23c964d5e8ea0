/** Runs control statements of a Query message, including PREPARE and EXECUTE. */

import { movesPath } from '../rewrite/query-planner.ts';
import type { PrepareReplacements } from '../server-connection/prepared-statements.ts';
import { sqlStatement } from '../server-connection/prepared-statements.ts';
import { textToSend } from '../server-connection/statement-text.ts';
import { waitForResponses } from '../server-connection/sync.ts';
import { statementText } from '../server-connection/upstream-text.ts';
import type { ControlAction } from '../sql/verdict.ts';
import type { ConnectionContext } from './connection-context.ts';
import { controlReplacements, errorsOf, sendControl } from './controls.ts';
import { noteFailure } from './failed-portals.ts';
import { checkNamed, namesSettings } from './named-settings.ts';
import { stagePrepared } from './prepared-writes.ts';
import { checkReadCalls, needsBlock } from './read-calls.ts';
import type { Step } from './send-statement.ts';
import { runRead, sendStep } from './send-statement.ts';
import { prepareReplacements, refreshRead, responseToWrite } from './shared-steps.ts';
import { runWrite } from './simple-write.ts';

type Prepare = Extract<ControlAction, { type: 'prepare' }>;
type Execute = Extract<ControlAction, { type: 'execute' }>;

/**
 * Runs one control statement and waits for its response.
 * @returns whether the client has received the message's ReadyForQuery with it
 * @throws StageError for a refused statement
 */
export async function runControl(
  context: ConnectionContext,
  step: Step,
  action: ControlAction,
): Promise<boolean> {
  switch (action.type) {
    case 'prepare':
      return runPrepare(context, step, action);
    case 'execute':
      return runExecute(context, step, action);
    case 'declare':
    case 'fetch':
    case 'close':
    case 'pass':
      return runRead(context, step);
    default: {
      const replacements = controlReplacements(context, action, step.statement.text);
      return sendAndWait(context, step, action, { replacements, typeList: [] });
    }
  }
}

/** Prepares a statement under the client's name, with overlay names in the body of a write. */
async function runPrepare(
  context: ConnectionContext,
  step: Step,
  action: Prepare,
): Promise<boolean> {
  const { plan, statement } = step;
  // guard: the catalog is queried before a statement is prepared by SQL
  await checkReadCalls(context, statement.verdict);
  if (needsBlock(context, statement.verdict)) context.internal.begin();
  const preparation = { written: plan.text, statement, action };
  const made = await prepareReplacements(context, preparation);
  return sendAndWait(context, step, action, made);
}

async function sendAndWait(
  context: ConnectionContext,
  step: Step,
  action: ControlAction,
  made: PrepareReplacements,
): Promise<boolean> {
  const { state, internal, link } = context;
  const { plan, statement } = step;
  const { replacements } = made;
  const outcome = { failed: false, isReadyShown: false };
  if (action.type === 'begin' && state.block === 'none') internal.beforeBegin();
  sendControl(context, action, {
    replacements,
    text: () => statementText(statement, textToSend(plan.text, statement, false, replacements)),
    prepared: (prepare) => sqlStatement(plan.text, statement, prepare, made, state.runs),
    send: (particulars) => {
      const onFailure = () => {
        outcome.failed = true;
        noteFailure(context, action);
        particulars.onFailure?.();
      };
      const onDone = () => {
        if (!outcome.failed) particulars.onDone();
      };
      const handlers = { ...particulars, onFailure, onDone };
      const errors = errorsOf(action);
      outcome.isReadyShown = sendStep(context, step, replacements, handlers, errors);
    },
  });
  link.close();
  await waitForResponses(context);
  return outcome.isReadyShown;
}

/** Runs a prepared statement. If there is none, PostgreSQL itself reports that. */
async function runExecute(
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
      sendStep(context, step, [], responseToWrite(context, body), wrapErrors),
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
