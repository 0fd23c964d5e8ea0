/** What the walk over a query's parse tree notes of its statements. */
import type { Grouping } from '../locate/grouping.ts';
import type { Effort } from '../parser/syntax-tree.ts';
import type { Refusal } from '../refusal.ts';
import type { Merge, Overriding, Right, Upsert } from '../write.ts';

/** Noted on the way, as it is found. */
export interface Notes {
  readonly upserts: Upsert[];
  readonly overriding: Overriding[];
  readonly merges: Merge[];
  readonly rights: Right[];
  readonly groupings: Grouping[];
  lockingClauses: number;
  /** One of them stands where PostgreSQL refuses it: with it, the statement cannot run. */
  locksInVain: boolean;
  /** An INSERT, UPDATE, DELETE or MERGE stands somewhere in it. */
  writes: boolean;
  /** The first thing found that cannot be run in a staged session. */
  refusal: Refusal | null;
  /** What may still be looked at more than once. */
  readonly effort: Effort;
}

/** Returns the notes of a walk that has not begun, over a text of so many bytes. */
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
