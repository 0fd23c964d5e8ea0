/** Brings overlays up to date before a review reads what was staged through them. */
import type { Database } from '../db/database.ts';
import { StageError } from '../errors.ts';
import { ensureBound } from '../overlay/install/binding.ts';
import { createOverlayManager } from '../overlay/install/manager.ts';
import { sessionUuid } from '../staging/session-id.ts';

/** Makes overlays current. One that cannot be rebuilt is left as it is; the caller handles that. */
export async function ensureEach(db: Database, relations: readonly number[]): Promise<void> {
  const overlays = createOverlayManager(db);
  for (const relation of relations) {
    await overlays.ensure([relation], false, [], [relation]).catch((error: unknown) => {
      if (!(error instanceof StageError)) throw error;
    });
  }
}

const outdated = `
SELECT o.relation FROM stage.overlay o
WHERE o.relation IN (SELECT stage.staged_relations($1)) AND (
  starts_with(o.stamp, 'outdated ')
  OR jsonb_path_query_array(o.columns, '$[*].name') <> (
    SELECT jsonb_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a
    WHERE a.attrelid = o.relation AND a.attnum > 0 AND NOT a.attisdropped
  )
)
ORDER BY o.relation`;

/**
 * Rebuilds the overlays of a session that another generation made, whose functions may differ from those that are called here, and those
 * of tables whose columns have other names now: a diff would show a value under the name that another column has.
 */
export async function renewOutdated(db: Database, id: string): Promise<void> {
  await ensureBound(db);
  const rows = await db.query(outdated, [sessionUuid(id)]);
  await ensureEach(
    db,
    rows.map(({ relation }) => Number(relation)),
  );
}
