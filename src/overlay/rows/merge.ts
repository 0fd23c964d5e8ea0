/** What MERGE runs on where PostgreSQL cannot merge into a view: a temporary table whose triggers stage each action. */
import { quoteIdentifier } from '../../db/identifier.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  isKeyless,
  keyMatches,
  overlayName,
} from '../object-names.ts';
import { afterMergeSql } from './after-statement.ts';
import { raise } from './raise.ts';

const operations = ['insert', 'update', 'delete'] as const;

/** Servers from this major on merge into views themselves. */
const mergesIntoViews = 17;

const withoutKey = ({ name, schema }: Table) =>
  raise({
    message: `cannot stage a MERGE that changes rows of "${name}": the table has no key`,
    sqlstate: '0A000',
    schema,
    table: name,
    hint: 'Use UPDATE, DELETE and INSERT, or give the table a primary key.',
  });

/** Creates the functions behind the temporary table; none where the overlay itself is the target. */
export function mergeSql(table: Table, server: number): string[] {
  if (server >= mergesIntoViews) return [];
  const target = `_stage_merge_${table.oid}`;
  const columns = columnNames(table);
  const key = (operation: string) => `${table.oid}_m${operation[0]}`;
  const triggers = operations.map((operation) =>
    fillSql(loadSql('table/rows/merge_triggers.sql'), {
      operation,
      target,
      oid: table.oid,
      key: key(operation),
      function: functionName(table, 'merge'),
      after_function: functionName(table, `after_merge_${operation}`),
    }),
  );
  const merge = fillSql(loadSql('table/rows/merge.sql'), {
    function: functionName(table, 'merge'),
    target_function: functionName(table, 'merge_target'),
    target,
    oid: table.oid,
    overlay: overlayName(table),
    columns: columnList(columns),
    new_columns: columnList(columns, 'NEW.'),
    old_columns: columnList(columns, 'OLD.'),
    set_columns: columns
      .map((name) => `${quoteIdentifier(name)} = NEW.${quoteIdentifier(name)}`)
      .join(', '),
    o_key_matches_old: keyMatches(table, 'o.', 'OLD.'),
    // of equal rows nothing tells which one the copy's row stands for
    needs_key: isKeyless(table) ? `    ${withoutKey(table)}` : '',
    triggers: triggers.join(''),
  });
  return [
    ...operations.map((operation) => afterMergeSql(table, operation, key(operation), server)),
    merge,
  ];
}
