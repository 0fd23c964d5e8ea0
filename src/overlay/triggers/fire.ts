/** Builds the functions that fire the copies of a table's BEFORE triggers, and pass on the row that these return. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteLiteral } from '../../identifier.ts';
import type { Table, Trigger } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  keyMatches,
  overlaySchema,
  rowTypeName,
} from '../object-names.ts';
import { placeCall } from '../partitions.ts';
import type { Operation } from '../rows/after-statement.ts';
import { generatedValues, prepareRow } from '../rows/row-checks.ts';
import type { Event } from './candidates.ts';
import { fireInPartitions, firesBeforeAsOwner, mayFire, runsAsOwner } from './candidates.ts';
import { aroundCall } from './fire-writing.ts';
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
export interface Effects {
  /** Returns whether a trigger writes to tables. */
  readonly writes: (trigger: Trigger) => boolean;
  readonly notifies: (trigger: Trigger) => boolean;
}

const none: Effects = { writes: () => false, notifies: () => false };

/**
 * Builds the function that fires triggers.
 * @param triggers the triggers that fire, in order
 * @param moves statements for a row that moves to another partition
 */
export function fireSql(
  table: Table,
  operation: Operation,
  triggers: readonly Trigger[],
  { writes, notifies }: Effects = none,
  moves = '',
): string {
  const isNotifying = triggers.some(notifies);
  const suppress = isNotifying ? `PERFORM stage.demand_sent(${table.oid}, _stage_v_unsent); ` : '';
  const calls = triggers.map((trigger) =>
    callSql(table, operation, trigger, { isWriting: writes(trigger), suppress }),
  );
  const unsent = `current_setting('stage.unsent_' || pg_trigger_depth(), true)`;
  const body = fireBodySql(table, operation, calls.join('') + moves, [
    ...(triggers.some(writes) ? ['  _stage_v_was text[];\n'] : []),
    ...(isNotifying ? [`  _stage_v_unsent text := ${unsent};\n`] : []),
  ]);
  return fillSql(loadSql('table/triggers/fire.sql'), {
    function: fireName(table, operation),
    made: madeName(table, operation),
    row_type: rowTypeName(table),
    body: quoteLiteral(body),
  });
}

/**
 * Builds the body of a function that fires triggers.
 * @param take statements before everything else
 */
export function fireBodySql(
  table: Table,
  operation: Operation,
  calls: string,
  own: readonly string[],
  take = '',
): string {
  const variables = [
    ...own,
    ...(isRouted(table, operation)
      ? ['  _stage_v_place oid;\n', '  _stage_v_is_changed boolean;\n']
      : []),
  ];
  const route = isRouted(table, operation)
    ? fillSql(loadSql('table/triggers/route.sql'), { place: placeCall(table, '"new".') })
    : '';
  return fillSql(loadSql('table/triggers/fire_body.sql'), {
    declare: variables.length > 0 ? `DECLARE\n${variables.join('')}` : '',
    calls: take + route + calls,
    row: operation === 'delete' ? '"old"' : '"new"',
  });
}

/** Returns whether the partition of a row is determined before its triggers fire. */
const isRouted = (table: Table, operation: Operation) =>
  operation === 'insert' && fireInPartitions(table);

/** Builds the call of a trigger's copy for a row. */
export function callSql(
  table: Table,
  operation: Operation,
  trigger: Trigger,
  { isWriting, suppress }: { readonly isWriting: boolean; readonly suppress: string },
): string {
  const isOwners = runsAsOwner(trigger);
  const taken = isOwners ? '_stage_p_run' : '_stage_p_result';
  const { before, after } = staysSql(table, operation, trigger);
  const call = isOwners
    ? loadSql('table/triggers/fire_call_of_owner.sql')
    : loadSql('table/triggers/fire_call.sql');
  return fillSql(call, {
    condition: firesFor(table, operation, trigger),
    copy: copyName(table, trigger),
    ...aroundCall(table, operation, trigger, isWriting),
    operation: quoteLiteral(operation.toUpperCase()),
    place: isRouted(table, operation) && trigger.function.gated === null ? ', _stage_v_place' : '',
    suppress,
    take: operation === 'delete' ? '' : `${before}"new" := ${taken};${after}`,
  });
}

/** Builds the check that a trigger which changes a new row leaves it in its partition: statements before and after its row is taken. */
function staysSql(table: Table, operation: Operation, trigger: Trigger) {
  if (!isRouted(table, operation)) return { before: '', after: '' };
  // a statement that names a partition may bring a row that is none of it: PostgreSQL refuses that behind all triggers
  const isChanged = runsAsOwner(trigger)
    ? 'stage.exact_row("new") IS DISTINCT FROM _stage_p_run'
    : 'NOT "new" *= _stage_p_result';
  const demand = `stage.demand_partition(_stage_v_place, ${placeCall(table, '"new".')}, ${quoteLiteral(trigger.name)})`;
  return {
    before: `_stage_v_is_changed := ${isChanged};\n    `,
    after: `\n    IF _stage_v_is_changed THEN PERFORM ${demand}; END IF;`,
  };
}

/** Builds the condition under which a trigger fires for a row, over `new` and `old`. */
export function firesFor(table: Table, operation: Event, trigger: Trigger): string {
  const conditions = [`(${conditionOf(trigger)})`];
  if (trigger.columns !== null && operation === 'update') {
    const columns = trigger.columns.map(quoteLiteral).join(', ');
    conditions.unshift(`coalesce(stage.of_write('set', ${table.oid}) ?| ARRAY[${columns}], true)`);
  }
  // guard: no AFTER trigger fires for a row for which BEFORE triggers with their owners' rights do not
  if (trigger.timing === 'after' && firesBeforeAsOwner(table, operation))
    conditions.unshift(`coalesce(current_setting('stage.unfired_${table.oid}', true), '') = ''`);
  return conditions.join(' AND ');
}

/**
 * Builds the parts of a function that stages rows which triggers may change: it stores the row as the client gave it, too.
 * @param staged the table in which the row is staged, whose triggers fire; `table` may be a partition of it
 */
export function givenParts(table: Table, operation: Operation, staged: Table) {
  if (operation === 'delete' || !mayFire(staged, operation)) {
    return {
      given_variable: '',
      given_column: '',
      given_value: '',
      prepare_row: operation === 'delete' ? '' : prepareRow(table, operation, staged),
    };
  }
  const key = `  _stage_v_key_changed := NOT (${keyMatches(staged, 'NEW.', 'OLD.')});`;
  return {
    given_variable: `  _stage_v_given ${rowTypeName(staged)};\n`,
    given_column: ', _stage_given',
    given_value: ', _stage_v_given',
    prepare_row: fillSql(loadSql('table/triggers/take_made.sql'), {
      oid: staged.oid,
      row_type: rowTypeName(staged),
      new_columns: columnList(columnNames(table), 'NEW.'),
      prepare_row: prepareRow(table, operation, staged),
      generated: generatedValues(table),
      key_changed: operation === 'update' ? key : '',
    }),
  };
}
