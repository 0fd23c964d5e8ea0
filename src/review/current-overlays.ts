/** The tables of a review, whose overlays must be current. */
import type { Database, Queryable } from '../db/database.ts';
import { StageError } from '../errors.ts';
import { ensureBound } from '../overlay/install/binding.ts';
import { sqlstateOf } from '../staging/session-lock.ts';
import { ensureEach } from './renew.ts';

export interface ReviewRelation {
  readonly relation: number;
  readonly name: string;
  /** Its columns and those of its key, in order. */
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** Whether the session has staged rows in it; otherwise only foreign keys lead to it. */
  readonly staged: boolean;
  /** Whether it is unchanged since its overlay was built. */
  readonly current: boolean;
}

const selectRelations = `
SELECT r.*, to_jsonb(o.key_columns) AS key, jsonb_path_query_array(o.columns, '$[*].name') AS columns
FROM stage.review_relations($1) r JOIN stage.overlay o ON o.relation = r.relation ORDER BY r.relation`;

/** Lists the tables of a review, in the order in which their rows are locked. */
export async function reviewRelations(tx: Queryable, uuid: string): Promise<ReviewRelation[]> {
  const rows = await tx.query(selectRelations, [uuid]);
  return rows.map((row) => ({
    relation: Number(row['relation']),
    name: String(row['shown_name']),
    columns: JSON.parse(row['columns'] ?? '[]') as string[],
    key: JSON.parse(row['key'] ?? '[]') as string[],
    staged: row['staged'] === 't',
    current: row['current'] === 't',
  }));
}

/** Throws if overlays can still be updated. The work then starts again on the updated ones. */
export type RefuseOutdated = (relations: readonly ReviewRelation[]) => void;

/**
 * Runs work that reads through overlays. If one is outdated, or a table is altered meanwhile, the overlays are updated where staged rows
 * stay valid, and the work runs again. A table whose overlay cannot be updated is reported as a conflict then.
 * @throws StageError `busy` when the second run met an altered table, too
 */
export async function onCurrentOverlays<T>(
  db: Database,
  uuid: string,
  work: (refuse: RefuseOutdated) => Promise<T>,
): Promise<T> {
  await ensureBound(db);
  try {
    return await work((relations) => {
      if (relations.some(({ current }) => !current)) throw new OutdatedOverlays();
    });
  } catch (error) {
    if (!(error instanceof OutdatedOverlays) && !isAltered(error)) throw error;
  }
  const stale = (await reviewRelations(db, uuid)).filter(({ current }) => !current);
  await ensureEach(
    db,
    stale.map(({ relation }) => relation),
  );
  try {
    return await work(() => undefined);
  } catch (error) {
    throw isAltered(error) ? beingAltered(error) : error;
  }
}

class OutdatedOverlays extends Error {}

/** SQLSTATEs for a column, table, function or type that no longer exists, or has another type now. */
const altered = new Set(['42703', '42P01', '42883', '42704', '42804', '42809', '0A000', 'XX000']);

const isAltered = (error: unknown) => altered.has(sqlstateOf(error) ?? '');

function beingAltered(cause: unknown): StageError {
  return new StageError(
    'busy',
    `tables are being altered under the review: ${(cause as Error).message}`,
    {
      hint: 'Nothing was applied. Try again once the migration is done.',
      facts: { sqlstate: sqlstateOf(cause) ?? null },
      cause,
    },
  );
}
