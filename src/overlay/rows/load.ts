/** Rows that a statement brings as a set: a view by which they are put into the shadow table, and what judges them there together. */
import { quoteIdentifier } from '../../db/identifier.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  isKeyless,
  loadName,
  loadTableName,
  shadowName,
} from '../object-names.ts';
import { present } from '../row-identity.ts';
import { afterLoadSql, settingKey } from './after-statement.ts';
import { rowCall } from './row-functions.ts';
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
  const judge = fillSql(loadSql('table/rows/judge_load.sql'), {
    violations: violations(table).join(' OR '),
  });
  const load = fillSql(loadSql('table/rows/load.sql'), {
    load: loadName(table),
    load_table: loadTableName(table),
    shadow: shadowName(table),
    columns: columnList(columnNames(table)),
    oid: table.oid,
    key: settingKey(table, 'insert'),
    after_function: functionName(table, 'after_load'),
  });
  return [
    afterLoadSql(table, server, judge),
    load,
    ...hungDefaultsSql(table, loadTableName(table)),
  ];
}

/** Conditions under which a staged row `s` is not in order, each as the row's trigger asks it. */
function violations(table: Table): string[] {
  const nulls = table.columns
    .filter(({ notNull }) => notNull)
    .map(({ name }) => `NOT (${present(`s.${quoteIdentifier(name)}`)})`);
  const checks = table.checks.map(
    ({ columns }, index) =>
      `NOT ${rowCall(functionName(table, 'constraint', index + 1), columns, 's.')}`,
  );
  return [...nulls, ...checks, ...takenInProduction(table)];
}
