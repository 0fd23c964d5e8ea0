/** Builds the functions that fire the copies of a table's BEFORE triggers, and pass on the row that these return. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { Table, Trigger } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  keyMatches,
  overlaySchema,
  rowTypeName,
} from '../object-names.ts';
import type { Operation } from '../rows/after-statement.ts';
import { policyBeforeFiring } from '../rows/policies.ts';
import { generatedValues, prepareGiven, prepareRow } from '../rows/row-checks.ts';
import type { Event } from './candidates.ts';
import { mayFire } from './candidates.ts';
import { drawSql } from './draw.ts';
import { aroundCall, aroundFiring } from './fire-writing.ts';
import { conditionOf, copyName } from './trigger-copy.ts';

/** Returns the name of the function that fires the triggers of an operation for a row. Without triggers, it returns the row unchanged. */
export const fireName = (table: Table, operation: Operation) =>
  `${overlaySchema(table)}.fire_${operation}_${table.oid}`;

/** Returns the name of the function that returns the text of the row that triggers returned. */
export const madeName = (table: Table, operation: Operation) =>
  `${overlaySchema(table)}.made_${operation}_${table.oid}`;

/** Returns the name of the trigger of a view that fires them. */
export const firedTrigger = (operation: Operation) => `fire_${operation}`;

/** What triggers do beside changing their row. */
interface Effects {
  /** Returns whether a trigger writes to tables. */
  readonly writes: (trigger: Trigger) => boolean;
  readonly notifies: (trigger: Trigger) => boolean;
}

const none: Effects = { writes: () => false, notifies: () => false };

/**
 * Builds the function that fires triggers.
 * @param triggers the triggers that fire, in order
 */
export function fireSql(
  table: Table,
  operation: Operation,
  triggers: readonly Trigger[],
  { writes, notifies }: Effects = none,
): string {
  const isNotifying = triggers.some(notifies);
  const row = operation === 'delete' ? '"old"' : '"new"';
  const calls = triggers.map((trigger) =>
    fillSql(loadSql('table/triggers/fire_call.sql'), {
      condition: firesFor(table, operation, trigger),
      copy: copyName(table, trigger),
      ...aroundCall(table, operation, trigger, writes(trigger)),
      operation: quoteLiteral(operation.toUpperCase()),
      suppress: isNotifying ? `PERFORM stage.demand_sent(${table.oid}, _stage_v_unsent); ` : '',
      take: operation === 'delete' ? '' : '"new" := _stage_p_result;',
    }),
  );
  const variables = [
    ...(triggers.some(writes) ? ['  _stage_v_was text[];\n'] : []),
    ...(isNotifying ? [`  _stage_v_unsent text := current_setting('stage.unsent', true);\n`] : []),
  ];
  const body = fillSql(loadSql('table/triggers/fire_body.sql'), {
    declare: variables.length > 0 ? `DECLARE\n${variables.join('')}` : '',
    calls: calls.join(''),
    settle: isNotifying
      ? `  PERFORM set_config('stage.unsent', coalesce(_stage_v_unsent, ''), true);\n`
      : '',
    row,
  });
  return fillSql(loadSql('table/triggers/fire.sql'), {
    function: fireName(table, operation),
    made: madeName(table, operation),
    row_type: rowTypeName(table),
    body: quoteLiteral(body),
  });
}

/** Builds the condition under which a trigger fires for a row, over `new` and `old`. */
export function firesFor({ oid }: Table, operation: Event, trigger: Trigger): string {
  const condition = conditionOf(trigger);
  if (trigger.columns === null || operation !== 'update') return condition;
  const columns = trigger.columns.map(quoteLiteral).join(', ');
  return `coalesce(stage.set_columns(${oid}) ?| ARRAY[${columns}], true) AND (${condition})`;
}

/**
 * Builds the function that fires triggers for the rows of the overlay, and the trigger that calls it.
 * @param isWriting whether one of them writes to tables
 */
export function firedSql(
  table: Table,
  operation: Operation,
  view: string,
  isWriting: boolean,
): string[] {
  const name = functionName(table, `fired_${operation}`);
  const template = operation === 'delete' ? 'fired_delete' : 'fired';
  const old = `ROW(${columnList(columnNames(table), 'OLD.')})`;
  const made = fillSql(loadSql(`table/triggers/${template}.sql`), {
    function: name,
    oid: table.oid,
    fire: fireName(table, operation),
    made: madeName(table, operation),
    ...aroundFiring(table, operation, isWriting),
    policy: operation === 'insert' ? '' : policyBeforeFiring(table, operation),
    // generated columns are computed after triggers have fired
    new_columns: table.columns
      .map(({ name, generated }) => (generated ? 'NULL' : `NEW.${quoteIdentifier(name)}`))
      .join(', '),
    old_columns: columnList(columnNames(table), 'OLD.'),
    old: operation === 'update' ? old : 'NULL',
    prepare: operation === 'update' ? prepareGiven(table, operation) : '',
  });
  return [
    ...(operation === 'insert' ? drawSql(table, view) : []),
    made,
    `CREATE OR REPLACE TRIGGER ${firedTrigger(operation)} INSTEAD OF ${operation} ON ${view} FOR EACH ROW EXECUTE FUNCTION ${name}()`,
  ];
}

/** Builds the parts of a function that stages rows which triggers may change: it stores the row as the client gave it, too. */
export function givenParts(table: Table, operation: Operation, staged: Table) {
  if (operation === 'delete' || !mayFire(table, operation)) {
    return {
      given_variable: '',
      given_column: '',
      given_value: '',
      prepare_row: operation === 'delete' ? '' : prepareRow(table, operation, staged),
    };
  }
  const key = `  _stage_v_key_changed := NOT (${keyMatches(table, 'NEW.', 'OLD.')});`;
  return {
    given_variable: `  _stage_v_given ${rowTypeName(table)};\n`,
    given_column: ', _stage_given',
    given_value: ', _stage_v_given',
    prepare_row: fillSql(loadSql('table/triggers/take_made.sql'), {
      oid: table.oid,
      row_type: rowTypeName(table),
      new_columns: columnList(columnNames(table), 'NEW.'),
      prepare_row: prepareRow(table, operation),
      generated: generatedValues(table),
      key_changed: operation === 'update' ? key : '',
    }),
  };
}
