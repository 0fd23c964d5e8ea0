/** What SELECT ... FOR UPDATE needs of a table: functions that lock a row for the session, and give the rows that were locked. */
import { quoteIdentifier, quoteLiteral } from '../../db/identifier.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table } from '../../model/table.ts';
import {
  columnList,
  columnNamed,
  columnNames,
  functionName,
  isKeyless,
  keyMatches,
  keyNames,
  overlayName,
  overlaySchema,
  rowTypeName,
  shadowName,
} from '../object-names.ts';

/**
 * The functions by which the rows of a table are locked.
 * @param schema that of the table's overlay
 */
export const rowLockFunctions = (schema: string, oid: number) => ({
  seen: `${schema}.seen_${oid}`,
  lock: `${schema}.lock_${oid}`,
  tryLock: `${schema}.try_lock_${oid}`,
  locked: `${schema}.locked_${oid}`,
});

/** Creates the functions; none without a key, for there one row cannot be told from its like. */
export function rowLockSql(table: Table): string[] {
  if (isKeyless(table)) return [];
  const { seen, lock, tryLock, locked } = rowLockFunctions(overlaySchema(table), table.oid);
  const names = keyNames(table);
  const ofLock = (name: string) => `lock_${table.oid}.${quoteIdentifier(name)}`;
  const ofAwait = `await_${table.oid}.`;
  const types = names.map((name) => columnNamed(table, name).baseType);
  return [
    fillSql(loadSql('table/rows/row_lock.sql'), {
      seen,
      lock,
      oid: table.oid,
      table_literal: quoteLiteral(table.name),
      try_lock: tryLock,
      locked,
      await: functionName(table, 'await'),
      parameters: names.map((name, index) => `${quoteIdentifier(name)} ${types[index]}`).join(', '),
      types: types.join(', '),
      arguments: names.map((_, index) => `$${index + 1}`).join(', '),
      shadow: shadowName(table),
      row_type: rowTypeName(table),
      overlay: overlayName(table),
      key: columnList(names),
      values: columnList(names, ofAwait),
      locked_key: names.map(ofLock).join(', '),
      members: names.map((name) => `${quoteLiteral(name)}, ${ofLock(name)}`).join(', '),
      held: quoteLiteral(`could not obtain lock on row in relation "${table.name}"`),
      s_key_matches_seen: keyMatches(table, 's.', `seen_${table.oid}.`),
      s_key_matches: keyMatches(table, 's.', ofAwait),
      o_columns: columnList(columnNames(table), 'o.'),
      o_key_matches_k: keyMatches(table, 'o.', 'k.'),
    }),
  ];
}
