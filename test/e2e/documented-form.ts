/** The form of a statement of the documents about SQL: the words of its page, and what shows that they are true. */

export interface SqlStatement {
  /** Page of docs/. */
  readonly page: string;
  /** Words that stand on it. */
  readonly says: string;
  readonly sql: readonly string[];
  /**
   * What comes of the last text in a session with staged reads: what PostgreSQL answers to the same on its own, an SQLSTATE, or
   * the rows that it gives.
   */
  readonly gives: 'as PostgreSQL' | string | readonly (readonly unknown[])[];
  /** Run on production before, past the service. */
  readonly before?: string;
  /** As a role that has these rights alone, and USAGE on the schema. */
  readonly rights?: string;
}

export const limits = (
  says: string,
  sql: string | readonly string[],
  gives: SqlStatement['gives'],
  more: Partial<SqlStatement> = {},
): SqlStatement => ({
  page: 'limits',
  says,
  sql: [sql].flat(),
  gives,
  ...more,
});
export const works = (
  says: string,
  sql: string | readonly string[],
  gives: SqlStatement['gives'],
): SqlStatement => ({
  page: 'works-with',
  says,
  sql: [sql].flat(),
  gives,
});
export const refused = '0A000';
export const same = 'as PostgreSQL';
