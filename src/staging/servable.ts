/** Checks the schema `stage` before anything is staged or decided, inside the same transaction. */
import type { Queryable } from '../db/database.ts';
import { demandCurrent, standingColumns } from '../db/release.ts';
import { StageError } from '../errors.ts';

const selectStanding = `SELECT ${standingColumns}, stage.is_bound_here() AS bound`;

/**
 * Checks whether overlays are bound to the tables of this database.
 * @throws StageError `service_outdated` if a newer release has upgraded the schema
 */
export async function isServable(db: Queryable): Promise<boolean> {
  const [row] = await db.query(selectStanding);
  demandCurrent({ migration: Number(row?.['migration']), release: row?.['release'] ?? null });
  return row?.['bound'] === 't';
}

/** Demands the same. @throws StageError as above, or `upstream_unavailable` if overlays are not bound to the tables of this database */
export async function demandServable(tx: Queryable): Promise<void> {
  if (await isServable(tx)) return;
  throw new StageError(
    'upstream_unavailable',
    'the upstream database is a copy, in which staged rows have not been bound to its tables yet',
    { hint: 'The service binds them within a moment: try again.' },
  );
}
