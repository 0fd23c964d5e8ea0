/**
 * Fires the copies of a table's AFTER triggers at the end of a statement: the row triggers for each of its rows, then those of the
 * statement.
 */

import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteLiteral } from '../../identifier.ts';
import type { Table, Trigger } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  overlaySchema,
  rowTypeName,
  shadowName,
} from '../object-names.ts';
import { rowBefore } from '../row-before.ts';
import type { Operation } from '../rows/after-statement.ts';
import { operations } from '../rows/after-statement.ts';
import type { Event } from './candidates.ts';
import { fireAsOwners, mayFireAfter } from './candidates.ts';
import { firesFor } from './fire.ts';
import { afterMovesSql } from './fire-moves.ts';
import { endParts } from './fire-statement.ts';
import { copyName, nameTrigger } from './trigger-copy.ts';

/** The triggers that fire after each operation, in order. */
export type AfterTriggers = Readonly<Record<Event, readonly Trigger[]>>;

const fireAfterName = (table: Table, operation: Operation) =>
  `${overlaySchema(table)}.fire_after_${operation}_${table.oid}`;

const triggerFunctions = (table: Table) => ({
  affected: functionName(table, 'affected'),
  behind: functionName(table, 'behind'),
});

/**
 * Builds the functions that fire AFTER triggers. If none fires, they do nothing.
 * @param writes whether a trigger writes to other tables
 */
export function fireAfterSql(
  table: Table,
  triggers: AfterTriggers,
  writes: (trigger: Trigger) => boolean = () => false,
): string[] {
  const ofRows = ofLevel(triggers, 'row');
  const events = operations.filter((operation) => ofRows[operation].length > 0);
  const names = triggerFunctions(table);
  if (Object.values(triggers).flat().length === 0)
    return [fillSql(loadSql('table/triggers/after_none.sql'), names)];
  const queued = functionName(table, 'queued');
  const { oid } = table;
  const { sets, ...endOfAll } = endParts(table, ofLevel(triggers, 'statement'), writes);
  const rows = fillSql(loadSql('table/triggers/after_rows.sql'), {
    shadow: shadowName(table),
    row_type: rowTypeName(table),
    s_columns: columnList(columnNames(table), 's.'),
    row_before: rowBefore(table),
  });
  const setsSql = (part: 'open' | 'fetch') =>
    sets === ''
      ? ''
      : fillSql(loadSql(`table/triggers/${part}_sets.sql`), part === 'open' ? { sets, rows } : {});
  const after = fillSql(loadSql('table/triggers/after.sql'), {
    ...names,
    oid,
    rights: fireAsOwners(table) ? 'SECURITY DEFINER ' : '',
    ...beginParts(table, sets !== ''),
    ...endOfAll,
    open_sets: setsSql('open'),
    fetch_sets: setsSql('fetch'),
    ...writingParts(table, Object.values(triggers).flat().some(writes)),
    queued,
    queued_name: quoteLiteral(queued.replace('stage_data.', '')),
    rows,
    fire: callsSql(table, events),
  });
  return [...events.map((each) => fireOneSql(table, each, ofRows[each], writes)), after];
}

/** Builds the calls that fire the triggers of a row, by its operation. @param events those with triggers */
function callsSql(table: Table, events: readonly Operation[]): string {
  const [made, old] = ['_stage_v_row._stage_new', '_stage_v_row._stage_old'];
  // a row that moves to another partition has both
  const rows = { insert: `${made}, NULL`, update: `${made}, ${old}`, delete: `NULL, ${old}` };
  const calls = new Map(
    events.map((operation) => [
      operation,
      `\n      PERFORM ${fireAfterName(table, operation)}(${rows[operation]});`,
    ]),
  );
  const fire = operations.flatMap((operation) => {
    const call = operation === 'update' ? afterMovesSql(table, calls) : calls.get(operation);
    const code = quoteLiteral(operation[0]?.toUpperCase() ?? '');
    return call ? [`    IF _stage_v_row._stage_op = ${code} THEN${call}\n    END IF;`] : [];
  });
  return fire.join('\n');
}

/**
 * Builds the beginning of the functions that fire triggers.
 * @param hasSets whether there is a cursor for transition tables
 */
function beginParts(table: Table, hasSets: boolean) {
  const { oid } = table;
  const close_sets = hasSets ? '    CLOSE _stage_v_set_rows;\n' : '';
  const part = (name: string) =>
    fillSql(loadSql(`table/triggers/${name}.sql`), { oid, close_sets });
  if (fireAsOwners(table))
    return { begin_behind: part('behind_as_owner'), begin_queued: part('queued_as_owner') };
  return { begin_behind: part('behind_as_client'), begin_queued: part('queued_as_client') };
}

/** Returns the triggers of one level. */
function ofLevel(triggers: AfterTriggers, level: Trigger['level']): AfterTriggers {
  const of = (event: Event) => triggers[event].filter((each) => each.level === level);
  const [insert, update] = [of('insert'), of('update')];
  return { insert, update, delete: of('delete'), truncate: of('truncate') };
}

/** Builds the statements around triggers that write: they mark these writes, and name the row for which the triggers fire. */
function writingParts({ oid }: Table, isNeeded: boolean) {
  if (!isNeeded) return { begin_writing: '', end_writing: '', name_row: '' };
  return {
    begin_writing: fillSql(loadSql('table/triggers/begin_writing.sql'), { oid }),
    end_writing: loadSql('table/triggers/end_writing.sql'),
    name_row: `    PERFORM set_config('stage.cause', _stage_v_row._stage_lineage::text, true);\n`,
  };
}

function fireOneSql(
  table: Table,
  operation: Operation,
  triggers: readonly Trigger[],
  writes: (trigger: Trigger) => boolean,
): string {
  const calls = triggers.map((trigger) => {
    const parts = {
      condition: firesFor(table, operation, trigger),
      copy: copyName(table, trigger),
      operation: quoteLiteral(operation.toUpperCase()),
    };
    if (trigger.deferred !== null) return deferrableSql(table, trigger, trigger.deferred, parts);
    return fillSql(loadSql('table/triggers/after_fire_call.sql'), {
      ...parts,
      name_trigger: writes(trigger) ? nameTrigger(trigger) : '',
    });
  });
  return fillSql(loadSql('table/triggers/after_fire.sql'), {
    function: fireAfterName(table, operation),
    row_type: rowTypeName(table),
    body: quoteLiteral(`BEGIN\n${calls.join('')}END`),
  });
}

/** Builds the call of a deferrable constraint trigger. @param initially whether it waits for COMMIT by default */
function deferrableSql(
  table: Table,
  { name }: Trigger,
  initially: boolean,
  parts: Readonly<Record<'condition' | 'copy' | 'operation', string>>,
): string {
  return fillSql(loadSql('table/triggers/after_fire_deferrable.sql'), {
    ...parts,
    ...{ oid: table.oid, name: quoteLiteral(name), initially: String(initially) },
    copy_name: quoteLiteral(parts.copy),
  });
}

/**
 * Builds the triggers of a view that call these functions; none if no AFTER trigger may fire. On the view of a partition, those of statements
 * do not fire: these name the partition, not the table.
 * @param named the relation that the view stands for
 * @param place the view, the name of the operation in those of triggers, its event, the key of its settings, and a WHEN clause
 */
export function afterTriggersSql(
  table: Table,
  named: Table,
  place: Readonly<Record<'view' | 'operation' | 'event' | 'key' | 'when', string>>,
): string {
  if (!mayFireAfter(table)) return '';
  const conclude = fillSql(loadSql('table/triggers/after_conclude.sql'), place);
  const fired = named.oid === table.oid ? place.operation : 'rows';
  const parts = { ...place, ...triggerFunctions(table), fired, conclude };
  return fillSql(loadSql('table/triggers/after_triggers.sql'), parts);
}
