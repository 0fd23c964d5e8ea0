/**
 * Recognizes batches that only read and have arrived completely: Bind, perhaps Describe, Execute and Sync of a prepared statement, or
 * behind a Parse of a known text. They are sent without waiting. Outside of a transaction block, a batch that reads production is sent
 * before earlier ones have responses. A batch that reads staged rows includes a query that verifies its names. If that fails, the batch is
 * run again.
 */
import { explainsWrite, movesPath } from '../rewrite/query-planner.ts';
import { isStampGone } from '../rewrite/stamp-calls.ts';
import { readsList } from '../rewrite/statement-lists.ts';
import { deliver } from '../server-connection/error-mapping.ts';
import type { Verification } from '../server-connection/prepared-statements.ts';
import type { Verdict } from '../sql/verdict.ts';
import { decodeDataRow } from '../wire/backend-decoder.ts';
import { uint32At } from '../wire/byte-queue.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import type { Message } from '../wire/framer.ts';
import { frontend } from '../wire/message-codes.ts';
import type { ConnectionContext } from './connection-context.ts';
import { needsLockCheck } from './lock-rights.ts';
import { needsBlock, needsCallCheck } from './read-calls.ts';

/** The limit on batches that are sent ahead, because each takes memory until its response arrives. */
const maxBatches = 256;

/** The SQLSTATE when a prepared statement does not exist any more, because a function has dropped it. */
const dropped = '26000';

const headerBytes = 5;
/** The lengths of messages that name the unnamed portal; in an Execute, the row limit follows. */
const executeBytes = headerBytes + 5;
const describeBytes = headerBytes + 2;

/** A batch that has arrived completely. */
export interface ReadBatch {
  /** The facts to verify together with it; null for one that reads production. */
  readonly verification: Verification | null;
}

const ofProduction: ReadBatch = { verification: null };

/**
 * Returns whether the next batch may be sent while others like it have no response.
 * @param waiting the client's bytes that are not processed yet
 */
export function canReadAhead(context: ConnectionContext, waiting: Buffer): boolean {
  const { router, settings, state, reads } = context;
  // The handling of an error or a changed setting comes first, and waits for everything that was sent.
  if (router.hasShownError || settings.isBroken || router.awaited >= maxBatches) return false;
  return reads === 'production' && state.block === 'none' && readBatchIn(context, waiting) !== null;
}

/** Returns the next batch, if it only reads, has arrived completely, and everything before it has a response; or null. */
export function nextReadBatch(context: ConnectionContext, waiting: Buffer): ReadBatch | null {
  const { state, reads, router } = context;
  if (reads === 'production') return state.isIdle ? readBatchIn(context, waiting) : null;
  const isFirst = router.isIdle && !state.implicit;
  if (!isFirst || state.block === 'internal' || state.failed) return null;
  return readBatchIn(context, waiting);
}

/** Parses the next batch, whose Execute must run the portal of its Bind. */
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

/** Returns the end of a message of the given type, or 0 if another one is there or it is incomplete. */
function endOf(bytes: Buffer, start: number, type: number): number {
  if (bytes[start] !== type || bytes.length - start < headerBytes) return 0;
  const end = start + 1 + uint32At(bytes, start + 1);
  return end <= bytes.length ? end : 0;
}

/** Returns the name of the statement that a Bind binds to the unnamed portal; null for another portal. */
function boundStatement(bind: Buffer): string | null {
  const start = headerBytes + 1;
  return bind[headerBytes] === 0 ? bind.toString('utf8', start, bind.indexOf(0, start)) : null;
}

/** Returns the batch of a prepared statement that is known only to read, and whose names are known if it reads staged rows; or null. */
function preparedRead(context: ConnectionContext, name: string): ReadBatch | null {
  const { statements, reads, names } = context;
  const statement = statements.get(name);
  if (statement === undefined || !mayRunWhole(context, statement.body)) return null;
  if (reads === 'production') return ofProduction;
  const { verified } = statement;
  return verified?.version === names.version ? { verification: verified } : null;
}

/** Does the same for a text that a Parse prepares as the unnamed statement, when the batch reads staged rows. */
function knownRead(context: ConnectionContext, parse: Buffer): ReadBatch | null {
  if (parse[0] !== 0) return null;
  const plan = context.planner.known(parse.subarray(1, parse.indexOf(0, 1)));
  if (plan === undefined || plan.refusal !== null || plan.statements.length > 1) return null;
  const verdict = plan.statements[0]?.verdict;
  if (verdict?.kind !== 'read' || !mayRunWhole(context, verdict)) return null;
  const verification = context.rewriter.checks.verification(verdict);
  return verification && { verification };
}

function mayRunWhole(context: ConnectionContext, verdict: Verdict): boolean {
  if (verdict.kind !== 'read' || explainsWrite(verdict) || movesPath(verdict)) return false;
  if (readsList(verdict) || needsLockCheck(context, verdict)) return false;
  return !needsCallCheck(context, verdict) && !needsBlock(context, verdict);
}

/**
 * Sends the query that verifies names, directly before the read of staged rows that depends on them. If a name has changed, the read's
 * response is hidden, and it is run again.
 * @param message the first one of a batch
 */
export function validateWithBatch(
  { internal, names, retry }: ConnectionContext,
  verification: Verification,
  message?: Message,
): void {
  const { query, values, untouched } = verification;
  retry.arm('read', message);
  const repeat = () => {
    internal.forgetValidations();
    retry.repeat(untouched.length === 0);
  };
  const onRow = (payload: Buffer) => {
    if (names.confirm(verification, decodeDataRow(payload))) return;
    // tables in which something is staged by now are known as such, and all else is queried before the next try
    if (untouched.length === 0) names.forget();
    repeat();
  };
  const onError = (fields: ErrorFields) => {
    internal.forgetValidations();
    if (!isStampGone(fields) && fields.get('C') !== dropped) return deliver(fields);
    names.forget();
    repeat();
    return null;
  };
  // The search path is the client's, so functions that it resolves to must not be able to write.
  internal.validate(query, { values, onRow, onError });
}
