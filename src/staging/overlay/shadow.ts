/** The shadow table with its row type and indexes. */
import { quoteIdentifier } from '../../db/identifier.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table, Unique } from '../../model/table.ts';
import {
  columnList,
  columnNamed,
  imageColumn,
  isKeyless,
  keyNames,
  oldColumns,
  rowTypeName,
  shadowName,
} from './names.ts';

/** Creates the row type and the shadow table. */
export function shadowSql(table: Table): string {
  return fillSql(loadSql('table/shadow.sql'), {
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

/** A key has one head. Without a key any number of rows may be equal, but one tombstone hides all of production's. */
function headIndexes(table: Table): string[] {
  const index = `ON ${shadowName(table)} (_stage_session, ${columnList(keyNames(table))}) WHERE _stage_head`;
  return isKeyless(table)
    ? [
        `CREATE INDEX ${index}`,
        `CREATE UNIQUE INDEX ${index} AND ${isTombstone('')}`,
        `CREATE INDEX ON ${shadowName(table)} (_stage_session, _stage_old_1)`,
      ]
    : [`CREATE UNIQUE INDEX ${index}`];
}

/** A shadow row of a keyless table that hides every production row of its image. */
export const isTombstone = (alias: string) =>
  `${alias}_stage_op = 'D' AND ${alias}_stage_origin = 'k'`;

/** Indexes that serve the checks and the diff: made anew with each rebuild, for constraints come and go. */
export function shadowIndexesSql(table: Table): string[] {
  // the numbers of versions are unique among all sessions: without the session no other index can be taken for it
  const lineage =
    `CREATE INDEX lineage_${table.oid} ON ${shadowName(table)} (_stage_root, _stage_seq) ` +
    'WHERE _stage_root IS NOT NULL';
  const constraints = table.uniques.flatMap((unique) => constraintIndex(table, unique));
  const references = table.references.map(
    (foreignKey, index) =>
      `CREATE INDEX reference_${table.oid}_${index} ON ${shadowName(table)} ` +
      `(_stage_session, ${columnList(foreignKey.child.columns)}) WHERE _stage_head`,
  );
  // in words that name no session (see tree-row.ts)
  const ancestors = table.ancestorKeys.map(
    (key, index) =>
      `CREATE INDEX ancestor_${table.oid}_${index} ON ${shadowName(table)} (${columnList(key)}) WHERE _stage_head`,
  );
  return [lineage, ...constraints, ...references, ...ancestors];
}

/** The production index mirrored per session: serves the check, and makes two writers of one session wait for each other. */
function constraintIndex(table: Table, unique: Unique): string[] {
  if (unique.name === table.keyIndex || unique.timing !== 'immediate') return [];
  if (unique.kind === 'exclusion') {
    const method = unique.indexDefinition.slice(unique.indexDefinition.indexOf(' USING '));
    const filter = unique.predicate === null ? ' WHERE _stage_head' : ' AND _stage_head';
    return [`CREATE INDEX exclusion_${unique.oid} ON ${shadowName(table)}${method}${filter}`];
  }
  const elements = unique.elements.map((element) => element.definition).join(', ');
  const nulls = unique.nullsNotDistinct ? ' NULLS NOT DISTINCT' : '';
  const predicate = unique.predicate === null ? '' : ` AND (${unique.predicate})`;
  return [
    `CREATE UNIQUE INDEX unique_${unique.oid} ON ${shadowName(table)} (_stage_session, ${elements})${nulls}` +
      ` WHERE _stage_head AND _stage_op <> 'D'${predicate}`,
  ];
}
