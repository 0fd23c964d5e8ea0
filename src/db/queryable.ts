/** The interface of what runs SQL queries: a pool, or one transaction. */

/** A row whose values are PostgreSQL's text. Nothing is parsed, so nothing is rounded. */
export type Row = Readonly<Record<string, string | null>>;

export interface Queryable {
  /** Runs one statement with bound text parameters (null for SQL NULL) and returns its rows. */
  query(text: string, values?: readonly (string | number | null)[]): Promise<Row[]>;
}
