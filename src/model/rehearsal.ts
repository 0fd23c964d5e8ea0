/** A rehearsal: what approval would do to production now, found by doing it in a transaction that is rolled back. */
import type { Change, Conflict, Hidden, NetCounts } from './change.ts';
import type { JsonText } from './json.ts';

/** What production refuses, or why there is no outcome. */
export interface Failure {
  readonly sqlstate: string;
  /** Null where it may hold values of tables that the caller may not read. */
  readonly message: string | null;
  readonly detail: string | null;
  readonly table: string | null;
  readonly constraint: string | null;
  /** The row_id, where one row was refused; null else. */
  readonly row: JsonText | null;
}

/** Net changes of a table that approval would make on behalf of the session. */
export interface LandingCounts extends NetCounts {
  readonly table: string;
  readonly hidden?: Hidden;
}

/** Rows that would become other than staged: production's triggers alter them, or columns merge. */
export interface Differing {
  readonly table: string;
  readonly count: number;
  /** The first of them; none of a hidden table. */
  readonly rows: readonly DifferingRow[];
  readonly hidden?: Hidden;
}

export interface DifferingRow {
  readonly rowId: JsonText;
  /** The row as it was staged, and as it would be; null where there is none. */
  readonly staged: JsonText | null;
  readonly lands: JsonText | null;
}

/** Rows of one table beyond the session's own that would change with it. */
export interface SideEffects {
  readonly table: string;
  /** Whether rows were compared; else operations were counted, and null stands where nobody counts. */
  readonly scanned: boolean;
  readonly counts: NetCounts | null;
  /** The first of them; none of a hidden table. */
  readonly changes: readonly Change[];
  readonly hidden?: Hidden;
}

export interface Rehearsal {
  /** Of what was rehearsed, as approve takes it. */
  readonly digest: string;
  /** Those that do not count come last. */
  readonly conflicts: readonly Conflict[];
  readonly failure: Failure | null;
  /** Null, as those below, where a conflict or a failure leaves nothing to tell. */
  readonly wouldLand: readonly LandingCounts[] | null;
  readonly differs: readonly Differing[] | null;
  readonly sideEffects: readonly SideEffects[] | null;
  readonly warnings: readonly string[];
}
