/** The lock under which overlays are created, moved and dropped. */
import type { Queryable } from '../../db/database.ts';

/**
 * Serializes installations, so that several daemons never build the same overlay at once. It is no advisory lock: any role of the database
 * could hold one. Only the service account can hold this lock.
 */
const lockRegistry = 'LOCK TABLE stage.overlay IN SHARE UPDATE EXCLUSIVE MODE';

/** Rebuilding a view waits for statements that use it. A client's open transaction must not block everyone for long. */
const lockTimeout = '5s';

/** Takes the lock until the transaction ends, and limits the waits for any further lock. */
export async function lockInstallation(tx: Queryable): Promise<void> {
  await tx.query(lockRegistry);
  await tx.query(`SET LOCAL lock_timeout = '${lockTimeout}'`);
}
