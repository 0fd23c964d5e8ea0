/**
 * Batches that a client sends before those before them are answered. One that only reads is passed on at once: Bind, perhaps
 * Describe, Execute and Sync of a statement that is prepared, outside of a transaction block. What others do may depend on answers.
 */
import { explainsWrite, movesPath } from '../rewrite/query-planner.ts';
import { uint32At } from '../wire/byte-queue.ts';
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
 * Whether the next batch may be sent while what was sent before is not answered.
 * @param waiting what the client has sent and is not handled yet
 */
export function canReadAhead(context: ConnectionContext, waiting: Buffer): boolean {
  const { router, settings } = context;
  // What an error or a changed setting asks for comes first: it waits for all that has been sent.
  if (router.hasShownError || settings.isBroken || router.awaited >= maxBatches) return false;
  return isReadBatch(context, waiting);
}

/** Whether a batch that only reads has come whole, and stands first in what waits. Its Execute runs the portal that its Bind makes. */
export function isReadBatch(context: ConnectionContext, waiting: Buffer): boolean {
  const { state, reads, pending, retry } = context;
  if (reads !== 'production' || state.block !== 'none' || state.isDefaultChanged) return false;
  if (pending.wait !== null || retry.scope !== null) return false;
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
  return !explainsWrite(verdict) && !movesPath(verdict) && !needsAsking(context, statement.body);
}
