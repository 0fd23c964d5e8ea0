/** Handles Execute: runs a portal in the transaction that its statement needs. */

import { explainsWrite, movesPath } from '../rewrite/query-planner.ts';
import { mapErrors } from '../server-connection/error-mapping.ts';
import type { Particulars } from '../server-connection/pending-response.ts';
import { PendingResponse, passing } from '../server-connection/pending-response.ts';
import type {
  Portal,
  PortalWrite,
  PreparedStatement,
} from '../server-connection/prepared-statements.ts';
import { inBody, preparingText, sqlStatement } from '../server-connection/prepared-statements.ts';
import { checkName, internalPrefix } from '../server-connection/reserved-names.ts';
import { statementText } from '../server-connection/upstream-text.ts';
import type { ControlAction } from '../sql/verdict.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import type { Message } from '../wire/framer.ts';
import { decodeExecute, rebindMessage } from '../wire/frontend-messages.ts';
import type { ConnectionContext } from './connection-context.ts';
import { errorsOf, isControlling, sendControl } from './controls.ts';
import { refuseInFailure } from './failed-portals.ts';
import type { Execution } from './named-settings.ts';
import { checkNamed, executionIn, namesSettings } from './named-settings.ts';
import { refusePrepared } from './original-types.ts';
import { checkCursorWithHold, noteHeldCursor } from './read-calls.ts';
import { hinted } from './read-hints.ts';
import { prepareAgain, prepareUnder, responseToWrite } from './shared-steps.ts';
import { noteDeclared } from './written-texts.ts';

/** Handles an Execute. @throws StageError for a refused statement */
export function execute(context: ConnectionContext, message: Message): void | Promise<void> {
  const { portal: name } = decodeExecute(message.payload);
  checkName(name);
  refuseInFailure(context, name);
  const portal = context.portals.get(name);
  const execution = portal ? executionIn(context, portal.statement.body) : null;
  // guard: another statement may have got the name since its EXECUTE was bound
  if (execution !== null && namesSettings(context, execution.statement.body))
    return executeNaming(context, message, portal, execution);
  return executePortal(context, message, portal);
}

async function executeNaming(
  context: ConnectionContext,
  message: Message,
  portal: Portal | undefined,
  execution: Execution,
): Promise<void> {
  await checkNamed(context, execution);
  await executePortal(context, message, portal);
}

function executePortal(
  context: ConnectionContext,
  message: Message,
  portal: Portal | undefined,
): void | Promise<void> {
  const body = portal?.statement.body;
  if (portal && body?.kind === 'control' && isControlling(body.action)) {
    // It may end the transaction in which a write was bound and thereby planned.
    context.internal.endTripwire();
    executeControl(context, message, portal, body.action);
  } else if (portal?.refusal) {
    throw portal.refusal;
  } else if (portal?.write && !portal.started && !context.state.failed) {
    return executeWrite(context, message, portal, portal.write);
  } else if (body?.kind === 'write' && portal?.statement.refusedWhen === 'run') {
    return refusePrepared(context, portal.statement, body);
  } else return executeRead(context, message, portal);
}

/**
 * Runs a portal as a read. This includes the remaining rows of a started write, which runs nothing, and cursors, whose names are unknown
 * here.
 */
function executeRead(
  context: ConnectionContext,
  { frame }: Message,
  portal: Portal | undefined,
): void | Promise<void> {
  const { internal, metrics, link, names, retry, pending, state } = context;
  if (portal) checkCursorWithHold(context, portal.statement.body);
  pending.hasSnapshot = true;
  if (portal?.started !== true) metrics.query('read');
  if (portal && !state.failed) portal.started = true;
  const execution = portal ? executionIn(context, portal.statement.body) : null;
  const run = execution?.statement ?? portal?.statement;
  if (run && movesPath(run.body)) names.forget();
  const isHinted = portal !== undefined && explainsWrite(portal.statement.statement.verdict);
  // The portal of an EXPLAIN of a write is inside the guard. Another guard would destroy the portal.
  if (!isHinted || !state.guardsWrite) internal.guard(isHinted);
  if (portal) return sendPortal(context, frame, portal);
  link.send(frame, retry.track(passing.execute));
}

function sendPortal(
  context: ConnectionContext,
  frame: Buffer,
  portal: Portal,
): void | Promise<void> {
  const { link, retry } = context;
  const { statement } = portal;
  const { verdict } = statement.statement;
  if (statement.replacements.length > 0 || explainsWrite(verdict))
    return sendChanged(context, frame, portal);
  const onError = hinted(context, verdict);
  const expected = onError ? new PendingResponse('execute', 'all', { onError }) : passing.execute;
  link.send(frame, retry.track(expected));
  noteHeldCursor(context, statement.body);
}

/** Runs a statement whose sent text differs from the client's. */
function sendChanged(
  context: ConnectionContext,
  frame: Buffer,
  { statement }: Portal,
): void | Promise<void> {
  const { link, names, retry, copyIn, stagedNotice } = context;
  const sentText = preparingText(statement);
  const onError = hinted(context, statement.statement.verdict, mapErrors(sentText, names));
  const { body } = statement;
  noteDeclared(context, body, sentText);
  const isCopy = body.kind === 'write' && body.form === 'copy';
  const particular = isCopy ? responseToWrite({ copyIn, stagedNotice }, body) : {};
  link.send(frame, retry.track(new PendingResponse('execute', 'all', { onError }, particular)));
  noteHeldCursor(context, body);
  if (!isCopy) return;
  // READ ONLY permits a COPY into a temporary table
  link.requestFlush();
  return copyIn.begun();
}

/** The name of a portal's statement that the client has closed, or whose name it has given to another one. */
const formerName = `${internalPrefix}former`;

function executeWrite(
  context: ConnectionContext,
  { frame }: Message,
  portal: Portal,
  { begin, stageRowByRow, bound, name, target }: PortalWrite,
): void | Promise<void> {
  const { internal, metrics, link, names, retry, pending, copyIn, state } = context;
  metrics.query('write');
  pending.writeStart ??= performance.now();
  internal.releaseGuard();
  const mapped = mapErrors(preparingText(portal.statement), names);
  const onError = retry.before(mapped, { stageRowByRow });
  // guard: a portal that a read may have replaced is not run as a write
  const isReplaceable = portal.runs !== state.runs;
  // one of SQL can only be prepared under its name
  const isNamed = (each: PreparedStatement) =>
    each.origin === 'sql' || context.statements.get(each.name) === each;
  // guard: a name stands for the statement that the client gave it last
  const isFormer = isReplaceable && !isNamed(portal.statement);
  if (isFormer) prepareUnder(context, formerName, portal.statement);
  if (isReplaceable) {
    for (const each of new Set([target, portal.statement]))
      if (isNamed(each)) prepareAgain(context, each, inBody(each));
  }
  // Another write may have been bound since then, whose `stage.begin_statement` replaced this one's.
  if (pending.begun !== portal) begin();
  // Code that has run since may have replaced the portal.
  if (isReplaceable)
    internal.bindAgain(
      name,
      isFormer ? rebindMessage(bound.payload, formerName) : bound.frame,
      onError,
    );
  pending.begun = null;
  portal.started = true;
  // for an EXECUTE, the body of the statement that it executes
  const { body } = target;
  const particular: Particulars = body.kind === 'write' ? responseToWrite(context, body) : {};
  // A portal that was skipped can still be run.
  const onFailure = () => {
    portal.started = false;
    particular.onFailure?.();
  };
  const onStatementError = (fields: ErrorFields) => {
    portal.started = true;
    return onError(fields);
  };
  const handlers = { onError: onStatementError, onFailure };
  const expected = new PendingResponse('execute', 'all', handlers, particular);
  link.send(frame, retry.track(expected));
  if (body.kind !== 'write' || body.form !== 'copy') {
    internal.endTripwire();
    return;
  }
  link.requestFlush();
  // The response decides whether the client's next messages are data.
  return copyIn.begun();
}

function executeControl(
  context: ConnectionContext,
  { frame }: Message,
  portal: Portal,
  action: ControlAction,
): void {
  const { link, retry, names, state } = context;
  const { statement } = portal;
  const sentText = preparingText(statement);
  sendControl(context, action, {
    replacements: statement.replacements,
    text: () => statementText(statement.statement, sentText),
    prepared: (prepare) =>
      sqlStatement(statement.written, statement.statement, prepare, statement, state.runs),
    send: (particulars) => {
      const onError = errorsOf(action)(mapErrors(sentText, names));
      const expected = new PendingResponse('execute', 'all', { onError }, particulars);
      link.send(frame, retry.track(expected));
    },
  });
  if (action.type === 'set transaction' && action.access && state.block === 'none')
    state.setImplicitAccess(action.access);
}
