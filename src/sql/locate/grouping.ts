/** The columns that a query groups by, and the other columns that it uses. */

/** A column as a query refers to it: `range.column`, `column`, `range.*` or `*`. */
export interface ColumnName {
  readonly range: string | null;
  /** Null for all columns. */
  readonly column: string | null;
}

/** A table in the FROM of a query that groups. */
export interface GroupedRange {
  /** First byte of its name, as in its `RelationUse`. */
  readonly relation: number;
  /** The name by which the query refers to it. */
  readonly alias: string;
}

/** The GROUP BY of a query. */
export interface Grouping {
  /** The start of one of its elements, where more elements can be inserted. */
  readonly start: number;
  readonly ranges: readonly GroupedRange[];
  /** The columns that it may refer to. */
  readonly by: readonly ColumnName[];
  /** The other columns that the query uses, at any depth. */
  readonly uses: readonly ColumnName[];
  /** Those of the query's names that may refer to whole rows. */
  readonly rows: readonly string[];
}
