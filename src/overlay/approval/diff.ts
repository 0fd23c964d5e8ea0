/** The functions of a table that return the net change of each row of a session, and count the changes in chunks. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  imageColumn,
  isKeyless,
  rowTypeName,
  shadowName,
} from '../object-names.ts';
import { keyColumns, oldKeyColumns, rowImage, rowKey } from '../row-identity.ts';
import { exactTexts } from './exact-texts.ts';

/** Builds `diff_<oid>`, `outline_<oid>` and `counts_<oid>`. */
export function diffSql(table: Table): string {
  const netChanges = fillSql(loadSql('table/approval/net_changes.sql'), {
    newest_version: newestVersionSql(table),
  });
  const diff = fillSql(loadSql('table/approval/diff.sql'), {
    function: functionName(table, 'diff'),
    row_image: rowImage(table),
    texts_before: exactTexts(table, 'b.'),
    texts_after: exactTexts(table, 'v.'),
    net_changes: netChanges,
    f_identity: [
      ...oldKeyColumns(table, '_stage_f.'),
      ...(isKeyless(table) ? [`_stage_f.${imageColumn}`] : []),
    ].join(', '),
    // without a key, a row is identified by its image when the session first staged it
    n_row_id: rowKey(table, isKeyless(table) ? [`n.${imageColumn}`] : keyColumns(table, 'v.')),
    f_row_id: rowKey(table, oldKeyColumns(table, 'n.')),
  });
  const outline = fillSql(loadSql('table/approval/outline.sql'), {
    function: functionName(table, 'outline'),
    net_changes: netChanges,
  });
  const counts = fillSql(loadSql('table/approval/counts.sql'), {
    function: functionName(table, 'counts'),
    ...versionColumns(table),
  });
  return `${diff};\n${outline};\n${counts}`;
}

/** Builds the lineages of a table for FROM: `_stage_f` is the first version of each, `h` the newest. */
export const newestVersionSql = (table: Table) =>
  fillSql(loadSql('table/approval/newest_version.sql'), versionColumns(table));

const versionColumns = (table: Table) => ({
  shadow: shadowName(table),
  row_type: rowTypeName(table),
  f_columns: columnList(columnNames(table), '_stage_f.'),
  l_columns: columnList(columnNames(table), '_stage_l.'),
});
