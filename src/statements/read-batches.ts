/**
 * Batches that only read and have come whole: Bind, perhaps Describe, Execute and Sync of a statement that is prepared, or of
 * a text that is known, behind its Parse. They need no
 * wait. Where they read production, outside of a transaction block, one is sent before those before it are answered. Where they read
 * what is staged, the question whether their names are still good goes along: if they are not, the batch is run once more.
 */
import { explainsWrite, movesPath } from '../rewrite/query-planner.ts';
import { areCurrent } from '../rewrite/relation-names.ts';
import { tableChanged } from '../rewrite/stageable.ts';
import type { Verification } from '../server-connection/prepared-statements.ts';
import { errorMessage } from '../server-connection/refusals.ts';
import type { Verdict } from '../sql/verdict.ts';
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
  const parsed = endOf(waiting, 0, frontend.parse);
  const bound = endOf(waiting, parsed, frontend.bind);
  if (bound === 0) return false;
  const described = endOf(waiting, bound, frontend.describe);
  const isPortal = waiting[bound + headerBytes] === portalLetter;
  if (described !== 0 && !(isPortal && described - bound === describeBytes)) return false;
  const begun = described || bound;
  const executed = endOf(waiting, begun, frontend.execute);
  if (executed - begun !== executeBytes) return false;
  if (endOf(waiting, executed, frontend.sync) === 0) return false;
  const name = boundStatement(waiting.subarray(parsed, bound));
  return parsed === 0
    ? name !== null && isPreparedRead(context, name)
    : name === '' && isKnownRead(context, waiting.subarray(headerBytes, parsed));
}

const portalLetter = 'P'.charCodeAt(0);

/** The end of a message of the given type, or 0 where another one stands, or part of it has yet to come. */
function endOf(bytes: Buffer, start: number, type: number): number {
  if (bytes[start] !== type || bytes.length - start < headerBytes) return 0;
  const end = start + 1 + uint32At(bytes, start + 1);
  return end <= bytes.length ? end : 0;
}

/** The statement of which a Bind makes the unnamed portal, or null. */
function boundStatement(bind: Buffer): string | null {
  const start = headerBytes + 1;
  return bind[headerBytes] === 0 ? bind.toString('utf8', start, bind.indexOf(0, start)) : null;
}

/** Whether it is known of a statement that it only reads, and what its names stand for. */
function isPreparedRead(context: ConnectionContext, name: string): boolean {
  const { statements, reads, names } = context;
  const statement = statements.get(name);
  if (statement === undefined || statement.body.kind !== 'read') return false;
  if (reads === 'staged' && statement.verified?.version !== names.version) return false;
  return mayRunWhole(context, statement.statement.verdict);
}

/** The same of the text that a Parse brings for the unnamed statement. */
function isKnownRead(context: ConnectionContext, parse: Buffer): boolean {
  const { planner, reads, rewriter } = context;
  if (reads !== 'staged' || parse[0] !== 0) return false;
  const text = parse.subarray(1, parse.indexOf(0, 1));
  const plan = planner.known(text);
  if (plan === undefined || plan.refusal !== null || plan.statements.length > 1) return false;
  const verdict = plan.statements[0]?.verdict;
  if (verdict?.kind !== 'read' || rewriter.verification(verdict) === null) return false;
  return mayRunWhole(context, verdict);
}

function mayRunWhole(context: ConnectionContext, verdict: Verdict): boolean {
  return !explainsWrite(verdict) && !movesPath(verdict) && !needsAsking(context, verdict);
}

/**
 * To be called before the first message of a batch that reads what is staged: has it hidden and run once more if a name is no longer
 * good.
 */
export function verifyAlong(
  context: ConnectionContext,
  message: Message,
  verification: Verification | null,
): void {
  context.retry.arm('read', message);
  if (verification !== null) askAlong(context, verification, () => context.retry.repeat());
}

/** Asks whether names are still good right before what depends on it. @param hide has the answer of that hidden */
export function askAlong(
  { internal, names }: ConnectionContext,
  { relations }: Verification,
  hide: () => void,
): void {
  // The search path is the client's: what is called in its names must not write either.
  internal.guard();
  const onRow = (payload: Buffer) => {
    if (names.confirm(decodeDataRow(payload))) return;
    names.forget();
    hide();
  };
  internal.run(areCurrent, { values: [relations], onRow });
}

/**
 * What is to be run once more has changed nothing; but what its old names stood for may have failed, and the transaction with it:
 * then the client is told.
 */
export function tellFailed({ state, router }: ConnectionContext): boolean {
  if (!state.failed) return false;
  router.showError(errorMessage(tableChanged, false));
  router.showReady(readyForQuery('E'));
  return true;
}
