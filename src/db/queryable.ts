/** What can be asked in SQL: a pool, or one transaction. */

/** Every value arrives as PostgreSQL's own text; nothing is parsed, so nothing is rounded. */
export type Row = Readonly<Record<string, string | null>>;

export interface Queryable {
  /** Runs one statement with bound text parameters (null for SQL NULL) and gives its rows. */
  query(text: string, values?: readonly (string | number | null)[]): Promise<Row[]>;
}
