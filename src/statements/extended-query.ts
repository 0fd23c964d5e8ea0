/**
 * Handles the extended query protocol, one message at a time, up to Sync. Messages are passed on at once, so that a client can request
 * responses by Flush. The steps of a write are inserted between them.
 */

import { PendingResponse, passing } from '../server-connection/pending-response.ts';
import { errorMessage } from '../server-connection/refusals.ts';
import { checkName } from '../server-connection/reserved-names.ts';
import { syncAndGoOn, syncAndWait } from '../server-connection/sync.ts';
import type { Message } from '../wire/framer.ts';
import { decodeNamed } from '../wire/frontend-messages.ts';
import { frontend } from '../wire/message-codes.ts';
import type { ConnectionContext } from './connection-context.ts';
import { learnDefault } from './default-access.ts';
import { bind } from './extended-bind.ts';
import { execute } from './extended-execute.ts';
import { parse } from './extended-parse.ts';
import { describeInFailure } from './failed-portals.ts';
import { recordDescribed } from './result-type.ts';
import { dropUnnamed } from './shared-steps.ts';
import { commitInternal } from './staged-write.ts';

type Handler = (context: ConnectionContext, message: Message) => void | Promise<void>;

const handlers: Readonly<Record<number, Handler>> = {
  [frontend.parse]: parse,
  [frontend.bind]: bind,
  [frontend.describe]: describe,
  [frontend.execute]: execute,
  [frontend.close]: close,
};

/**
 * Handles a message of the extended protocol. Returns a promise if that takes a round trip.
 * @throws any error, which `failExtended` reports to the client
 */
export function handleExtended(context: ConnectionContext, message: Message): void | Promise<void> {
  const { link, retry, pending } = context;
  if (message.type === frontend.sync && pending.wait !== 'before anything') {
    return sync(context, message);
  }
  if (message.type === frontend.flush) return link.requestFlush();
  if (pending.wait !== null) return handleAfterWait(context, message);
  if (context.state.isDefaultUnknown) return handleWithDefault(context, message);
  retry.buffer(message);
  return handlers[message.type]?.(context, message);
}

/** Responds to a message with an error. The server then skips to Sync, and aborts the transaction, as after its own errors. */
export function failExtended(
  context: ConnectionContext,
  { type, payload }: Message,
  error: unknown,
): void {
  // Even a text that cannot be parsed replaces the unnamed statement.
  if (type === frontend.parse && payload[0] === 0) dropUnnamed(context);
  context.internal.fail(errorMessage(error, context.state.failed));
}

/** Waits for an earlier command that may change what the next messages depend on. */
async function handleAfterWait(context: ConnectionContext, message: Message): Promise<void> {
  await (message.type === frontend.sync ? syncAndWait(context) : syncAndGoOn(context));
  await handleExtended(context, message);
}

async function handleWithDefault(context: ConnectionContext, message: Message): Promise<void> {
  await learnDefault(context);
  await handleExtended(context, message);
}

function sync(context: ConnectionContext, message: Message): void | Promise<void> {
  const { state, link, retry, internal, router, pending } = context;
  state.endBatch();
  if (state.isDefaultChanged) pending.wait = 'before anything';
  retry.buffer(message);
  // A bound write has been planned, executed or not, and planning may run functions.
  if (router.hasShownError) internal.forgetTripwire();
  // guard: a statement that is planned and never executed is checked as well
  else internal.endTripwire();
  if (retry.retainsBlock && state.needsInternalCommit) return commitBehind(context);
  if (state.needsInternalCommit) {
    // After a failure the server skips to the Sync before COMMIT, and the COMMIT rolls back.
    commitInternal(context, passing.sync);
  } else if (retry.scope === null) link.sync(passing.sync, message.frame);
  else
    link.sync(
      new PendingResponse('sync', 'all', { onDone: () => retry.noteReady() }),
      message.frame,
    );
}

/** Sends COMMIT separately when a part of the block may be run again: after an error COMMIT would roll back the whole block. */
async function commitBehind(context: ConnectionContext): Promise<void> {
  await syncAndWait(context);
  if (!context.retry.isWanted) commitInternal(context, passing.sync);
}

function describe(context: ConnectionContext, { frame, payload }: Message): void {
  const { statements, types, link, retry, pending } = context;
  const { kind, name } = decodeNamed(payload);
  checkName(name);
  if (kind === 'portal' && describeInFailure(context, name)) return;
  const statement = kind === 'statement' ? statements.get(name) : undefined;
  pending.hasSnapshot = true;
  const onDone = statement && recordDescribed(context, statement);
  if (statement?.body.kind !== 'write') {
    const expected = onDone ? new PendingResponse('describe', 'all', { onDone }) : passing.describe;
    link.send(frame, retry.track(expected));
    return;
  }
  const onParameterTypes = (description: Buffer) => {
    statement.parameterTypes = types.learn(statement, description);
  };
  const expected = new PendingResponse('describe', 'all', { onParameterTypes, onDone });
  link.send(frame, retry.track(expected));
}

function close(context: ConnectionContext, { frame, payload }: Message): void {
  const { statements, portals, inFailure, link, retry } = context;
  const { kind, name } = decodeNamed(payload);
  checkName(name);
  if (kind === 'portal') inFailure.delete(name);
  const onFailure = kind === 'statement' ? statements.delete(name) : portals.delete(name);
  link.send(frame, retry.track(new PendingResponse('close', 'all', { onFailure })));
}
