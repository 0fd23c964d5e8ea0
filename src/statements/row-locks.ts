/**
 * Handles SELECT ... FOR UPDATE of staged rows. An internal statement first locks the rows for the session, and waits for its other
 * connections as PostgreSQL would. The client's statement then reads the current versions of those rows.
 */
import { StageError } from '../errors.ts';
import { mapErrors } from '../server-connection/error-mapping.ts';
import { inPortal } from '../server-connection/parameter-context.ts';
import type { ErrorHandler } from '../server-connection/pending-response.ts';
import type { Parameters } from '../server-connection/prepared-statements.ts';
import { errorMessage } from '../server-connection/refusals.ts';
import { textToSend } from '../server-connection/statement-text.ts';
import { syncAndGoOn } from '../server-connection/sync.ts';
import { lockingText } from '../server-connection/upstream-text.ts';
import type { Read } from '../sql/read.ts';
import type { Replacement } from '../sql/splice.ts';
import type { Statement } from '../sql/verdict.ts';
import { decodeDataRow } from '../wire/backend-decoder.ts';
import type { ConnectionContext } from './connection-context.ts';

/** A read, in the text that contains it. */
export interface WrittenRead {
  readonly body: Read;
  readonly written: Buffer;
  readonly statement: Statement;
}

/**
 * Locks the rows of a read in a transaction that may write, and waits for the locks. Call it before the read runs.
 * @returns the replacements in the read afterwards; null when no rows are locked
 */
export async function lockRows(
  context: ConnectionContext,
  { body, written, statement }: WrittenRead,
  { portal, types, values, formats }: Parameters,
): Promise<readonly Replacement[] | null> {
  const { reads, state, rewriter, internal, names } = context;
  const { locks } = body;
  if (locks === undefined || reads !== 'staged' || state.block === 'none' || !state.stages)
    return null;
  const rewrite = await rewriter.lock(body, locks);
  if (rewrite === null) return null;
  const text = textToSend(written, statement, false, rewrite.locking);
  const mapped = refuseAggregates(mapErrors(text, names));
  const onError = inPortal(portal, 0, mapped);
  internal.release();
  for (let tries = 0; tries < maxTries; tries += 1) {
    const outcome = { moved: false };
    const onRow = (payload: Buffer) => {
      outcome.moved = decodeDataRow(payload)[0] !== null;
    };
    // guard: calls of a query are under the tripwire while its rows are locked
    if (rewrite.hasTripwire) internal.setTripwire();
    if (rewrite.isLimited) internal.run({ text: clearMoved });
    internal.run({ text: lockingText(body, text), types }, { values, formats, onError });
    if (rewrite.isLimited) internal.run({ text: queryMoved }, { onRow });
    internal.endTripwire();
    await syncAndGoOn(context);
    if (!outcome.moved) break;
  }
  return rewrite.reading;
}

/** Maps the error of the locking expression in a query with aggregates to PostgreSQL's own error for row locks in such a query. */
function refuseAggregates(handler: ErrorHandler): ErrorHandler {
  return (fields) => {
    if (fields.get('C') !== '42803') return handler(fields);
    const message = 'FOR UPDATE is not allowed with aggregate functions';
    return errorMessage(new StageError('statement_not_supported', message), false);
  };
}

/** The number of times that rows are searched again because others have locked and changed the ones that were found. */
const maxTries = 100;

const moved = `'stage.lock_moved'`;
const clearMoved = `SELECT pg_catalog.set_config(${moved}, '', true)`;
const queryMoved = `SELECT stage.setting(${moved})`;
