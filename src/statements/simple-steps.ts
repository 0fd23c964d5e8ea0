/** Runs the statements of a Query message, each in the way of its kind. */

import { hidesParameters } from '../rewrite/write-options.ts';
import { noParameters } from '../server-connection/prepared-statements.ts';
import type { ControlAction } from '../sql/verdict.ts';
import type { Write } from '../sql/write.ts';
import type { ConnectionContext } from './connection-context.ts';
import { controlReplacements } from './controls.ts';
import { enter } from './enter-call.ts';
import { originalTypes, refuseOriginal } from './original-types.ts';
import type { Step } from './send-statement.ts';
import { runRead, sendControl, sendStep } from './send-statement.ts';
import { answerToWrite } from './shared-steps.ts';
import { runExecute, runPrepare } from './simple-prepared.ts';
import { runWrite } from './simple-write.ts';
import type { StagedWrite } from './staged-write.ts';

/**
 * Runs one statement and waits for its answer.
 * @returns whether the client has been given the message's ReadyForQuery with it
 * @throws StageError for what is refused
 */
export async function runStep(context: ConnectionContext, step: Step): Promise<boolean> {
  const { verdict } = step.statement;
  switch (verdict.kind) {
    case 'read':
      return runRead(context, step);
    case 'write':
      return runQueryWrite(context, step, verdict);
    case 'control':
      return runControl(context, step, verdict.action);
    case 'refuse':
      throw new Error('a refused statement was about to run');
  }
}

async function runQueryWrite(
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
      return (call) => enter(context.internal, call, noParameters);
    },
  };
  return runWrite(context, step, staged, ({ replacements, isSet }, wrapErrors) => {
    const particular = answerToWrite(context, write, isSet);
    return sendStep(context, step, replacements, particular, wrapErrors);
  });
}

async function runControl(
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
    default:
      return sendControl(
        context,
        step,
        action,
        controlReplacements(context, action, step.statement.text),
      );
  }
}
