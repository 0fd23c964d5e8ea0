/** Bind: a portal is made, and where it writes, the write is made ready. */

import type { StageError } from '../errors.ts';
import { explainsWrite } from '../rewrite/query-planner.ts';
import { isRefused } from '../rewrite/rewrite.ts';
import { hidesParameters } from '../rewrite/write-options.ts';
import { deliver, mapErrors } from '../server-connection/error-mapping.ts';
import { PendingResponse } from '../server-connection/pending-response.ts';
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import { forgetTypes, newPortal, preparingText } from '../server-connection/prepared-statements.ts';
import { checkName, ownPrefix } from '../server-connection/reserved-names.ts';
import { syncAndGoOn } from '../server-connection/sync.ts';
import { refusedText } from '../server-connection/upstream-text.ts';
import type { Replacement } from '../sql/splice.ts';
import type { Write } from '../sql/write.ts';
import type { Message } from '../wire/framer.ts';
import { bindMessage, decodeBind } from '../wire/frontend-messages.ts';
import { MessageReader } from '../wire/message-reader.ts';
import type { ConnectionContext } from './connection-context.ts';
import { isControlling } from './controls.ts';
import { checkBound, namesSettings } from './named-settings.ts';
import type { PreparedWrite } from './prepared-writes.ts';
import { findWrite, stagePrepared } from './prepared-writes.ts';
import { verifyAlong } from './read-batches.ts';
import { checkReadCalls, needsAsking, needsLook, openLook } from './read-calls.ts';
import { readOnlyRefusal } from './read-only-write.ts';
import { lockRows } from './row-locks.ts';
import { prepareAgain, refreshControl, refreshRead } from './shared-steps.ts';
import { readyWrite } from './staged-write.ts';

/** @throws StageError for what is refused */
export function bind(context: ConnectionContext, message: Message): void | Promise<void> {
  const reader = new MessageReader(message.payload);
  const portal = reader.string();
  checkName(portal);
  const name = reader.string();
  checkName(name);
  const { statements, state } = context;
  const statement = statements.get(name);
  // The proxy does not know the statement: a function may have prepared it. It runs as a read, so that it cannot write.
  if (statement === undefined) return bindRead(context, message, portal, null);
  const write = state.stages ? findWrite(context, statement, message) : null;
  if (write !== null) return bindWrite(context, message, portal, statement, write);
  // guard: the catalog is asked before a read is bound
  if (needsAsking(context, statement.body) || namesSettings(context, statement.body))
    return bindJudged(context, message, portal, statement);
  return bindUnstaged(context, message, portal, statement);
}

async function bindJudged(
  context: ConnectionContext,
  message: Message,
  portal: string,
  statement: PreparedStatement,
): Promise<void> {
  await checkReadCalls(context, statement.body);
  await checkBound(context, statement, message);
  await bindUnstaged(context, message, portal, statement);
}

async function bindLookedAt(
  context: ConnectionContext,
  message: Message,
  portal: string,
  statement: PreparedStatement,
): Promise<void> {
  await openLook(context);
  await bindUnstaged(context, message, portal, statement);
}

function bindUnstaged(
  context: ConnectionContext,
  message: Message,
  portal: string,
  statement: PreparedStatement,
): void | Promise<void> {
  const { state, reads, pending } = context;
  if (needsLook(context, statement.body)) return bindLookedAt(context, message, portal, statement);
  if (statement.body.kind === 'write' && !state.failed && isRefusedByUs(statement.body))
    return bindReadOnly(context, message, portal, statement, statement.body);
  if (statement.body.kind === 'control' && isControlling(statement.body.action))
    refreshControl(context, statement, statement.body.action);
  const isResolved = pending.resolved === statement;
  if (pending.verification !== null) {
    if (!isResolved) verifyAlong(context, message, pending.verification);
  } else if (reads === 'staged' && (!isResolved || locksOf(statement)))
    return bindStagedRead(context, message, portal, statement);
  const begins = statement.body.kind === 'control' && statement.body.action.type === 'begin';
  if (begins && state.block === 'none') return bindBegin(context, message, portal, statement);
  bindRead(context, message, portal, statement);
}

/** Whether the server would not refuse what is sent in its place in a READ ONLY transaction as it refuses the statement. */
const isRefusedByUs = (write: Write) =>
  write.form === 'truncate' || (write.form === 'query' && write.merges.length > 0);

async function bindReadOnly(
  context: ConnectionContext,
  message: Message,
  portal: string,
  statement: PreparedStatement,
  write: Write,
): Promise<void> {
  const rewrite = await context.rewriter.write(write);
  const refusal = isRefused(rewrite) ? null : readOnlyRefusal(write, rewrite);
  if (refusal !== null) return bindRefused(context, message, portal, statement, refusal);
  bindRead(context, message, portal, statement);
}

const refusedName = `${ownPrefix}refused`;

/** Binds what is refused when it is executed, and not before: what would be sent in its place stays out of it. */
function bindRefused(
  { internal, portals, link, retry, state }: ConnectionContext,
  { payload }: Message,
  portal: string,
  statement: PreparedStatement,
  refusal: StageError,
): void {
  const types = statement.parameterTypes ?? statement.types;
  internal.prepare(refusedName, { text: refusedText, types }, deliver);
  const bound = bindMessage({ ...decodeBind(payload), statement: refusedName });
  const onFailure = portals.set(portal, newPortal(statement, state.runs, { refusal }));
  link.send(bound, retry.answer(new PendingResponse('bind', 'all', { onFailure })));
}

function bindBegin(
  context: ConnectionContext,
  message: Message,
  portal: string,
  statement: PreparedStatement,
): void | Promise<void> {
  const { state, pending, internal } = context;
  if ((state.implicit && pending.hasSnapshot) || internal.wall.isUncounted)
    return bindAfterWait(context, message, portal, statement);
  internal.beforeBegin();
  bindRead(context, message, portal, statement);
}

/** A transaction whose access is chosen cannot go on with the snapshot of what ran before it in the batch. */
async function bindAfterWait(
  context: ConnectionContext,
  message: Message,
  portal: string,
  statement: PreparedStatement,
): Promise<void> {
  await syncAndGoOn(context);
  context.internal.beforeBegin();
  bindRead(context, message, portal, statement);
}

function bindRead(
  context: ConnectionContext,
  { frame }: Message,
  portal: string,
  statement: PreparedStatement | null,
): void {
  const { internal, portals, inFailure, link, retry, pending, state } = context;
  // Transaction control is not planned, and would not stand the savepoint. Planning a query may run functions.
  if (statement?.body.kind !== 'control') {
    internal.guard(statement !== null && explainsWrite(statement.statement.verdict));
    pending.hasSnapshot = true;
  }
  const restore =
    statement === null
      ? portals.delete(portal)
      : portals.set(portal, newPortal(statement, state.runs));
  const remember = inFailure.delete(portal);
  const onFailure = () => {
    restore();
    remember();
  };
  link.send(frame, retry.answer(new PendingResponse('bind', 'all', { onFailure })));
}

async function bindStagedRead(
  context: ConnectionContext,
  message: Message,
  portal: string,
  statement: PreparedStatement,
): Promise<void> {
  const locked = locksOf(statement) ? await lockBound(context, message, statement) : null;
  if (locked === null) await refreshRead(context, statement);
  else prepareAgain(context, statement, locked);
  bindRead(context, message, portal, statement);
}

const locksOf = ({ body }: PreparedStatement) => (body.kind === 'read' ? body.locks : undefined);

async function lockBound(
  context: ConnectionContext,
  message: Message,
  { body, written, statement, types, parameterTypes }: PreparedStatement,
): Promise<readonly Replacement[] | null> {
  const given = { ...decodeBind(message.payload), types: parameterTypes ?? types };
  return body.kind === 'read' ? lockRows(context, { body, written, statement }, given) : null;
}

async function bindWrite(
  context: ConnectionContext,
  message: Message,
  portal: string,
  statement: PreparedStatement,
  write: PreparedWrite,
): Promise<void> {
  const { retry, portals, link, names, pending, state, hasSync } = context;
  const { statement: target, body } = write;
  const isNew = pending.resolved === target;
  const staged = await stagePrepared(context, write);
  // the data of a COPY is kept where a Query has asked for it
  const mayBeSet = body.form !== 'copy' && hasSync() && retry.canKeep(message);
  // What was parsed in this batch was analysed with the overlay as it was: its parameters may have other types by now.
  const mayBeStale = (sqlstate: string) => {
    if (!isNew || hidesParameters(body) || !sqlstate.startsWith('22')) return false;
    forgetTypes(target);
    return true;
  };
  const ready = await readyWrite(context, staged, { mayBeSet, message, mayBeStale });
  // of a COPY PostgreSQL says it when it is run
  if (ready === 'run') return bindRead(context, message, portal, statement);
  if (isRefused(ready)) return staged.refuse();
  ready.enter();
  const bound = {
    enter: ready.enter,
    stageRowByRow: ready.stageRowByRow,
    target,
    name: portal,
    frame: message.frame,
  };
  const made = newPortal(statement, state.runs, { write: bound });
  pending.entered = made;
  const restore = portals.set(portal, made);
  const onError = retry.before(mapErrors(preparingText(statement), names.productionSchema));
  const expected = new PendingResponse('bind', 'all', { onFailure: restore, onError });
  link.send(message.frame, retry.answer(expected));
  // With data under way it could not be run again: whether names are still good must be known before.
  if (body.form !== 'copy') return;
  await syncAndGoOn(context);
  pending.entered = made;
}
