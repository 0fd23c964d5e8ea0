/** SQL fragments by which review finds a row in production, identifies it and displays it. */
import { quoteIdentifier, quoteLiteral } from '../identifier.ts';
import type { Column, Table } from '../model/table.ts';
import {
  columnNamed,
  equalImages,
  imageOf,
  isKeyless,
  keyNames,
  oldColumnName,
} from './object-names.ts';

/**
 * Whether a row `s` of the current statement is a head. Written so that no index of heads is taken for it: while statistics know nothing of
 * the shadow table, the planner may prefer that index to the primary key, and reads all rows of the session for each statement.
 */
export const isHeadOfStatement = 'coalesce(s._stage_head, false)';

/**
 * Builds the value that a client gave for a column of a staged row. Triggers may have changed it; then the row as given is `g`.
 * @param row alias of the staged row
 * @param column quoted name
 */
export const givenValue = (row: string, column: string) =>
  `CASE WHEN ${row}._stage_given IS DISTINCT FROM NULL THEN g.${column} ELSE ${row}.${column} END`;

/** Lists the key's columns of a row, in order: `p."a"`, `p."b"`. */
export const keyColumns = (table: Table, prefix: string) =>
  isKeyless(table)
    ? [imageOf(table, prefix)]
    : keyNames(table).map((name) => prefix + quoteIdentifier(name));

/** Lists the key's columns of a staged row as they were before its change. */
export const oldKeyColumns = (table: Table, prefix: string) =>
  keyNames(table).map((name) => prefix + oldColumnName(table, name));

/** Builds the condition that two keys are equal, with the operators of the key's index. */
export function keysEqual(table: Table, left: readonly string[], right: readonly string[]): string {
  if (isKeyless(table)) return equalImages(left.join(''), right.join(''));
  return table.key
    .map(({ equals }, index) => `${left[index]} ${equals} ${right[index]}`)
    .join(' AND ');
}

/** Builds a row's key as text: `7`, or `7,de` in key order. For a row without a key it is the first 16 hex digits of its image. */
export function rowId(table: Table, key: readonly string[]): string {
  if (isKeyless(table)) return `pg_catalog.left(pg_catalog.encode(${key.join('')}, 'hex'), 16)`;
  return key
    .map((column) => `${column}::pg_catalog.text`)
    .join(` OPERATOR(pg_catalog.||) ',' OPERATOR(pg_catalog.||) `);
}

/** Builds a row's key as JSON: the value of a single column, or an object for a composite key. */
export function rowKey(table: Table, key: readonly string[]): string {
  if (isKeyless(table)) return `pg_catalog.to_jsonb(${rowId(table, key)})`;
  const names = keyNames(table);
  const values = key.map((column, index) => keyValue(table, names[index] ?? '', column));
  if (values.length === 1) return values.join('');
  const members = names.map((name, index) => `${quoteLiteral(name)}, ${values[index]}`);
  return `pg_catalog.jsonb_build_object(${members.join(', ')})`;
}

/** Computes what `stage.key_value` returns. For common types the generated SQL decides by the type, not by each value. */
function keyValue(table: Table, name: string, value: string): string {
  const { domain, baseType } = columnNamed(table, name);
  const form = domain === null ? formOf[baseType] : undefined;
  return form === undefined ? `stage.key_value(${value})` : form(value);
}

const number = (value: string) => `pg_catalog.to_jsonb(${value})`;
const string = (value: string) => `pg_catalog.to_jsonb(${value}::pg_catalog.text)`;

const formOf: Readonly<Record<string, (value: string) => string>> = {
  'pg_catalog.int2': number,
  'pg_catalog.int4': number,
  'pg_catalog.int8': (value) =>
    `CASE WHEN ${value} OPERATOR(pg_catalog.>=) -9007199254740992 AND ${value} OPERATOR(pg_catalog.<=) 9007199254740992 THEN ${number(value)} ELSE ${string(value)} END`,
  'pg_catalog.text': string,
  'pg_catalog.varchar': string,
  'pg_catalog.uuid': string,
};

/** Returns the name of the function that converts a table's rows to JSON. */
export const rowImage = (table: Table) =>
  table.columns.some(({ mayLackJson }) => mayLackJson) ? 'stage.row_image' : 'pg_catalog.to_jsonb';

/** Types whose equal values are always the same image, each with the collation that makes values comparable. */
const comparable: Readonly<Record<string, string>> = {
  'pg_catalog.bool': '',
  'pg_catalog.int2': '',
  'pg_catalog.int4': '',
  'pg_catalog.int8': '',
  'pg_catalog.oid': '',
  'pg_catalog.uuid': '',
  'pg_catalog.date': '',
  'pg_catalog.timestamp': '',
  'pg_catalog.timestamptz': '',
  'pg_catalog.bytea': '',
  // compared byte by byte: the column's own collation may treat different values as equal
  'pg_catalog.text': ' COLLATE pg_catalog."C"',
  'pg_catalog.varchar': ' COLLATE pg_catalog."C"',
};

/** Builds the same condition as `same` for values of a column, without a row constructor where the type allows it. */
export function sameInColumn(column: Column, left: string, right: string): string {
  const collation = column.domain === null ? comparable[column.baseType] : undefined;
  if (collation === undefined) return same(left, right);
  return `coalesce(${left}${collation} OPERATOR(pg_catalog.=) ${right}, ${left} IS NULL AND ${right} IS NULL)`;
}

/**
 * Builds the condition that two values are the same image. It is stricter than any type's equality, and defined for every type.
 * The operator `*=` itself would compare ROW() constructors column by column.
 */
export function same(left: string, right: string): string {
  return `pg_catalog.record_image_eq(ROW(${left}), ROW(${right}))`;
}

/** Builds the condition that a value is not null. For a composite value, `IS NOT NULL` would test every field. */
export const present = (value: string) => `${value} IS DISTINCT FROM NULL`;

/** Builds the condition that a shadow row of a keyless table hides every production row of its image. */
export const isTombstone = (alias: string) =>
  `${alias}_stage_op = 'D' AND ${alias}_stage_origin = 'overlay'`;
