/**
 * Batches that only read and have come whole: Bind, perhaps Describe, Execute and Sync of a statement that is prepared. They need no
 * wait. Where they read production, outside of a transaction block, one is sent before those before it are answered. Where they read
 * what is staged, the question whether their names are still good goes along: if they are not, the batch is run once more.
 */
import { explainsWrite, movesPath } from '../rewrite/query-planner.ts';
import { areCurrent } from '../rewrite/relation-names.ts';
import { tableChanged } from '../rewrite/stageable.ts';
import type { PreparedStatement } from '../server-connection/prepared-statements.ts';
import { errorMessage } from '../server-connection/refusals.ts';
import { decodeDataRow } from '../wire/backend-decoder.ts';
import { readyForQuery } from '../wire/backend-messages.ts';
import { uint32At } from '../wire/byte-queue.ts';
import type { Message } from '../wire/framer.ts';
import { frontend } from '../wire/message-codes.ts';
import type { ConnectionContext } from './connection-context.ts';
import { needsAsking } from './read-calls.ts';

/** More are not sent ahead: each takes memory until it is answered. */
const maxBatches = 256;

const headerBytes = 5;
/** Of messages that name the unnamed portal: its row limit follows, or nothing. */
const executeBytes = headerBytes + 5;
const describeBytes = headerBytes + 2;

/**
 * Whether the next batch may be sent while others like it are not answered.
 * @param waiting what the client has sent and is not handled yet
 */
export function canReadAhead(context: ConnectionContext, waiting: Buffer): boolean {
  const { router, settings, state, reads } = context;
  // What an error or a changed setting asks for comes first: it waits for all that has been sent.
  if (router.hasShownError || settings.isBroken || router.awaited >= maxBatches) return false;
  return reads === 'production' && state.block === 'none' && isReadBatch(context, waiting);
}

/** Whether the next batch only reads, has come whole, and is as it was prepared, where everything before it is answered. */
export function canReadWhole(context: ConnectionContext, waiting: Buffer): boolean {
  const { state, reads, router } = context;
  if (reads === 'production') return state.isIdle && isReadBatch(context, waiting);
  const isFirst = router.isIdle && !state.implicit;
  return isFirst && state.block !== 'internal' && !state.failed && isReadBatch(context, waiting);
}

/** Its Execute runs the portal that its Bind makes. */
function isReadBatch(context: ConnectionContext, waiting: Buffer): boolean {
  const { state, pending, retry } = context;
  if (state.isDefaultChanged || pending.wait !== null || retry.scope !== null) return false;
  const bound = endOf(waiting, 0, frontend.bind);
  if (bound === 0) return false;
  const described = endOf(waiting, bound, frontend.describe);
  const isPortal = waiting[bound + headerBytes] === portalLetter;
  if (described !== 0 && !(isPortal && described - bound === describeBytes)) return false;
  const begun = described || bound;
  const executed = endOf(waiting, begun, frontend.execute);
  if (executed - begun !== executeBytes) return false;
  return endOf(waiting, executed, frontend.sync) !== 0 && onlyReads(context, waiting);
}

const portalLetter = 'P'.charCodeAt(0);

/** The end of a message of the given type, or 0 where another one stands, or part of it has yet to come. */
function endOf(bytes: Buffer, start: number, type: number): number {
  if (bytes[start] !== type || bytes.length - start < headerBytes) return 0;
  const end = start + 1 + uint32At(bytes, start + 1);
  return end <= bytes.length ? end : 0;
}

/** Whether a Bind makes the unnamed portal of a statement of which it is known that it only reads. */
function onlyReads(context: ConnectionContext, bind: Buffer): boolean {
  const start = headerBytes + 1;
  if (bind[headerBytes] !== 0) return false;
  const name = bind.toString('utf8', start, bind.indexOf(0, start));
  const statement = context.statements.get(name);
  if (statement === undefined || statement.body.kind !== 'read') return false;
  const { verdict } = statement.statement;
  if (context.reads === 'staged' && statement.verified?.version !== context.names.version)
    return false;
  return !explainsWrite(verdict) && !movesPath(verdict) && !needsAsking(context, statement.body);
}

/** To be called before the Bind of a batch that reads what is staged: has it hidden and run once more if a name is no longer good. */
export function verifyAlong(
  { internal, retry, names }: ConnectionContext,
  message: Message,
  { verified }: PreparedStatement,
): void {
  retry.arm('read', message);
  // The search path is the client's: what is called in its names must not write either.
  internal.guard();
  const onRow = (payload: Buffer) => {
    if (!names.confirm(decodeDataRow(payload))) retry.repeat();
  };
  internal.run(areCurrent, { values: [verified?.relations ?? null], onRow });
}

/** A batch that is to be run once more has changed nothing; but what its old names stood for may have failed, and the transaction with it. */
export function tellFailed({ state, retry, router }: ConnectionContext): void {
  if (!state.failed) return;
  retry.take();
  router.showError(errorMessage(tableChanged, false));
  router.showReady(readyForQuery('E'));
}
