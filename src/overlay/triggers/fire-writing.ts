/** Lets BEFORE triggers write to tables: the rows that they write are staged first, and the row for which they fire becomes their cause. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteLiteral } from '../../identifier.ts';
import type { Table, Trigger } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  keyMatches,
  overlayName,
  overlaySchema,
  rowTypeName,
  shadowName,
} from '../object-names.ts';
import type { Operation } from '../rows/after-statement.ts';
import { codeOf, settingKey } from '../rows/after-statement.ts';
import { nameTrigger } from './trigger-copy.ts';

/** Returns the statements before and after the call of a trigger, in the function that fires triggers. */
export function aroundCall(
  { oid }: Table,
  operation: Operation,
  trigger: Trigger,
  isWriting: boolean,
) {
  if (!isWriting) return { begin: '', end: '' };
  const events = trigger.events.map((event) => event.charAt(0)).join(',');
  const begin = `    _stage_v_was := stage.begin_firing(${oid}, ${quoteLiteral(operation.charAt(0))}, '{${events}}');\n`;
  return {
    begin: begin + nameTrigger(trigger),
    end: `    PERFORM stage.end_firing(${oid}, _stage_v_was);\n`,
  };
}

/** Returns statements for the trigger of the view: one before triggers fire, and one for a row that they suppress. */
export function aroundFiring(table: Table, named: Table, operation: Operation, isWriting: boolean) {
  if (!isWriting) return { begin: '', give_up: '' };
  const old = columnList(columnNames(named), 'OLD.');
  const skip = `  IF ${touchedName(named, operation)}(ROW(${old})) THEN RETURN NULL; END IF;\n`;
  return {
    begin: fillSql(loadSql('table/triggers/begin_fired.sql'), {
      key: settingKey(table, operation),
      // guard: BEFORE triggers do not write again for a row that the statement has changed
      skip: operation === 'insert' ? '' : skip,
    }),
    give_up: `PERFORM stage.give_up_row(${table.oid}); `,
  };
}

const touchedName = (named: Table, operation: Operation) =>
  `${overlaySchema(named)}.is_touched_${operation}_${named.oid}`;

/** Builds the function that returns whether the statement has changed a row before. */
function touchedSql(table: Table, named: Table, operation: Operation): string {
  return fillSql(loadSql('table/triggers/is_touched.sql'), {
    function: touchedName(named, operation),
    oid: table.oid,
    key: settingKey(table, operation),
    row_type: rowTypeName(table),
    shadow: shadowName(table),
    s_key_matches_old: keyMatches(table, 's.', '"old".'),
    operation: codeOf(operation),
  });
}

/** Returns the name of the trigger of a view that comes after the one that stages the row. */
const traceTrigger = (operation: Operation) => `trace_${operation}`;

/**
 * Builds the trigger that notes for which row triggers have written, and its function; or drops it.
 * @param named the relation that the view stands for: the table, or a partition of it
 */
export function traceSql(
  table: Table,
  named: Table,
  operation: Operation,
  isWriting: boolean,
): string[] {
  const name = traceTrigger(operation);
  const view = overlayName(named);
  if (!isWriting) return [`DROP TRIGGER IF EXISTS ${name} ON ${view}`];
  const row = operation === 'delete' ? 'OLD' : 'NEW';
  const made = functionName(named, `trace_${operation}`);
  const trace = fillSql(loadSql('table/triggers/trace.sql'), {
    ...{ function: made, oid: table.oid, shadow: shadowName(table), row },
    s_key_matches: keyMatches(table, 's.', `${row}.`),
  });
  return [
    ...(operation === 'insert' ? [] : [touchedSql(table, named, operation)]),
    trace,
    `CREATE OR REPLACE TRIGGER ${name} INSTEAD OF ${operation} ON ${view} FOR EACH ROW EXECUTE FUNCTION ${made}()`,
  ];
}
