/** Waits for the server: until all responses have arrived and the pinned settings hold, or for the rows of an internal query. */

import { decodeDataRow } from '../wire/backend-decoder.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import { deliver } from './error-mapping.ts';
import type { Begun } from './fresh-block.ts';
import type { InternalQueries } from './internal-queries.ts';
import type { ServerQuery } from './internal-statement.ts';
import { hiddenSync } from './pending-response.ts';
import { Skipped, UpstreamError } from './refusals.ts';
import type { ResponseRouter } from './response-router.ts';
import type { SettingsMonitor } from './settings-monitor.ts';
import type { TransactionState } from './transaction-state.ts';
import type { UpstreamWriter } from './upstream-writer.ts';

interface Parts {
  readonly link: UpstreamWriter;
  readonly router: ResponseRouter;
  readonly internal: InternalQueries;
  readonly state: TransactionState;
  readonly settings: SettingsMonitor;
}

/** The number of attempts to restore a setting before the connection is ended. */
const maxRestorations = 3;

/**
 * Waits for all responses, then restores the pinned settings. The messages sent must end with a Sync or a Query.
 * @throws ConnectionFault when the connection must end
 */
export async function waitForResponses(parts: Parts): Promise<void> {
  const { link, internal, state, settings } = parts;
  await link.idle();
  for (let attempt = 0; settings.isBroken; attempt += 1) {
    settings.checkRestorable();
    if (state.failed || attempt === maxRestorations) settings.giveUp();
    internal.restore();
    link.sync(hiddenSync);
    await link.idle();
  }
}

/** Ends the implicit transaction of the messages sent so far, as a Sync of the client would, and waits for it. */
export async function syncAndWait(parts: Parts): Promise<void> {
  parts.link.sync(hiddenSync);
  await waitForResponses(parts);
}

/**
 * Does the same during the processing of a client message.
 * @throws Skipped when the client has received an error: the server skips nothing behind an internal Sync, so the proxy must not send the
 *   rest
 */
export async function syncAndGoOn(parts: Parts): Promise<void> {
  await syncAndWait(parts);
  // guard: nothing is done behind an error before the client's Sync
  if (parts.router.hasShownError) throw new Skipped();
}

/**
 * Restarts the client's block. That removes all traces of what ran in it unseen by the client: errors, the snapshot, and locks.
 * @param begun how it was begun; null when it cannot be restarted
 */
export async function beginAnew(parts: Parts, begun: Begun | null): Promise<void> {
  if (begun === null) return;
  const { internal, link } = parts;
  internal.rollback();
  await syncAndWait(parts);
  internal.beginAs(begun);
  await syncAndWait(parts);
  link.fresh.begin(begun);
}

/**
 * Returns the function that queries the server on the client's connection. It ends an implicit transaction, and runs inside an open block.
 */
export function createServerQuery(parts: Parts): ServerQuery {
  return async (statement, values) => {
    const { internal } = parts;
    const rows: (Buffer | null)[][] = [];
    const outcome = { done: false, failure: null as ErrorFields | null };
    // The search path is the client's, so functions that it resolves to must not be able to write.
    // guard: names are not resolved where writing is possible
    internal.guard();
    internal.run(statement, {
      values,
      onRow: (payload) => rows.push(decodeDataRow(payload)),
      onDone: () => {
        outcome.done = true;
      },
      onError: (fields) => {
        outcome.failure = fields;
        return null;
      },
    });
    await syncAndGoOn(parts);
    const { failure, done } = outcome;
    if (failure) throw new UpstreamError(failure, deliver(failure) as Buffer);
    // it was skipped after a failure that will be tried again
    if (!done) throw new Skipped();
    return rows;
  };
}
