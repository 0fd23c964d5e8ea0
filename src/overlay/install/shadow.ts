/** The shadow table with its row type and indexes. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier } from '../../identifier.ts';
import type { Table } from '../../model/table.ts';
import {
  columnList,
  columnNamed,
  imageColumn,
  isKeyless,
  keyNames,
  oldColumns,
  rowTypeName,
  shadowName,
} from '../object-names.ts';
import { isTombstone, present } from '../row-identity.ts';

/** Builds the row type and the shadow table. */
export function shadowSql(table: Table): string {
  return fillSql(loadSql('table/install/shadow.sql'), {
    shadow: shadowName(table),
    row_type: rowTypeName(table),
    column_definitions: table.columns
      .map((column) => `${quoteIdentifier(column.name)} ${column.type}`)
      .join(', '),
    old_column_definitions: oldColumns(table)
      .map((name, index) => `_stage_old_${index + 1} ${oldColumnType(table, name)}`)
      .join(', '),
    image_definition: isKeyless(table) ? `\n  ${imageColumn} bytea NOT NULL,` : '',
    head_indexes: headIndexes(table).join(';\n'),
  });
}

const oldColumnType = (table: Table, name: string) =>
  name === imageColumn ? 'bytea' : columnNamed(table, name).type;

/**
 * Builds the indexes of heads. A key has one head. Without a key any number of rows may be equal, but one tombstone hides all equal rows of
 * production. The indexes of images serve only queries for an image: a query for all rows shows them in the order of the primary key, in
 * which they were staged.
 */
function headIndexes(table: Table): string[] {
  const index = `ON ${shadowName(table)} (_stage_session, ${columnList(keyNames(table))}) WHERE _stage_head`;
  return isKeyless(table)
    ? [
        `CREATE INDEX ${index} AND ${present(imageColumn)}`,
        `CREATE UNIQUE INDEX ${index} AND ${isTombstone('')}`,
        `CREATE INDEX ON ${shadowName(table)} (_stage_session, _stage_old_1) WHERE ${present('_stage_old_1')}`,
      ]
    : [`CREATE UNIQUE INDEX ${index}`];
}
