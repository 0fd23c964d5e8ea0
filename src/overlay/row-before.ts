/** The row before a staged update: that of production at its first touch, else the version that the session had staged before. */
import { fillSql, loadSql } from '../db/sql-file.ts';
import type { Table } from '../model/table.ts';
import { columnList, columnNames, rowTypeName, shadowName } from './object-names.ts';

/** Returns an expression for that row, of the table's row type, over the shadow table as `s`. */
export const rowBefore = (table: Table): string =>
  fillSql(loadSql('table/rows/row_before.sql'), {
    shadow: shadowName(table),
    row_type: rowTypeName(table),
    columns: columnList(columnNames(table), 'v.'),
  }).trimEnd();
