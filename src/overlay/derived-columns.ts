/** Recomputes the derived columns of staged rows when others have changed. */
import { fillSql, loadSql } from '../db/sql-file.ts';
import { quoteIdentifier } from '../identifier.ts';
import type { Column, Table } from '../model/table.ts';
import { oldColumns, rowTypeName, shadowName } from './object-names.ts';
import { computed, generatedValue } from './row-functions.ts';

/**
 * Builds the statements that recompute the derived columns of staged rows: generated columns, and the columns that store old values.
 * @param of returns a condition on rows of the shadow table, given their alias; without it, all rows are selected
 */
export function followSql(table: Table, of?: (alias: string) => string): string[] {
  const where = (alias: string) => (of === undefined ? '' : ` WHERE ${of(alias)}`);
  return [
    ...(table.columns.some(({ generated }) => generated) ? [generatedSql(table, where('s'))] : []),
    oldSql(table, where('x')),
  ];
}

function generatedSql(table: Table, ofRows: string): string {
  const value = (column: Column, index: number, row: string) => {
    const generated = generatedValue(table, column, index);
    return generated === null ? row + quoteIdentifier(column.name) : computed(generated, row);
  };
  const set = table.columns.flatMap((column, index) =>
    column.generated === null
      ? []
      : [`${quoteIdentifier(column.name)} = ${value(column, index, 's.')}`],
  );
  return fillSql(loadSql('table/install/carry_generated.sql'), {
    of_rows: ofRows,
    shadow: shadowName(table),
    row_type: rowTypeName(table),
    set_generated: set.join(', '),
    base: table.columns.map((column, index) => value(column, index, 'b.')).join(', '),
  });
}

/**
 * Builds the statement that sets old values. The row of a deletion, or of one that hides an old key, is the row as it was. An update's old
 * values come from the version before, or from the base.
 */
function oldSql(table: Table, ofRows: string): string {
  const old = oldColumns(table).map(quoteIdentifier);
  return fillSql(loadSql('table/install/carry_old.sql'), {
    of_rows: ofRows,
    shadow: shadowName(table),
    set_old: old.map((_, index) => `_stage_old_${index + 1} = v.old_${index + 1}`).join(', '),
    old_values: old
      .map(
        (name, index) =>
          `CASE WHEN x._stage_op = 'D' THEN x.${name} WHEN x._stage_first THEN (x._stage_base).${name} ` +
          `ELSE lag(x.${name}) OVER w END AS old_${index + 1}`,
      )
      .join(', '),
  });
}
