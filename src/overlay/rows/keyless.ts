/** Tables without a key: identical rows cannot be distinguished, and SQL can only address them together. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier } from '../../identifier.ts';
import type { Table } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  equalImages,
  functionName,
  imageColumn,
  imageOf,
  keyMatches,
  oldColumnNames,
  oldValues,
  productionRows,
  rowTypeName,
  shadowName,
  sourceCall,
} from '../object-names.ts';
import { raise } from '../raise.ts';
import { isTombstone } from '../row-identity.ts';

/** Lists the shadow's columns that a row fills, including the image. */
export const storedColumns = (table: Table) => columnList([...columnNames(table), imageColumn]);

/** Lists a row's values for those columns. */
export const storedValues = (table: Table, prefix: string) =>
  `${columnList(columnNames(table), prefix)}, ${imageOf(table, prefix)}`;

/** Builds statements of a row trigger that pick one row that equals OLD and take its place. */
export function takeRow(table: Table): string {
  return fillSql(loadSql('table/rows/take_row.sql'), {
    oid: table.oid,
    shadow: shadowName(table),
    columns: storedColumns(table),
    old_row_and_image: storedValues(table, 'OLD.'),
    old_columns: oldColumnNames(table).join(', '),
    old_values: oldValues(table, 'OLD.').join(', '),
    source: sourceCall(table),
    p_looks_like_old: looksLike(table, 'p.', 'OLD.', '_stage_v_image'),
  });
}

/**
 * Builds statements at the end of an UPDATE or DELETE that preserve equal rows of which only some were changed.
 * @param rows returns the condition that selects the statement's rows, given an alias of the shadow table
 */
export function settleCopies(table: Table, rows: (alias: string) => string): string {
  const ambiguous = raise({
    message: `cannot stage writes to "${table.name}": a row was matched several times, and the table has no key`,
    sqlstate: '0A000',
    schema: table.schema,
    table: table.name,
    hint: 'Write the statement so that each row is matched once, or give the table a primary key.',
  });
  return fillSql(loadSql('table/rows/settle_copies.sql'), {
    shadow: shadowName(table),
    source: sourceCall(table),
    rows_t: rows('t'),
    rows_s: rows('s'),
    t_is_tombstone: isTombstone('t.'),
    p_looks_like_t: looksLike(table, 'p.', 't.', `t.${imageColumn}`),
    oid: table.oid,
    raise_ambiguous: ambiguous,
    columns: storedColumns(table),
    t_columns: columnList([...columnNames(table), imageColumn], 't.'),
  });
}

/** Builds the condition that a row has an image. The row must also have each of the values that an index can look up. */
export function looksLike(table: Table, prefix: string, known: string, image: string): string {
  const found = table.lookup.map(
    ({ name, equals }) =>
      `${prefix}${quoteIdentifier(name)} ${equals} ${known}${quoteIdentifier(name)}`,
  );
  return [...found, equalImages(imageOf(table, prefix), image)].join(' AND ');
}

/** Builds `found_<oid>`, which pairs staged changes with rows of production. */
export function foundSql(table: Table, rows: string): string {
  return fillSql(loadSql('table/rows/found.sql'), {
    function: functionName(table, 'found'),
    production: productionRows(table),
    shadow: shadowName(table),
    row_type: rowTypeName(table),
    rows,
    s_columns: columnList(columnNames(table), 's.'),
    p_looks_like_d: looksLike(table, 'p.', '(d.known).', 'd.image'),
  });
}

/** Builds the condition that a shadow row `h` hides all rows of production that equal the given one. */
export const hidesRow = (table: Table, row: string) =>
  `${keyMatches(table, 'h.', row)} AND ${isTombstone('h.')}`;
