/** Another try of a write that met a row which another connection of its session had changed, as PostgreSQL evaluates it again. */

import { syncAndWait } from '../server-connection/sync.ts';
import type { Message } from '../wire/framer.ts';
import type { ConnectionContext } from './connection-context.ts';
import { endOwn } from './shared-steps.ts';

/**
 * To be called before a write where something has run before it: where others could change the rows it meets, it can be
 * rolled back alone.
 */
export function protectWrite(context: ConnectionContext, message: Message | null): void {
  const { own, retry, isShared } = context;
  if (!isShared()) {
    own.release();
    return;
  }
  own.protect();
  retry.arm('savepoint', message);
  waitForRow(context);
}

/** Waits for the row by which the last try failed, and keeps it for this one: whoever comes first goes first. */
export function waitForRow({ own, retry }: ConnectionContext): void {
  const row = retry.takeContended();
  if (row === null) return;
  own.run({ text: 'SELECT stage.hold_row($1)' }, { values: [Buffer.from(row)] });
}

/** Undoes what a write that is to be tried again has done: all of a block of ours, or what came after its savepoint. */
export async function undo(context: ConnectionContext): Promise<void> {
  context.own.forgetWatch();
  if (context.retry.scope === 'block') {
    await endOwn(context);
    return;
  }
  context.own.unwind();
  await syncAndWait(context);
}
