/** Handles Bind: creates a portal, and prepares the write if it writes. */

import type { StageError } from '../errors.ts';
import { explainsWrite } from '../rewrite/query-planner.ts';
import { isRefused } from '../rewrite/rewritten.ts';
import { deliver, mapErrors, staleNames } from '../server-connection/error-mapping.ts';
import { PendingResponse } from '../server-connection/pending-response.ts';
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import { forgetTypes, newPortal, preparingText } from '../server-connection/prepared-statements.ts';
import { checkName, internalPrefix } from '../server-connection/reserved-names.ts';
import { syncAndGoOn } from '../server-connection/sync.ts';
import { refusedText } from '../server-connection/upstream-text.ts';
import type { Read } from '../sql/read.ts';
import type { ControlAction } from '../sql/verdict.ts';
import type { Write } from '../sql/write.ts';
import type { Message } from '../wire/framer.ts';
import { decodeBind, rebindMessage } from '../wire/frontend-messages.ts';
import { MessageReader } from '../wire/message-reader.ts';
import type { ConnectionContext } from './connection-context.ts';
import { isControlling } from './controls.ts';
import { checkLockRights, needsLockCheck } from './lock-rights.ts';
import { checkBound, namesSettings } from './named-settings.ts';
import type { PreparedWrite } from './prepared-writes.ts';
import { findWrite, stagePrepared } from './prepared-writes.ts';
import { validateWithBatch } from './read-batches.ts';
import { checkReadCalls, needsBlock, needsCallCheck, openCheckedBlock } from './read-calls.ts';
import { hinted } from './read-hints.ts';
import { readOnlyRefusal } from './read-only-write.ts';
import { isOfNames } from './retry-errors.ts';
import { lockRows } from './row-locks.ts';
import { prepareAgain, refreshControl, refreshRead } from './shared-steps.ts';
import { readyWrite } from './staged-write.ts';
import { listsStatements, sendWrittenTexts } from './written-texts.ts';

/** A Bind of a statement that the proxy knows. */
export interface Bound {
  readonly message: Message;
  readonly portal: string;
  readonly statement: PreparedStatement;
}

/** Handles a Bind. @throws StageError for a refused statement */
export function bind(context: ConnectionContext, message: Message): void | Promise<void> {
  const reader = new MessageReader(message.payload);
  const portal = reader.string();
  checkName(portal);
  const name = reader.string();
  checkName(name);
  const statement = context.statements.get(name);
  // The proxy does not know the statement, which a function may have prepared. It runs as a read, so it cannot write.
  if (statement === undefined) return bindRead(context, { message, portal, statement: null });
  return bindKnown(context, { message, portal, statement });
}

/** Binds a statement that the proxy knows, whatever its name stands for. */
export function bindKnown(context: ConnectionContext, bound: Bound): void | Promise<void> {
  const { message, statement } = bound;
  const write = context.state.stages ? findWrite(context, statement, message) : null;
  if (write !== null) return bindWrite(context, bound, write);
  return isReady(context, statement) ? bindReady(context, bound) : bindUnready(context, bound);
}

/** Returns whether a statement is a read that can be bound without a query to the server or any preparation. */
function isReady(context: ConnectionContext, statement: PreparedStatement): boolean {
  const { body } = statement;
  if (body.kind !== 'read' || needsCallCheck(context, body) || namesSettings(context, body))
    return false;
  if (listsStatements(context, body) || needsLockCheck(context, body)) return false;
  return !needsBlock(context, body) && !needsRefresh(context, statement, body);
}

/** Returns whether a read of staged rows may be outdated as it was prepared. */
function needsRefresh(
  { reads, pending }: ConnectionContext,
  statement: PreparedStatement,
  { locks }: Read,
): boolean {
  if (reads === 'production' || pending.verification !== null) return false;
  return pending.resolved !== statement || locks !== undefined;
}

async function bindUnready(context: ConnectionContext, bound: Bound): Promise<void> {
  const { message, statement } = bound;
  const { body } = statement;
  // guard: the catalog is queried before a read is bound
  await checkReadCalls(context, body);
  await checkLockRights(context, body);
  await checkBound(context, statement, message);
  if (needsBlock(context, body)) await openCheckedBlock(context);
  const refusal = body.kind === 'write' ? await readOnlyError(context, body) : null;
  if (refusal !== null) return bindRefused(context, bound, refusal);
  if (body.kind === 'control') await readyControl(context, statement, body.action);
  if (body.kind === 'read' && needsRefresh(context, statement, body))
    await refreshBound(context, bound, body);
  sendWrittenTexts(context, body);
  bindReady(context, bound);
}

function bindReady(context: ConnectionContext, bound: Bound): void {
  const { verification, resolved } = context.pending;
  if (verification !== null && resolved !== bound.statement)
    validateWithBatch(context, verification, bound.message);
  bindRead(context, bound);
}

/**
 * Returns whether the proxy must refuse the write in a READ ONLY transaction: the server would not refuse the rewritten statement in the
 * same way.
 */
const isRefusedByUs = (write: Write) =>
  write.form === 'truncate' || (write.form === 'query' && write.merges.length > 0);

async function readOnlyError(
  { state, rewriter }: ConnectionContext,
  write: Write,
): Promise<StageError | null> {
  if (state.failed || !isRefusedByUs(write)) return null;
  const rewrite = await rewriter.write(write);
  return isRefused(rewrite) ? null : readOnlyRefusal(write, rewrite);
}

const refusedName = `${internalPrefix}refused`;

/** Binds a placeholder for a write that is refused when it is executed, but not earlier. The rewritten statement is not sent. */
function bindRefused(
  { internal, portals, link, retry, state }: ConnectionContext,
  { message: { payload }, portal, statement }: Bound,
  refusal: StageError,
): void {
  const types = statement.parameterTypes ?? statement.types;
  internal.prepare(refusedName, { text: refusedText, types }, deliver);
  const bound = rebindMessage(payload, refusedName);
  const onFailure = portals.set(portal, newPortal(statement, state.runs, { refusal }));
  link.send(bound, retry.track(new PendingResponse('bind', 'all', { onFailure }), statement));
}

/** Updates the upstream's statement to the command that is to run now, and clears the way for a BEGIN that opens a block. */
async function readyControl(
  context: ConnectionContext,
  statement: PreparedStatement,
  action: ControlAction,
): Promise<void> {
  if (isControlling(action)) refreshControl(context, statement, action);
  const { state, pending, internal } = context;
  if (action.type !== 'begin' || state.block !== 'none') return;
  // A BEGIN that chooses the access would fail after the snapshot of the batch's earlier statements.
  if ((state.implicit && pending.hasSnapshot) || internal.commitCheck.isUncounted)
    await syncAndGoOn(context);
  internal.beforeBegin();
}

function bindRead(
  context: ConnectionContext,
  {
    message: { frame },
    portal,
    statement,
  }: Omit<Bound, 'statement'> & { readonly statement: PreparedStatement | null },
): void {
  const { internal, portals, inFailure, link, retry, pending, state } = context;
  // Transaction control is not planned, and does not work inside the guard's savepoint. Planning a query may run functions.
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
  // constant calls run when the query is planned
  const onError = statement === null ? undefined : hinted(context, statement.statement.verdict);
  const expected = new PendingResponse('bind', 'all', { onFailure, onError });
  link.send(frame, retry.track(expected, statement));
}

/** Updates a read of staged rows. If it locks rows, these are locked first. */
async function refreshBound(
  context: ConnectionContext,
  { message, statement }: Bound,
  body: Read,
): Promise<void> {
  const { written, types, parameterTypes } = statement;
  const given = body.locks && { ...decodeBind(message.payload), types: parameterTypes ?? types };
  const read = { body, written, statement: statement.statement };
  const locked = given ? await lockRows(context, read, given) : null;
  if (locked === null) await refreshRead(context, statement);
  else prepareAgain(context, statement, locked);
}

async function bindWrite(
  context: ConnectionContext,
  bound: Bound,
  write: PreparedWrite,
): Promise<void> {
  const { message, portal, statement } = bound;
  const { retry, portals, link, names, pending, state, hasSync } = context;
  const { statement: target, body } = write;
  const isNew = pending.resolved === target;
  // guard: names of a read that was parsed before a write of its batch are queried again when it is bound
  if (pending.resolved?.body.kind === 'read') pending.resolved = null;
  const staged = await stagePrepared(context, write);
  // the data of a COPY is only buffered in the simple protocol
  const mayBeSet = body.form !== 'copy' && hasSync() && retry.fits(message);
  // A statement that this batch parsed was analysed with the previous overlay. Its parameters may have other types by now.
  const mayBeStale = (sqlstate: string) => {
    if (!isNew) return false;
    if (sqlstate !== staleNames && !isOfNames(sqlstate)) return false;
    forgetTypes(target);
    return true;
  };
  const ready = await readyWrite(context, staged, { mayBeSet, message, mayBeStale });
  // PostgreSQL refuses a COPY only when it is run
  if (ready === 'run') return bindRead(context, bound);
  if (isRefused(ready)) return staged.refuse();
  const defines = ready.rewrite.definition !== null;
  // statements between the Bind and the Execute of a definition must not count as part of it
  if (!defines) ready.begin();
  const made = newPortal(statement, state.runs, {
    write: {
      begin: ready.begin,
      stageRowByRow: ready.stageRowByRow,
      target,
      name: portal,
      bound: message,
    },
  });
  pending.begun = defines ? null : made;
  const restore = portals.set(portal, made);
  const onError = retry.before(mapErrors(preparingText(statement), names));
  const expected = new PendingResponse('bind', 'all', { onFailure: restore, onError });
  link.send(message.frame, retry.track(expected, statement));
  // Once data flows, the COPY cannot be run again, so the names must be verified before.
  if (body.form !== 'copy') return;
  await syncAndGoOn(context);
  pending.begun = made;
}
