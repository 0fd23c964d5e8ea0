/** A brief: what the diff of a session means, as facts with counts. The words for them are in client/brief-words.ts. */
import type { Hidden } from './change.ts';
import type { JsonText } from './json.ts';

export const flagCodes = [
  'beyond_rule',
  'new_values',
  'duplicates',
  'carried_along',
  'deletes',
  'keys_moved',
  'share_of_table',
  'sensitive_column',
  'triggers',
  'overlap',
  'further_changes',
  'new_table_for_author',
  'size_for_author',
] as const;
export type FlagCode = (typeof flagCodes)[number];

/** Something unusual that a reviewer should look at first. */
export interface Flag {
  readonly code: FlagCode;
  /** The table that it concerns; null for the session. */
  readonly table: string | null;
  /** The column that it concerns; null for the table. */
  readonly column: string | null;
  /** Number of rows, of sessions for `overlap`, of triggers for `triggers`; a percentage for `share_of_table`. */
  readonly count: number;
}

export interface TableBrief {
  readonly table: string;
  readonly inserts: number;
  readonly updates: number;
  readonly deletes: number;
  readonly furtherChanges: number;
  /** Number of changes that the facts are about, where these are not all. */
  readonly sampled: number | null;
  /** JSON objects with `kind`, by column. */
  readonly facts: readonly JsonText[];
  readonly hidden?: Hidden;
}

export interface Overlap {
  /** Null where the caller may not know the session. */
  readonly sessionId: string | null;
  readonly table: string;
  readonly rows: number;
}

export interface Brief {
  readonly revision: string;
  readonly tables: readonly TableBrief[];
  readonly flags: readonly Flag[];
  readonly overlaps: readonly Overlap[];
}
