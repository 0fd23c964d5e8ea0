/** The lock under which overlays are made, moved and dropped. */
import type { Queryable } from '../../db/database.ts';

/**
 * Installations come one after the other, so that several daemons never build the same overlay at once. No advisory lock: any
 * role of the database could hold that, and this one nobody but the service account.
 */
const lockRegistry = 'LOCK TABLE stage.overlay IN SHARE UPDATE EXCLUSIVE MODE';

/** Rebuilding a view waits for statements that use it; a client's open transaction must not block everybody for long. */
const lockTimeout = '5s';

/** Takes the lock until the transaction ends. What is waited for afterwards is waited for no longer than a moment. */
export async function lockInstallation(tx: Queryable): Promise<void> {
  await tx.query(lockRegistry);
  await tx.query(`SET LOCAL lock_timeout = '${lockTimeout}'`);
}
