/**
 * Rows that a statement inserts or changes as a set: views that put them into the shadow table, and checks that run on all of them
 * together.
 */

import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier } from '../../identifier.ts';
import type { Table } from '../../model/table.ts';
import {
  changesName,
  columnList,
  columnNames,
  deletedTableName,
  functionName,
  isKeyless,
  loadName,
  loadTableName,
  oldColumnNames,
  oldValues,
  overlayName,
  rowTypeName,
  shadowName,
  updatedTableName,
} from '../object-names.ts';
import { checkCondition, computed } from '../row-functions.ts';
import { present } from '../row-identity.ts';
import { mayFire } from '../triggers/candidates.ts';
import { takenInProduction } from '../uniques.ts';
import type { Operation } from './after-statement.ts';
import { afterSetSql, codeOf, settingKey } from './after-statement.ts';
import { viewDefaultsSql } from './view.ts';

/**
 * Returns whether rows can be checked together: by a condition for each row, and by unique indexes that the shadow has, too. Computed
 * columns, policies of the role, and domains (which are checked as the client) need a trigger for each row, and so do tables whose own
 * triggers may change a row. Values of ALWAYS identities cannot be given; rows with drawn numbers are staged one by one (see
 * src/rewrite/load-rewrite.ts).
 */
const takesSets = (table: Table) =>
  table.kind === 'table' &&
  !mayFire(table, 'insert') &&
  !table.isInherited &&
  !isKeyless(table) &&
  table.policies === null &&
  table.columns.length > 0 &&
  table.columns.every(
    ({ generated, domain, identity }) =>
      generated === null && domain === null && identity !== 'always',
  ) &&
  // no index finds nulls that collide
  table.uniques.every(
    ({ kind, nullsNotDistinct, ofPartition }) =>
      kind === 'unique' && !nullsNotDistinct && !ofPartition,
  );

/** Builds the objects that take rows as a set; none for a table whose rows are staged one by one. */
export function setLoadSql(table: Table, server: number): string[] {
  if (!takesSets(table)) return [];
  const load = fillSql(loadSql('table/rows/load.sql'), {
    load: loadName(table),
    set_table: loadTableName(table),
    columns: columnList(columnNames(table)),
  });
  return [
    ...setTableSql(table, insertSet(table), server),
    load,
    ...viewDefaultsSql(table, loadTableName(table)),
    ...changeSetSql(table, server),
  ];
}

/** How rows of one operation are staged as a set. */
interface RowSet {
  readonly operation: Operation;
  readonly table: string;
  /** The next table on a row's way to the shadow table. */
  readonly partition: string;
  /** The function that ends a statement. */
  readonly after: string;
  /** Conditions under which a staged row `s` is invalid. */
  readonly violations: readonly string[];
}

const insertSet = (table: Table): RowSet => ({
  operation: 'insert',
  table: loadTableName(table),
  partition: shadowName(table),
  after: 'load',
  violations: [...violations(table), ...takenInProduction(table)],
});

const updateSet = (table: Table): RowSet => ({
  operation: 'update',
  table: updatedTableName(table),
  partition: loadTableName(table),
  after: 'update_set',
  violations: violations(table),
});

const deleteSet = (table: Table): RowSet => ({
  operation: 'delete',
  table: deletedTableName(table),
  partition: updatedTableName(table),
  after: 'delete_set',
  violations: [],
});

function setTableSql(table: Table, set: RowSet, server: number): string[] {
  const { operation } = set;
  const isNew = operation === 'insert';
  const key = settingKey(table, operation);
  const check = fillSql(loadSql('table/rows/check_load.sql'), {
    violations: set.violations.map((violation) => ` OR ${violation}`).join(''),
  });
  const made = fillSql(loadSql('table/rows/set_table.sql'), {
    set_table: set.table,
    partition: set.partition,
    shadow: shadowName(table),
    oid: table.oid,
    operation: operation.toUpperCase(),
    op: codeOf(operation),
    key,
    // a changed row has a row of production behind it, and keeps the columns of its foreign keys
    is_first: String(!isNew),
    is_checked: String(isNew),
    after_function: functionName(table, `after_${set.after}`),
  });
  return [afterSetSql(table, operation, set.after, server, check), made];
}

/**
 * Builds the objects that change rows as a set. Columns of unique indexes and foreign keys need a trigger for each row, and so do deleted
 * rows that others may refer to.
 */
function changeSetSql(table: Table, server: number): string[] {
  const checked = new Set([
    ...table.key.map(({ name }) => name),
    ...table.uniques.flatMap(({ columns }) => columns),
    ...table.references.flatMap(({ child }) => child.columns),
    ...table.referencedBy.flatMap(({ parent }) => parent.columns),
  ]);
  const updatable = columnNames(table).filter((name) => !checked.has(name));
  const parts = {
    changes: changesName(table),
    overlay: overlayName(table),
    row_type: rowTypeName(table),
    columns: columnList(columnNames(table)),
    updatable: columnList(updatable),
    new_columns: columnList(columnNames(table), 'NEW.'),
    old_row: columnList(columnNames(table), 'OLD.'),
    old_columns: oldColumnNames(table).join(', '),
    old_values: oldValues(table, 'OLD.').join(', '),
  };
  const rule = (operation: 'update' | 'delete', set: RowSet) =>
    mayFire(table, operation)
      ? []
      : [fillSql(loadSql(`table/rows/${operation}_set.sql`), { ...parts, set_table: set.table })];
  const [updated, deleted] = [updateSet(table), deleteSet(table)];
  return [
    ...setTableSql(table, updated, server),
    ...setTableSql(table, deleted, server),
    fillSql(loadSql('table/rows/change_set.sql'), parts),
    ...(updatable.length > 0 ? rule('update', updated) : []),
    // guard: no row that others may refer to is deleted as a set
    ...(table.referencedBy.length === 0 ? rule('delete', deleted) : []),
  ];
}

/** Lists conditions under which a staged row `s` is invalid, the same as the row's trigger checks. */
function violations(table: Table): string[] {
  const nulls = table.columns
    .filter(({ notNull }) => notNull)
    .map(({ name }) => `NOT (${present(`s.${quoteIdentifier(name)}`)})`);
  const checks = table.checks.map(
    (_, index) => `NOT ${computed(checkCondition(table, index), 's.')}`,
  );
  return [...nulls, ...checks];
}
