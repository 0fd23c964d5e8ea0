/** Waiting for the server: until all is answered and the pinned settings hold, or for the rows of a question of ours. */

import { decodeDataRow } from '../wire/backend-decoder.ts';
import type { ErrorFields } from '../wire/error-fields.ts';
import { deliver } from './error-mapping.ts';
import type { Begun } from './fresh-block.ts';
import type { InternalQueries } from './internal-queries.ts';
import type { Ask } from './internal-statement.ts';
import { hiddenSync } from './pending-response.ts';
import { Skipped, UpstreamError } from './refusals.ts';
import type { ResponseRouter } from './response-router.ts';
import type { SettingsWatch } from './settings-watch.ts';
import type { TransactionState } from './transaction-state.ts';
import type { UpstreamWriter } from './upstream-writer.ts';

interface Parts {
  readonly link: UpstreamWriter;
  readonly router: ResponseRouter;
  readonly internal: InternalQueries;
  readonly state: TransactionState;
  readonly settings: SettingsWatch;
}

/** A setting that was set back this many times in a row, and still is not, cannot be. */
const maxRestorations = 3;

/**
 * Waits until everything sent has been answered, then sets back what must not change. What was sent must end
 * with a Sync or a Query.
 * @throws StageError when the connection has to end
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

/** Ends the implicit transaction of the messages sent so far and waits for it, as a Sync of the client would. */
export async function syncAndWait(parts: Parts): Promise<void> {
  parts.link.sync(hiddenSync);
  await waitForResponses(parts);
}

/**
 * The same in the middle of what is done for a message of the client's.
 * @throws Skipped when the client has been given an error: the server skips nothing behind our Sync, so that the rest must not be sent
 */
export async function syncAndGoOn(parts: Parts): Promise<void> {
  await syncAndWait(parts);
  // guard: nothing is done behind an error before the client's Sync
  if (parts.router.hasShownError) throw new Skipped();
}

/**
 * Begins the client's block anew: nothing is left then of what has run in it unseen, neither an error, nor a snapshot, nor locks.
 * @param begun how it was begun; null where it has to stay
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
 * Makes the function that asks the server something on the client's connection. It ends an implicit transaction,
 * and runs inside a block if one is open.
 */
export function createAsk(parts: Parts): Ask {
  return async (statement, values) => {
    const { internal } = parts;
    const rows: (Buffer | null)[][] = [];
    const outcome = { done: false, failure: null as ErrorFields | null };
    // The search path is the client's: what is called in its names must not write either.
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
    // it fell into what fails and is to be tried again
    if (!done) throw new Skipped();
    return rows;
  };
}
