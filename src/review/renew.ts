/** Brings overlays up to date before a review looks at what was staged through them. */
import type { Database } from '../db/database.ts';
import { StageError } from '../errors.ts';
import { ensureBound } from '../overlay/install/binding.ts';
import { createOverlayManager } from '../overlay/install/manager.ts';
import { sessionUuid } from '../staging/session-id.ts';

/** Makes overlays current. One that cannot be made is left as it is: what that means is for the caller to see. */
export async function ensureEach(db: Database, relations: readonly number[]): Promise<void> {
  const overlays = createOverlayManager(db);
  for (const relation of relations) {
    await overlays.ensure([relation]).catch((error: unknown) => {
      if (!(error instanceof StageError)) throw error;
    });
  }
}

const outdated = `
SELECT o.relation FROM stage.overlay o
WHERE starts_with(o.stamp, 'outdated ') AND o.relation IN (SELECT stage.staged_relations($1)) ORDER BY o.relation`;

/** Has those of a session made anew that another release of this program made: their functions may not be what is called here. */
export async function renewOutdated(db: Database, id: string): Promise<void> {
  await ensureBound(db);
  const rows = await db.query(outdated, [sessionUuid(id)]);
  await ensureEach(
    db,
    rows.map(({ relation }) => Number(relation)),
  );
}
