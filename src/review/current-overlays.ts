/** The tables that a review looks at, and their overlays, which have to be what the tables are. */
import type { Database, Queryable } from '../db/database.ts';
import { StageError } from '../errors.ts';
import { ensureBound } from '../overlay/install/binding.ts';
import { sqlstateOf } from '../staging/session-lock.ts';
import { ensureEach } from './renew.ts';

export interface ReviewRelation {
  readonly relation: number;
  readonly name: string;
  /** Whether the session has staged rows in it, or only foreign keys lead to it. */
  readonly staged: boolean;
  /** Whether it still is what it was when its overlay was built. */
  readonly current: boolean;
}

/** The tables that a review looks at, in the order in which their rows are locked. */
export async function reviewRelations(tx: Queryable, uuid: string): Promise<ReviewRelation[]> {
  const rows = await tx.query('SELECT * FROM stage.review_relations($1)', [uuid]);
  return rows.map((row) => ({
    relation: Number(row['relation']),
    name: String(row['shown_name']),
    staged: row['staged'] === 't',
    current: row['current'] === 't',
  }));
}

/** Raises when overlays could still be brought up to date: the work begins again on what they are then. */
export type RefuseOutdated = (relations: readonly ReviewRelation[]) => void;

/**
 * Does work that looks through overlays. Where one is not what its table is, or the table is altered under the work, overlays are
 * brought up to date as far as staged rows stay valid by it, and the work is done again; what cannot be is a conflict by then.
 * @throws StageError `busy` when the work met an altered table again
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

/** A column, table, function or type that was there when the overlay was looked at; or it has another type by now. */
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
