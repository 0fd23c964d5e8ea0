/** Runs the statements of a Query message, each in the way of its kind. */

import { hidesParameters } from '../rewrite/write-options.ts';
import { noParameters } from '../server-connection/prepared-statements.ts';
import type { ControlAction, Write } from '../sql/verdict.ts';
import { controlReplacements } from './controls.ts';
import type { Conversation } from './conversation.ts';
import { learnDefault } from './default-access.ts';
import { enter } from './enter-call.ts';
import { originalTypes, refuseOriginal } from './original-types.ts';
import type { Step } from './send-statement.ts';
import { runRead, sendControl, sendStep } from './send-statement.ts';
import { answerToWrite } from './shared-steps.ts';
import { runExecute, runPrepare } from './simple-prepared.ts';
import { runWrite } from './simple-write.ts';

/**
 * Runs one statement and waits for its answer.
 * @returns whether the client has been given the message's ReadyForQuery with it
 * @throws StageError for what is refused
 */
export async function runStep(conversation: Conversation, step: Step): Promise<boolean> {
  const { verdict } = step.statement;
  if (conversation.state.isDefaultUnknown) await learnDefault(conversation);
  switch (verdict.kind) {
    case 'read':
      return runRead(conversation, step);
    case 'write':
      return runQueryWrite(conversation, step, verdict);
    case 'control':
      return runControl(conversation, step, verdict.action);
    case 'refuse':
      throw new Error('a refused statement was about to run');
  }
}

async function runQueryWrite(
  conversation: Conversation,
  step: Step,
  write: Write,
): Promise<boolean> {
  const { plan, statement } = step;
  const original = { written: plan.text, start: statement.start, statement: statement.text };
  const refuse = () => refuseOriginal(conversation, write, original, null);
  // A Query has no parameters, and PostgreSQL says so; in what is sent in its place they may be missing.
  if (hidesParameters(write) && !conversation.state.failed) return refuse();
  return runWrite(conversation, step, {
    body: write,
    bodyText: statement.text,
    refuse,
    // Mistakes are told of the client's own text: what is sent runs on another table.
    prepare: async ({ fill }) => {
      if (fill !== null) await originalTypes(conversation, original, []);
    },
    send: ({ replacements }, wrapErrors) => {
      const particular = answerToWrite(conversation, write);
      return sendStep(conversation, step, replacements, particular, wrapErrors);
    },
    enter: (call) => enter(conversation.own, call, noParameters),
  });
}

async function runControl(
  conversation: Conversation,
  step: Step,
  action: ControlAction,
): Promise<boolean> {
  switch (action.type) {
    case 'prepare':
      return runPrepare(conversation, step, action);
    case 'execute':
      return runExecute(conversation, step, action);
    case 'declare':
    case 'fetch':
    case 'close':
    case 'pass':
      return runRead(conversation, step);
    default:
      return sendControl(
        conversation,
        step,
        action,
        controlReplacements(conversation, action, step.statement.text),
      );
  }
}
