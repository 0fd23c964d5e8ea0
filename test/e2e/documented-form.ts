/** The form of a statement of the documents about SQL: the words of its page, and a check that they hold. */

export interface SqlStatement {
  /** The page of docs/. */
  readonly page: string;
  /** Words of the page. */
  readonly says: string;
  readonly sql: readonly string[];
  /** The result of the last text in a session with staged reads: the same as PostgreSQL's, an SQLSTATE, or rows. */
  readonly gives: 'as PostgreSQL' | string | readonly (readonly unknown[])[];
  /** Runs on production first, past the service. */
  readonly before?: string;
  /** The texts run as a role that has only these rights, and USAGE on the schema. */
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
