/** The result of a rehearsal: it applies a session as an approval would, in a transaction that is rolled back. */
import type { Change, Conflict, Hidden, NetCounts } from './change.ts';
import type { JsonText } from './json.ts';

/** An error of production that would make approval fail, or the reason why a rehearsal has no result. */
export interface Failure {
  readonly sqlstate: string;
  /** Null if it may contain values of tables that the caller may not read. */
  readonly message: string | null;
  readonly detail: string | null;
  readonly table: string | null;
  readonly constraint: string | null;
  /** The row_id if a single row was refused, else null. */
  readonly row: JsonText | null;
}

/** The number of net changes of the session that approval would apply to a table. */
export interface LandingCounts extends NetCounts {
  readonly table: string;
  readonly hidden?: Hidden;
}

/** Rows whose values would differ from the staged ones, because production's triggers change them or columns merge. */
export interface Differing {
  readonly table: string;
  readonly count: number;
  /** The first of these rows; empty for a hidden table. */
  readonly rows: readonly DifferingRow[];
  readonly hidden?: Hidden;
}

export interface DifferingRow {
  readonly rowId: JsonText;
  /** The staged row, and the row that approval would produce; null if there is none. */
  readonly staged: JsonText | null;
  readonly lands: JsonText | null;
}

/** Rows of one table that approval would change in addition to the session's own. */
export interface SideEffects {
  readonly table: string;
  /** Whether rows were compared. Otherwise operations were counted; counts are null if no counters exist. */
  readonly scanned: boolean;
  readonly counts: NetCounts | null;
  /** The first of these changes; empty for a hidden table. */
  readonly changes: readonly Change[];
  readonly hidden?: Hidden;
}

export interface Rehearsal {
  /** Digest of the rehearsed steps, as `approve` accepts it. */
  readonly digest: string;
  /** The conflicts; ignored ones come last. */
  readonly conflicts: readonly Conflict[];
  readonly failure: Failure | null;
  /** Null, like `differs` and `sideEffects`, if a conflict or a failure prevents a result. */
  readonly wouldLand: readonly LandingCounts[] | null;
  readonly differs: readonly Differing[] | null;
  readonly sideEffects: readonly SideEffects[] | null;
  /** Values that triggers would set other than while staging, as `stage.trigger_differences` returns them; null without any. */
  readonly triggerDifferences: JsonText | null;
  /** Whether these would stop an approval. */
  readonly isStopped: boolean;
  readonly warnings: readonly string[];
}
