/**
 * SELECT ... FOR UPDATE, where staged rows are read: a statement of ours locks the rows for the session first, and waits for
 * its other connections as PostgreSQL would; the client's own statement then reads those rows, as they are by then.
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

/** A read in the text it came in. */
export interface WrittenRead {
  readonly body: Read;
  readonly written: Buffer;
  readonly statement: Statement;
}

/**
 * To be called before a read runs: in a transaction that may write, locks the rows that it says and waits for that.
 * @returns what is to be replaced in the read then; null where no rows are locked
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
  const mapped = refuseAggregates(mapErrors(text, names.productionSchema));
  const onError = inPortal(portal, 0, mapped);
  internal.release();
  for (let tries = 0; tries < maxTries; tries += 1) {
    const outcome = { moved: false };
    const onRow = (payload: Buffer) => {
      outcome.moved = decodeDataRow(payload)[0] !== null;
    };
    // guard: what a query calls while its rows are locked is watched
    if (rewrite.isWatched) internal.watch();
    if (rewrite.isLimited) internal.run({ text: clearMoved });
    internal.run({ text: lockingText(body, text), types }, { values, formats, onError });
    if (rewrite.isLimited) internal.run({ text: askMoved }, { onRow });
    internal.endWatch();
    await syncAndGoOn(context);
    if (!outcome.moved) break;
  }
  return rewrite.reading;
}

/** What locks stands in no group: there the query has one, and PostgreSQL itself says that it cannot lock. */
function refuseAggregates(handler: ErrorHandler): ErrorHandler {
  return (fields) => {
    if (fields.get('C') !== '42803') return handler(fields);
    const message = 'FOR UPDATE is not allowed with aggregate functions';
    return errorMessage(new StageError('statement_not_supported', message), false);
  };
}

/** How often rows are looked for anew because others have got hold of those that were found, and have changed them. */
const maxTries = 100;

const moved = `'stage.lock_moved'`;
const clearMoved = `SELECT pg_catalog.set_config(${moved}, '', true)`;
const askMoved = `SELECT stage.setting(${moved})`;
