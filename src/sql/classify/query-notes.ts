/** The findings that a walk over a query's parse tree records about its statements. */
import type { Grouping } from '../locate/grouping.ts';
import type { Effort } from '../parser/syntax-tree.ts';
import type { Refusal } from '../refusal.ts';
import type { Merge, Overriding, Right, Upsert } from '../write.ts';

/** Findings that the walk adds to. */
export interface Notes {
  readonly upserts: Upsert[];
  readonly overriding: Overriding[];
  readonly merges: Merge[];
  readonly rights: Right[];
  readonly groupings: Grouping[];
  lockingClauses: number;
  /** Whether PostgreSQL refuses one of the locking clauses, so the statement cannot run. */
  locksInVain: boolean;
  /** Whether the query contains an INSERT, UPDATE, DELETE or MERGE. */
  writes: boolean;
  /** The first finding that prevents the statement from running in a staged session. */
  refusal: Refusal | null;
  /** The remaining number of tree values that may be visited repeatedly. */
  readonly effort: Effort;
}

/**
 * Returns empty notes for a walk.
 * @param length length of the statement's text in bytes
 */
export function emptyNotes(length: number): Notes {
  return {
    upserts: [],
    overriding: [],
    merges: [],
    rights: [],
    groupings: [],
    lockingClauses: 0,
    locksInVain: false,
    writes: false,
    refusal: null,
    effort: { left: 100_000 + 8 * length },
  };
}
