/** Functions of a table for SELECT ... FOR UPDATE: they lock a row for the session, and return the locked rows. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteLiteral } from '../../identifier.ts';
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
import { keyColumns, keysEqual } from '../row-identity.ts';

/**
 * Returns the names of the functions that lock the rows of a table.
 * @param schema that of the table's overlay
 */
export const rowLockFunctions = (schema: string, oid: number) => ({
  seen: `${schema}.seen_${oid}`,
  lock: `${schema}.lock_${oid}`,
  tryLock: `${schema}.try_lock_${oid}`,
  locked: `${schema}.locked_${oid}`,
  claim: `${schema}.claim_${oid}`,
});

/** Converts a value of a key to a form that JSON can store without loss. */
const jsonKey = (table: Table, name: string, value: string) =>
  columnNamed(table, name).mayLackJson ? `format('%s', ${value})` : value;

/** Builds the functions; none without a key, because equal rows cannot be distinguished. */
export function rowLockSql(table: Table): string[] {
  if (isKeyless(table)) return [];
  const { seen, lock, tryLock, locked, claim } = rowLockFunctions(overlaySchema(table), table.oid);
  const names = keyNames(table);
  // a parameter with its column's name could have the name of a keyword of the function's language
  const given = names.map((_, index) => `_stage_key_${index + 1}`);
  const types = names.map((name) => columnNamed(table, name).baseType);
  return [
    fillSql(loadSql('table/rows/row_lock.sql'), {
      seen,
      lock,
      oid: table.oid,
      table_literal: quoteLiteral(table.name),
      try_lock: tryLock,
      locked,
      claim,
      await: functionName(table, 'await'),
      outwait: functionName(table, 'outwait'),
      parameters: given.map((name, index) => `${name} ${types[index]}`).join(', '),
      types: types.join(', '),
      arguments: given.join(', '),
      shadow: shadowName(table),
      row_type: rowTypeName(table),
      overlay: overlayName(table),
      key: columnList(names),
      members: names
        .map((name, index) => `${quoteLiteral(name)}, ${jsonKey(table, name, given[index] ?? '')}`)
        .join(', '),
      not_available: quoteLiteral(`could not obtain lock on row in relation "${table.name}"`),
      s_key_matches: keysEqual(table, keyColumns(table, 's.'), given),
      o_columns: columnList(columnNames(table), 'o.'),
      o_key_matches_k: keyMatches(table, 'o.', 'k.'),
    }),
  ];
}
