/**
 * Batches that only read and have come whole: Bind, perhaps Describe, Execute and Sync of a statement that is prepared, or of a text
 * that is known, behind its Parse. They need no wait. Where they read production, outside of a transaction block, one is sent before
 * those before it are answered. Where they read what is staged, the question whether their names are still good goes along: if they
 * are not, the batch is run once more.
 */
import { explainsWrite, movesPath } from '../rewrite/query-planner.ts';
import { areCurrent } from '../rewrite/relation-names.ts';
import { deliver } from '../server-connection/error-mapping.ts';
import type { Verification } from '../server-connection/prepared-statements.ts';
import type { Verdict } from '../sql/verdict.ts';
import { decodeDataRow } from '../wire/backend-decoder.ts';
import { uint32At } from '../wire/byte-queue.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import type { Message } from '../wire/framer.ts';
import { frontend } from '../wire/message-codes.ts';
import type { ConnectionContext } from './connection-context.ts';
import { needsAsking, needsLook } from './read-calls.ts';
import { isStampGone, stampCalls } from './stamp-calls.ts';

/** More are not sent ahead: each takes memory until it is answered. */
const maxBatches = 256;

/** What was prepared is not there any more: a function has dropped it. */
const dropped = '26000';

const headerBytes = 5;
/** Of messages that name the unnamed portal: its row limit follows, or nothing. */
const executeBytes = headerBytes + 5;
const describeBytes = headerBytes + 2;

/** A batch that has come whole. */
export interface ReadBatch {
  /** What is to be asked along with it; null for one that reads production. */
  readonly verification: Verification | null;
}

const ofProduction: ReadBatch = { verification: null };

/**
 * Whether the next batch may be sent while others like it are not answered.
 * @param waiting what the client has sent and is not handled yet
 */
export function canReadAhead(context: ConnectionContext, waiting: Buffer): boolean {
  const { router, settings, state, reads } = context;
  // What an error or a changed setting asks for comes first: it waits for all that has been sent.
  if (router.hasShownError || settings.isBroken || router.awaited >= maxBatches) return false;
  return reads === 'production' && state.block === 'none' && readBatchIn(context, waiting) !== null;
}

/** The next batch, if it only reads, has come whole, and everything before it is answered; or null. */
export function nextReadBatch(context: ConnectionContext, waiting: Buffer): ReadBatch | null {
  const { state, reads, router } = context;
  if (reads === 'production') return state.isIdle ? readBatchIn(context, waiting) : null;
  const isFirst = router.isIdle && !state.implicit;
  if (!isFirst || state.block === 'internal' || state.failed) return null;
  return readBatchIn(context, waiting);
}

/** Its Execute runs the portal that its Bind makes. */
function readBatchIn(context: ConnectionContext, waiting: Buffer): ReadBatch | null {
  const { state, pending, retry, reads } = context;
  if (state.isDefaultChanged || pending.wait !== null || retry.scope !== null) return null;
  const parsed = reads === 'staged' ? endOf(waiting, 0, frontend.parse) : 0;
  const bound = endOf(waiting, parsed, frontend.bind);
  if (bound === 0) return null;
  const described = endOf(waiting, bound, frontend.describe);
  const isPortal = waiting[bound + headerBytes] === portalLetter;
  if (described !== 0 && !(isPortal && described - bound === describeBytes)) return null;
  const begun = described || bound;
  const executed = endOf(waiting, begun, frontend.execute);
  if (executed - begun !== executeBytes) return null;
  if (endOf(waiting, executed, frontend.sync) === 0) return null;
  const name = boundStatement(waiting.subarray(parsed, bound));
  if (name === null) return null;
  if (parsed === 0) return preparedRead(context, name);
  return name === '' ? knownRead(context, waiting.subarray(headerBytes, parsed)) : null;
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

/** The batch, if it is known of the statement that it only reads, and of staged rows what its names stand for. */
function preparedRead(context: ConnectionContext, name: string): ReadBatch | null {
  const { statements, reads, names } = context;
  const statement = statements.get(name);
  if (statement === undefined || !mayRunWhole(context, statement.body)) return null;
  if (reads === 'production') return ofProduction;
  const { verified } = statement;
  return verified?.version === names.version ? { verification: verified } : null;
}

/** The same of the text that a Parse brings for the unnamed statement, where the batch reads staged rows. */
function knownRead(context: ConnectionContext, parse: Buffer): ReadBatch | null {
  if (parse[0] !== 0) return null;
  const plan = context.planner.known(parse.subarray(1, parse.indexOf(0, 1)));
  if (plan === undefined || plan.refusal !== null || plan.statements.length > 1) return null;
  const verdict = plan.statements[0]?.verdict;
  if (verdict?.kind !== 'read' || !mayRunWhole(context, verdict)) return null;
  const verification = context.rewriter.verification(verdict);
  return verification && { verification };
}

function mayRunWhole(context: ConnectionContext, verdict: Verdict): boolean {
  if (verdict.kind !== 'read' || explainsWrite(verdict) || movesPath(verdict)) return false;
  return !needsAsking(context, verdict) && !needsLook(context, verdict);
}

/**
 * Asks whether names are still good right before the read of staged rows that depends on it. Where they are not, its answer is hidden,
 * and it is to be run once more.
 * @param message the first one of a batch
 */
export function verifyAlong(
  { internal, names, retry }: ConnectionContext,
  { relations, stamps }: Verification,
  message?: Message,
): void {
  retry.arm('read', message);
  const repeat = () => {
    names.forget();
    internal.forgetQuestions();
    retry.repeat();
  };
  const onRow = (payload: Buffer) => {
    if (!names.confirm(decodeDataRow(payload))) repeat();
  };
  const onError = (fields: ErrorFields) => {
    internal.forgetQuestions();
    if (!isStampGone(fields) && fields.get('C') !== dropped) return deliver(fields);
    repeat();
    return null;
  };
  // The search path is the client's: what is called in its names must not write either.
  internal.ask(areCurrent(stampCalls(stamps)), { values: [relations], onRow, onError });
}
