/** Rows that a statement brings or changes as a set: views by which they are put into the shadow table, and what judges them there together. */
import { quoteIdentifier } from '../../db/identifier.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
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
import { present } from '../row-identity.ts';
import type { Operation } from './after-statement.ts';
import { afterSetSql, codeOf, settingKey } from './after-statement.ts';
import { checkCondition, computed } from './row-functions.ts';
import { takenInProduction } from './uniques.ts';
import { hungDefaultsSql } from './view.ts';

/**
 * Whether rows can be judged together: by conditions that each of them meets or not, and by unique indexes that the shadow has, too.
 * What is computed from a row, what its role decides, and domains, which are judged as the client, have a trigger for each row. Numbers
 * that are always drawn cannot be given, and drawn ones come row by row (see src/rewrite/load-rewrite.ts).
 */
const takesSets = (table: Table) =>
  table.kind === 'table' &&
  !table.isInherited &&
  !isKeyless(table) &&
  table.policies === null &&
  table.columns.length > 0 &&
  table.columns.every(
    ({ generated, domain, identity }) =>
      generated === null && domain === null && identity !== 'always',
  ) &&
  // nulls that collide are found by no index
  table.uniques.every(
    ({ kind, nullsNotDistinct, ofPartition }) =>
      kind === 'unique' && !nullsNotDistinct && !ofPartition,
  );

/** Creates what takes rows as a set; nothing for a table whose rows are staged one by one. */
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
    ...hungDefaultsSql(table, loadTableName(table)),
    ...changeSetSql(table, server),
  ];
}

/** How rows of one operation are staged as a set. */
interface RowSet {
  readonly operation: Operation;
  readonly table: string;
  /** What a row goes to next on its way to the shadow table. */
  readonly partition: string;
  /** The function that ends a statement. */
  readonly after: string;
  /** Conditions under which a staged row `s` is not in order. */
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
  const judge = fillSql(loadSql('table/rows/judge_load.sql'), {
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
    // a changed row has one of production behind it, and keeps the columns of its foreign keys
    is_first: String(!isNew),
    is_judged: String(isNew),
    after_function: functionName(table, `after_${set.after}`),
  });
  return [afterSetSql(table, operation, set.after, server, judge), made];
}

/**
 * Creates what changes rows as a set. Columns of unique indexes and foreign keys have a trigger for each row, and so have deleted rows
 * that others may refer to.
 */
function changeSetSql(table: Table, server: number): string[] {
  const judged = new Set([
    ...table.key.map(({ name }) => name),
    ...table.uniques.flatMap(({ columns }) => columns),
    ...table.references.flatMap(({ child }) => child.columns),
    ...table.referencedBy.flatMap(({ parent }) => parent.columns),
  ]);
  const updatable = columnNames(table).filter((name) => !judged.has(name));
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
    fillSql(loadSql(`table/rows/${operation}_set.sql`), { ...parts, set_table: set.table });
  const [updated, deleted] = [updateSet(table), deleteSet(table)];
  return [
    ...setTableSql(table, updated, server),
    ...setTableSql(table, deleted, server),
    fillSql(loadSql('table/rows/change_set.sql'), parts),
    ...(updatable.length > 0 ? [rule('update', updated)] : []),
    // guard: no row that others may refer to is deleted as a set
    ...(table.referencedBy.length === 0 ? [rule('delete', deleted)] : []),
  ];
}

/** Conditions under which a staged row `s` is not in order, each as the row's trigger asks it. */
function violations(table: Table): string[] {
  const nulls = table.columns
    .filter(({ notNull }) => notNull)
    .map(({ name }) => `NOT (${present(`s.${quoteIdentifier(name)}`)})`);
  const checks = table.checks.map(
    (_, index) => `NOT ${computed(checkCondition(table, index), 's.')}`,
  );
  return [...nulls, ...checks];
}
