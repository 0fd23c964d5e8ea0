/** Carries staged rows over into a new shadow table, column by column, when a table's columns change. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier } from '../../identifier.ts';
import type { Column, Table } from '../../model/table.ts';
import { followSql } from '../derived-columns.ts';
import { columnList, isKeyless, productionRows, rowTypeName, shadowName } from '../object-names.ts';
import { keyColumns, keysEqual } from '../row-identity.ts';
import { defaultCalls } from '../rows/view.ts';
import type { ColumnChange } from './column-changes.ts';

const bookkeeping = [
  '_stage_seq',
  '_stage_session',
  '_stage_mutation',
  '_stage_op',
  '_stage_origin',
  '_stage_head',
  '_stage_first',
  '_stage_check',
  '_stage_root',
];

const oldShadowName = (table: Table) => `stage_data.old_shadow_${table.oid}`;
const oldRowTypeName = (table: Table) => `stage_data.old_row_${table.oid}`;

/** Renames the shadow table, so that a new one can take its name. */
export function setAsideSql(table: Table): string {
  return `ALTER TABLE ${shadowName(table)} RENAME TO old_shadow_${table.oid};
ALTER TYPE ${rowTypeName(table)} RENAME TO old_row_${table.oid}`;
}

/**
 * Fills the new shadow table from the renamed one, and drops the latter. The functions for defaults and generated columns must exist,
 * constraint triggers must not exist yet.
 */
export function carryOverSql(table: Table, changes: readonly ColumnChange[]): string {
  // without a key, no one can determine which row a staged row means: all of them are orphaned by now
  if (isKeyless(table))
    return `DROP TABLE ${oldShadowName(table)}; DROP TYPE ${oldRowTypeName(table)}`;
  const carried = new Map(changes.flatMap(({ before, after }) => (after ? [[after, before]] : [])));
  const added = table.columns.filter((column) => !carried.has(column) && column.generated === null);
  return [
    carriedSql(table, carried),
    ...(added.length === 0 ? [] : [addedSql(table, added)]),
    ...followSql(table),
  ].join('\n');
}

function carriedSql(table: Table, carried: ReadonlyMap<Column, ColumnChange['before']>): string {
  const value = (column: Column, row: string) => {
    const before = carried.get(column);
    if (before === undefined) return 'NULL';
    const name = row + quoteIdentifier(before.name);
    return before.type === column.type ? name : `${name}::${column.type}`;
  };
  return fillSql(loadSql('table/install/carry_rows.sql'), {
    shadow: shadowName(table),
    row_type: rowTypeName(table),
    old_shadow: oldShadowName(table),
    old_row_type: oldRowTypeName(table),
    columns: `${columnList(table.columns.map(({ name }) => name))}, `,
    carried: `${table.columns.map((column) => value(column, 'o.')).join(', ')}, `,
    carried_base: table.columns.map((column) => value(column, 'b.')).join(', '),
    kept_given: table.columns.map((column) => value(column, 'g.')).join(', '),
    bookkeeping: bookkeeping.join(', '),
  });
}

function addedSql(table: Table, added: readonly Column[]): string {
  const names = added.map(({ name }) => quoteIdentifier(name));
  const calls = new Map(defaultCalls(table).map(({ name, call }) => [name, call]));
  const isAdded = new Set(added);
  return fillSql(loadSql('table/install/carry_added.sql'), {
    shadow: shadowName(table),
    row_type: rowTypeName(table),
    production: productionRows(table),
    set_production: names.map((name) => `${name} = p.${name}`).join(', '),
    base: baseOf(table, (column) => (isAdded.has(column) ? 'p.' : null)),
    given: baseOf(table, (column) => (isAdded.has(column) ? 's.' : null)),
    p_matches_f: keysEqual(table, keyColumns(table, 'p.'), keyColumns(table, '(f._stage_base).')),
    set_defaults: names.map((name) => `${name} = d.${name}`).join(', '),
    defaults: added
      .map(({ name, type }) => `${calls.get(name) ?? `NULL::${type}`} AS ${quoteIdentifier(name)}`)
      .join(', '),
  });
}

/** Lists the columns of a base image. @param from returns the prefix for a column; null for the base's own value */
function baseOf(table: Table, from: (column: Column) => string | null): string {
  return table.columns
    .map((column) => (from(column) ?? 'b.') + quoteIdentifier(column.name))
    .join(', ');
}
