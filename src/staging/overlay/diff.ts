/** The function of a table that gives the net change of each row a session staged. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table } from '../../model/table.ts';
import { columnList, columnNames, functionName, rowTypeName, shadowName } from './names.ts';
import { keyColumns, oldKeyColumns, rowKey } from './row-identity.ts';

/** Builds `diff_<oid>`. */
export function diffSql(table: Table): string {
  return fillSql(loadSql('table/diff.sql'), {
    function: functionName(table, 'diff'),
    shadow: shadowName(table),
    row_type: rowTypeName(table),
    h_columns: columnList(columnNames(table), 'h.'),
    h_row_id: rowKey(table, keyColumns(table, 'h.')),
    f_row_id: rowKey(table, oldKeyColumns(table, 'f.')),
  });
}
