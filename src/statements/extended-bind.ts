/** Bind: a portal is made, and where it writes, the write is made ready. */

import { isRefused } from '../rewrite/rewrite.ts';
import { mapErrors } from '../server-connection/error-mapping.ts';
import { passing } from '../server-connection/expectation.ts';
import { fence } from '../server-connection/pace.ts';
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import { preparingText } from '../server-connection/prepared-statements.ts';
import { checkName } from '../server-connection/reserved-names.ts';
import type { Replacement } from '../sql/splice.ts';
import type { Write } from '../sql/verdict.ts';
import type { Message } from '../wire/framer.ts';
import { decodeBind } from '../wire/frontend-messages.ts';
import { MessageReader } from '../wire/message-reader.ts';
import { isControlling } from './controls.ts';
import type { Conversation } from './conversation.ts';
import type { PreparedWrite } from './extended-write.ts';
import { findWrite, readyForWrite } from './extended-write.ts';
import { checkReadCalls, needsAsking } from './read-calls.ts';
import { checkReadOnly } from './read-only-write.ts';
import { lockRows } from './row-locks.ts';
import { prepareAgain, refreshControl, refreshRead } from './shared-steps.ts';

/** @throws StageError for what is refused */
export function bind(conversation: Conversation, message: Message): void | Promise<void> {
  const reader = new MessageReader(message.payload);
  const portal = reader.string();
  checkName(portal);
  const name = reader.string();
  checkName(name);
  const { statements, state } = conversation;
  const statement = statements.get(name);
  // The proxy does not know the statement: a function may have prepared it. It runs as a read, so that it cannot write.
  if (statement === undefined) return bindRead(conversation, message, portal, null);
  const write = state.stages ? findWrite(conversation, statement) : null;
  if (write !== null) return bindWrite(conversation, message, portal, statement, write);
  if (needsAsking(conversation, statement.body))
    return bindJudged(conversation, message, portal, statement);
  return bindUnstaged(conversation, message, portal, statement);
}

async function bindJudged(
  conversation: Conversation,
  message: Message,
  portal: string,
  statement: PreparedStatement,
): Promise<void> {
  await checkReadCalls(conversation, statement.body);
  if (!conversation.router.hasShownError)
    await bindUnstaged(conversation, message, portal, statement);
}

function bindUnstaged(
  conversation: Conversation,
  message: Message,
  portal: string,
  statement: PreparedStatement,
): void | Promise<void> {
  const { state, reads, pending } = conversation;
  if (statement.body.kind === 'write' && !state.failed && isRefusedByUs(statement.body))
    return bindReadOnly(conversation, message, portal, statement, statement.body);
  if (statement.body.kind === 'control' && isControlling(statement.body.action))
    refreshControl(conversation, statement, statement.body.action);
  if (reads === 'staged' && (pending.resolved !== statement || locksOf(statement)))
    return bindStagedRead(conversation, message, portal, statement);
  const begins = statement.body.kind === 'control' && statement.body.action.type === 'begin';
  if (begins && state.block === 'none') return bindBegin(conversation, message, portal, statement);
  bindRead(conversation, message, portal, statement);
}

/** Whether the server would not refuse what is sent in its place in a READ ONLY transaction as it refuses the statement. */
const isRefusedByUs = ({ truncate, merges }: Write) => truncate !== null || merges.length > 0;

async function bindReadOnly(
  conversation: Conversation,
  message: Message,
  portal: string,
  statement: PreparedStatement,
  write: Write,
): Promise<void> {
  const rewrite = await conversation.rewriter.write(write);
  if (conversation.router.hasShownError) return;
  if (!isRefused(rewrite)) checkReadOnly(write, rewrite);
  bindRead(conversation, message, portal, statement);
}

function bindBegin(
  conversation: Conversation,
  message: Message,
  portal: string,
  statement: PreparedStatement,
): void | Promise<void> {
  const { state, pending, own } = conversation;
  if ((state.implicit && pending.hasSnapshot) || own.wall.isUncounted)
    return bindBehindFence(conversation, message, portal, statement);
  own.beforeBegin();
  bindRead(conversation, message, portal, statement);
}

/** A transaction whose access is chosen cannot go on with the snapshot of what ran before it in the batch. */
async function bindBehindFence(
  conversation: Conversation,
  message: Message,
  portal: string,
  statement: PreparedStatement,
): Promise<void> {
  await fence(conversation);
  if (conversation.router.hasShownError) return;
  conversation.own.beforeBegin();
  bindRead(conversation, message, portal, statement);
}

function bindRead(
  conversation: Conversation,
  { frame }: Message,
  portal: string,
  statement: PreparedStatement | null,
): void {
  const { own, portals, link, retry, pending, state } = conversation;
  // Transaction control is not planned, and would not stand the savepoint. Planning a query may run functions.
  if (statement?.body.kind !== 'control') {
    own.guard();
    pending.hasSnapshot = true;
  }
  const restore =
    statement === null
      ? portals.delete(portal)
      : portals.set(portal, { statement, write: null, runs: state.runs, started: false });
  link.send(frame, retry.answer({ asked: 'bind', shown: 'all', onFailure: restore }));
}

async function bindStagedRead(
  conversation: Conversation,
  message: Message,
  portal: string,
  statement: PreparedStatement,
): Promise<void> {
  const locked = locksOf(statement) ? await lockBound(conversation, message, statement) : null;
  if (locked === null) await refreshRead(conversation, statement);
  else prepareAgain(conversation, statement, locked);
  if (!conversation.router.hasShownError) bindRead(conversation, message, portal, statement);
}

const locksOf = ({ body }: PreparedStatement) => (body.kind === 'read' ? body.locks : undefined);

async function lockBound(
  conversation: Conversation,
  message: Message,
  { body, written, statement, types, parameterTypes }: PreparedStatement,
): Promise<readonly Replacement[] | null> {
  const given = { ...decodeBind(message.payload), types: parameterTypes ?? types };
  return body.kind === 'read' ? lockRows(conversation, { body, written, statement }, given) : null;
}

async function bindWrite(
  conversation: Conversation,
  message: Message,
  portal: string,
  statement: PreparedStatement,
  write: PreparedWrite,
): Promise<void> {
  const { router, retry, portals, link, names, pending, state } = conversation;
  const enter = await readyForWrite(conversation, write, message);
  if (router.hasShownError) return;
  if (enter === null) {
    bindRead(conversation, message, portal, statement);
    return;
  }
  enter();
  const bound = { enter, target: write.statement, name: portal, frame: message.frame };
  const made = { statement, write: bound, runs: state.runs, started: false };
  pending.entered = made;
  const restore = portals.set(portal, made);
  const onError = retry.before(mapErrors(preparingText(statement), names.productionSchema));
  link.send(message.frame, retry.answer({ ...passing.bind, onFailure: restore, onError }));
  // With data under way it could not be run again: whether names are still good must be known before.
  if (write.body.copy === null) return;
  await fence(conversation);
  pending.entered = made;
}
