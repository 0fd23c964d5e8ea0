/** The error for a text that PostgreSQL's grammar rejects, as PostgreSQL would report it. */

/** Thrown for SQL that cannot be parsed. It has the fields of PostgreSQL's ErrorResponse. */
export class SqlSyntaxError extends Error {
  readonly sqlstate: string;
  /** In characters from 1, as in field `P`; null if PostgreSQL reports none. */
  readonly position: number | null;

  constructor(message: string, position: number | null, sqlstate = '42601') {
    super(message);
    this.name = 'SqlSyntaxError';
    this.position = position;
    this.sqlstate = sqlstate;
  }
}
