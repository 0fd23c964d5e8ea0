/** The error for a text that PostgreSQL's grammar does not accept, as PostgreSQL would report it. */

/** Raised for SQL that cannot be parsed. Carries the fields of PostgreSQL's ErrorResponse. */
export class SqlSyntaxError extends Error {
  readonly sqlstate: string;
  /** In characters from 1, as field `P` counts; null when PostgreSQL gives none. */
  readonly position: number | null;

  constructor(message: string, position: number | null, sqlstate = '42601') {
    super(message);
    this.name = 'SqlSyntaxError';
    this.position = position;
    this.sqlstate = sqlstate;
  }
}
