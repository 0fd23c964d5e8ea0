/** The triggers of an overlay view: row functions that stage, statement functions that check and log. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteLiteral } from '../../identifier.ts';
import type { Table } from '../../model/table.ts';
import { deferredSql } from '../foreign-keys/deferral.ts';
import { isUnchanged } from '../foreign-keys/foreign-keys.ts';
import { lockVanishing } from '../foreign-keys/key-locks.ts';
import {
  columnList,
  columnNames,
  functionName,
  imageOf,
  isKeyless,
  keyMatches,
  keyNames,
  oldColumnNames,
  oldValues,
  overlayName,
  rowTypeName,
  shadowName,
} from '../object-names.ts';
import { refusalOfRow } from '../obstacle.ts';
import { partitionOf } from '../partitions.ts';
import { mayFire } from '../triggers/candidates.ts';
import { givenParts } from '../triggers/fire.ts';
import { afterTriggersSql } from '../triggers/fire-after.ts';
import { firedSql } from '../triggers/fire-runs.ts';
import { firstTriggerSql } from '../triggers/fire-statement.ts';
import { traceSql } from '../triggers/fire-writing.ts';
import {
  freeInProduction,
  insertUniqueChecks,
  isMirrored,
  updateUniqueChecks,
} from '../uniques.ts';
import type { Operation } from './after-statement.ts';
import { operations, settingKey, statementFunctionsSql } from './after-statement.ts';
import { storedColumns, storedValues, takeRow } from './keyless.ts';
import type { NamedPartition } from './named-partition.ts';
import { partitionChecks } from './named-partition.ts';
import { policyTriggersSql } from './policies.ts';
import { domainChecks, rowChecks } from './row-checks.ts';

/**
 * Whether a row was changed by the client, by a foreign key's action, or by a trigger. A direct connection may set the setting to any text.
 */
const origin = `CASE WHEN pg_trigger_depth() > 1 AND current_setting('stage.origin', true) IN ('action', 'trigger') THEN current_setting('stage.origin') ELSE 'client' END::stage.row_origin`;

/** Builds every trigger function and trigger of the overlay. */
export function triggersSql(table: Table, server: number): string[] {
  return [
    ...operations.map((operation) => rowFunctionSql(table, operation)),
    ...(table.isInherited
      ? (['update', 'delete'] as const).map((operation) => rowFunctionSql(table, operation, true))
      : []),
    ...lockRowSql(table),
    ...operations.flatMap((operation) => statementFunctionsSql(table, operation, server)),
    ...deferredSql(table, server),
    ...(['insert', 'update'] as const).flatMap((operation) => domainsSql(table, operation)),
    ...policyTriggersSql(table, table),
    ...operations.map((operation) => statementTriggersSql(table, operation, overlayName(table))),
  ];
}

/** Builds the triggers by which a view that stands for the table takes new rows as its overlay does. */
export function insertTriggersSql(table: Table, view: string): string[] {
  return [...domainsTriggerSql(table, 'insert', view), statementTriggersSql(table, 'insert', view)];
}

/** Builds the row functions and triggers of the view that stands for a partition. They write to the table's shadow. */
export function partitionTriggersSql(table: Table, partition: NamedPartition): string[] {
  const view = overlayName(partition.table);
  return [
    ...operations.map((operation) => rowFunctionSql(table, operation, false, partition)),
    ...(['insert', 'update'] as const).flatMap((each) => domainsTriggerSql(table, each, view)),
    ...policyTriggersSql(partition.table, table),
    ...operations.flatMap((operation) => firedTriggersSql(table, partition.table, operation)),
    ...operations.map((operation) => statementTriggersSql(table, operation, view, partition.table)),
  ];
}

/**
 * Builds the triggers of a partition's view that fire the table's BEFORE triggers. They are there whether or not these fire, and whatever they
 * do: the table's functions that they call are replaced when this changes, and the view is not.
 */
const firedTriggersSql = (table: Table, named: Table, operation: Operation): string[] =>
  mayFire(table, operation)
    ? [firedSql, traceSql].flatMap((build) => build(table, named, operation, true))
    : [];

/**
 * Builds the triggers for one operation on a view.
 * @param named the relation that the view stands for; its privileges apply
 */
function statementTriggersSql(
  table: Table,
  operation: Operation,
  view: string,
  named: Table = table,
): string {
  return fillSql(loadSql('table/rows/triggers.sql'), {
    operation,
    oid: named.oid,
    overlay: view,
    key: settingKey(table, operation),
    members: '',
    row_function: functionName(named, operation),
    after_function: functionName(table, `after_${operation}`),
    first_trigger: firstTriggerSql(table, named, { view, operation, event: operation, when: '' }),
    after_triggers: afterTriggersSql(table, named, {
      ...{ view, operation, event: operation, key: settingKey(table, operation), when: '' },
    }),
  });
}

function domainsSql(table: Table, operation: 'insert' | 'update'): string[] {
  const checks = domainChecks(table, operation);
  if (checks === '') return [];
  const name = functionName(table, `domains_${operation}`);
  return [
    fillSql(loadSql('table/rows/domains.sql'), { function: name, checks }),
    domainsTrigger(overlayName(table), operation, name),
  ];
}

/** Triggers fire in the order of their names: this one before the one that stages. */
const domainsTrigger = (view: string, operation: 'insert' | 'update', name: string) =>
  `CREATE TRIGGER domains_${operation} INSTEAD OF ${operation} ON ${view} FOR EACH ROW EXECUTE FUNCTION ${name}()`;

/** Builds the trigger that checks the domains of another view's rows: before the lookup of another row, or of the row's table. */
export function domainsTriggerSql(
  table: Table,
  operation: 'insert' | 'update',
  view: string,
): string[] {
  if (domainChecks(table, operation) === '') return [];
  return [domainsTrigger(view, operation, functionName(table, `domains_${operation}`))];
}

/** Returns how a row function is called: by a trigger for the current row, or with the row as an argument by the function that found it. */
function calling(table: Table, operation: Operation, asStep: boolean) {
  const key = settingKey(table, operation);
  if (!asStep) {
    return {
      function: functionName(table, operation),
      parameters: '',
      result: 'trigger',
      mutation: `current_setting('stage.mutation_${key}')::bigint`,
      start: `current_setting('stage.start_${key}')::bigint`,
    };
  }
  const row = rowTypeName(table);
  return {
    function: stepName(table, operation),
    parameters: `old ${row}, ${operation === 'update' ? `new ${row}, ` : ''}_stage_p_mutation bigint, _stage_p_start bigint, _stage_p_shown text[]`,
    result: row,
    mutation: '_stage_p_mutation',
    start: '_stage_p_start',
  };
}

/** Returns the name of the function that stages the change of a row that is passed to it. */
export const stepName = (table: Table, operation: Operation) =>
  functionName(table, `step_${operation}`);

function rowFunctionSql(
  table: Table,
  operation: Operation,
  asStep = false,
  partition: NamedPartition | null = null,
): string {
  const named = partition?.table ?? table;
  const columns = columnNames(table);
  const keyless = isKeyless(table);
  const template =
    keyless && operation !== 'insert' ? `${operation}_row_keyless` : `${operation}_row`;
  return fillSql(loadSql(`table/rows/${template}.sql`), {
    ...calling(table, operation, asStep),
    ...(partition && { function: functionName(named, operation) }),
    oid: table.oid,
    // guard: a row of a table whose overlay is read only is refused
    refusal: refusalOfRow(table),
    table_name: quoteLiteral(table.name),
    origin,
    shadow: shadowName(table),
    row_type: rowTypeName(table),
    ...(keyless ? keylessParts(table) : keyedParts(table, operation)),
    s_columns: columnList(columns, 's.'),
    old_row: columnList(columns, 'OLD.'),
    old_columns: oldColumnNames(table).join(', '),
    old_values: oldValues(table, 'OLD.').join(', '),
    ...givenParts(named, operation, table),
    row_checks: rowChecks(named, {
      asParent: asStep,
      ...partitionChecks(table, partition, operation),
    }),
    free_in_production: freeInProduction(table),
    unique_checks: operation === 'insert' ? insertUniqueChecks(table) : updateUniqueChecks(table),
    lock_vanishing: operation === 'insert' ? '' : lockVanishing(table, operation),
    key_changed: `NOT (${keyMatches(table, 'NEW.', 'OLD.')})`,
    references_changed: referencesChanged(table),
    s_key_matches_old: keyMatches(table, 's.', 'OLD.'),
  });
}

/** Builds the condition that an updated row's foreign keys are checked. A row that moves to another partition counts as inserted there. */
function referencesChanged(table: Table): string {
  const conditions = table.references.flatMap(({ child: { columns }, hasPeriod }) =>
    isUnchanged(table, { columns, hasPeriod }, 'OLD.', 'NEW.').map((isSame) => `NOT ${isSame}`),
  );
  if (conditions.length === 0) return 'false';
  const changed = [...new Set(conditions)];
  const moved = `${partitionOf(table, 'NEW.')} <> ${partitionOf(table, 'OLD.')}`;
  return [...changed, ...(table.kind === 'partitioned' ? [moved] : [])].join(' OR ');
}

/** Builds the function that waits for a row; none without a key, where equal rows cannot be distinguished. */
function lockRowSql(table: Table): string[] {
  if (isKeyless(table)) return [];
  const parts = {
    function: functionName(table, 'lock_newest'),
    shadow: shadowName(table),
    s_key_matches_k: keyMatches(table, 's.', 'k.'),
  };
  return [fillSql(loadSql('table/rows/lock_newest.sql'), parts)];
}

function keyedParts(table: Table, operation: Operation) {
  return {
    arbiter: arbiter(table, operation),
    columns: columnList(columnNames(table)),
    new_columns: columnList(columnNames(table), 'NEW.'),
    s_key_matches_new: keyMatches(table, 's.', 'NEW.'),
  };
}

/**
 * Builds the conflict target for a row that is staged for the first time. Where the row can only collide with the head of its key, other
 * indexes are left out: a deleted row is in no other unique index, and a number is never drawn twice.
 */
function arbiter(table: Table, operation: Operation): string {
  const isOther = operation !== 'delete' && table.uniques.some((each) => isMirrored(table, each));
  return isOther ? '' : `(_stage_session, ${columnList(keyNames(table))}) WHERE _stage_head `;
}

function keylessParts(table: Table) {
  return {
    columns: storedColumns(table),
    new_columns: storedValues(table, 'NEW.'),
    // a row without a key collides with no other row
    s_key_matches_new: 'false',
    old_image: imageOf(table, 'OLD.'),
    old_row_and_image: storedValues(table, 'OLD.'),
    take_row: takeRow(table),
  };
}
