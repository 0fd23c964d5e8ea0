/** Another try of a write that met a row which another connection of its session had changed, as PostgreSQL evaluates it again. */

import { beginAnew, syncAndWait } from '../server-connection/sync.ts';
import type { Message } from '../wire/framer.ts';
import type { ConnectionContext } from './connection-context.ts';
import { tellChanged } from './read-batches.ts';
import { endInternal } from './shared-steps.ts';

/**
 * To be called before a write where something has run before it: where others could change the rows it meets, or its rows are staged
 * as a set, it can be rolled back alone.
 */
export function protectWrite(
  context: ConnectionContext,
  message: Message | null,
  isSet: boolean,
): void {
  const { internal, retry, isShared } = context;
  if (!isShared() && !isSet) {
    internal.release();
    return;
  }
  internal.protect();
  retry.arm('savepoint', message);
  waitForRow(context);
}

/** Waits for the row by which the last try failed, and keeps it for this one: whoever comes first goes first. */
export function waitForRow({ internal, retry }: ConnectionContext): void {
  const row = retry.takeContended();
  if (row === null) return;
  // names may have been asked for since the last try, READ ONLY: the row is locked
  internal.releaseGuard();
  internal.run({ text: 'SELECT stage.hold_row($1)' }, { values: [Buffer.from(row)] });
}

/**
 * Undoes what a statement that is to be tried again has done: all of a block of ours, or of one of the client's in which nothing else has
 * run, or what came after its savepoint; of a read nothing.
 */
export async function undo(context: ConnectionContext): Promise<void> {
  context.internal.forgetWatch();
  const { scope, begun } = context.retry;
  if (begun !== null) return beginAnew(context, begun);
  if (scope === 'block') return endInternal(context);
  if (scope === 'read') {
    context.link.fresh.noteStale();
    if (!context.state.failed) return;
    context.retry.take();
    tellChanged(context);
    return;
  }
  // what was sent since the server has failed is skipped up to a Sync, and this would be, too
  context.link.close();
  context.internal.unwind();
  await syncAndWait(context);
}
