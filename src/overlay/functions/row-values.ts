/** The rows of tables that functions take and return. Staged functions have types of the service for them. */
import { qualifiedName, quoteIdentifier } from '../../identifier.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';

/** A relation whose rows a function takes, as stage.rows_taken returns it. */
export interface TakenRows extends QualifiedName {
  readonly relation: number;
  readonly columns: readonly string[];
  /** The relation and its descendants, whose rows the function takes, too. */
  readonly tables: readonly number[];
}

/** A row of a table in a query. */
export interface QueryRow {
  /** The name by which the query refers to the table. */
  readonly alias: string;
  /** Whether an outer join may lack the row. */
  readonly isNullable: boolean;
}

/** Returns the type of a relation's rows in staged functions; stage.make_row_value makes it. */
export const rowValueType = (relation: number) => qualifiedName('stage', `row_value_${relation}`);

/** Returns the rows that a function takes of a table itself, or else of an ancestor; undefined if it takes none. */
export const takenOf = (rows: readonly TakenRows[], table: number): TakenRows | undefined =>
  rows.find(({ relation }) => relation === table) ??
  rows.find(({ tables }) => tables.includes(table));

/** Builds a row for a staged function. */
export const rowValue = (row: QueryRow, { relation, columns }: TakenRows): string =>
  rowOfType(row, columns, rowValueType(relation));

/** Builds a row in a type. A row that an outer join lacks is null. */
export function rowOfType(
  { alias, isNullable }: QueryRow,
  columns: readonly string[],
  type: string,
): string {
  const name = quoteIdentifier(alias);
  const values = columns.map((column) => `${name}.${quoteIdentifier(column)}`);
  const row = `ROW(${values.join(', ')})::${type}`;
  return isNullable ? `(CASE WHEN ${name}.* IS DISTINCT FROM NULL THEN ${row} END)` : `(${row})`;
}
