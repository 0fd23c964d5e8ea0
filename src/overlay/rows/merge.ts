/** The target of MERGE where PostgreSQL cannot merge into a view: a temporary table whose triggers stage each action. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier } from '../../identifier.ts';
import type { Table } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  isKeyless,
  keyMatches,
  overlayName,
} from '../object-names.ts';
import { raise } from '../raise.ts';
import { afterTriggersSql } from '../triggers/fire-after.ts';
import { firstTriggerSql } from '../triggers/fire-statement.ts';
import { afterMergeSql } from './after-statement.ts';

const operations = ['insert', 'update', 'delete'] as const;

/** The first major version of the server that merges into views itself. */
const mergesIntoViews = 17;

const withoutKey = ({ name, schema }: Table) =>
  raise({
    message: `cannot stage a MERGE that changes rows of "${name}": the table has no key`,
    sqlstate: '0A000',
    schema,
    table: name,
    hint: 'Use UPDATE, DELETE and INSERT, or give the table a primary key.',
  });

/** Builds the functions behind the temporary table; none if the overlay itself is the target. */
export function mergeSql(table: Table, server: number): string[] {
  if (server >= mergesIntoViews) return [];
  return [
    ...operations.map((each) => afterMergeSql(table, each, settingKey(table, each), server)),
    mergeTargetSql(table, table),
  ];
}

/** Builds the same for the view that stands for a partition. */
export const partitionMergeSql = (table: Table, partition: Table, server: number): string[] =>
  server >= mergesIntoViews ? [] : [mergeTargetSql(table, partition)];

const settingKey = (table: Table, operation: string) => `${table.oid}_m${operation[0]}`;

/** Builds the functions and triggers of the temporary table. @param named the table, or its partition that the statement merges into */
function mergeTargetSql(table: Table, named: Table): string {
  const target = `_stage_merge_${named.oid}`;
  const columns = columnNames(named);
  const when = `WHEN (current_setting('stage.merge_${table.oid}') = 'on') `;
  const triggers = operations.map((operation) => {
    const place = { view: `pg_temp.${target}`, operation, event: operation, when };
    return fillSql(loadSql('table/rows/merge_triggers.sql'), {
      operation,
      target,
      oid: table.oid,
      named: named.oid,
      key: settingKey(table, operation),
      function: functionName(named, 'merge'),
      after_function: functionName(table, `after_merge_${operation}`),
      first_trigger: firstTriggerSql(table, named, place),
      after_triggers: afterTriggersSql(table, named, {
        ...place,
        key: settingKey(table, operation),
      }),
    });
  });
  return fillSql(loadSql('table/rows/merge.sql'), {
    function: functionName(named, 'merge'),
    target_function: functionName(named, 'merge_target'),
    target,
    oid: table.oid,
    overlay: overlayName(named),
    columns: columnList(columns),
    new_columns: columnList(columns, 'NEW.'),
    old_columns: columnList(columns, 'OLD.'),
    set_columns: columns
      .map((name) => `${quoteIdentifier(name)} = NEW.${quoteIdentifier(name)}`)
      .join(', '),
    o_key_matches_old: keyMatches(table, 'o.', 'OLD.'),
    // equal rows cannot be distinguished, so the copy's row does not identify one
    needs_key: isKeyless(table) ? `    ${withoutKey(named)}` : '',
    triggers: triggers.join(''),
  });
}
