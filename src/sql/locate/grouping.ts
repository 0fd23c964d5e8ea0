/** What a query groups by, and what it uses besides. */

/** A column as a query calls it: `range.column`, `column`, `range.*` or `*`. */
export interface ColumnName {
  readonly range: string | null;
  /** Null for all of them. */
  readonly column: string | null;
}

/** A table in the FROM of a query that groups. */
export interface GroupedRange {
  /** First byte of its name, as in its RelationUse. */
  readonly relation: number;
  /** By which the query calls it. */
  readonly alias: string;
}

/** The GROUP BY of a query. */
export interface Grouping {
  /** Before one of its elements, where more of them can be added. */
  readonly start: number;
  readonly ranges: readonly GroupedRange[];
  /** Which columns it may name. */
  readonly by: readonly ColumnName[];
  /** What the query calls besides, in whatever depth. */
  readonly uses: readonly ColumnName[];
  /** Those of its names that may be whole rows. */
  readonly rows: readonly string[];
}
