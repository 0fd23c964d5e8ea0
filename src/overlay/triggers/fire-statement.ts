/** Fires the copies of a table's STATEMENT triggers, before and after the rows of a statement are staged. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteLiteral } from '../../identifier.ts';
import type { Table, Trigger } from '../../model/table.ts';
import { functionName, rowTypeName } from '../object-names.ts';
import type { Operation } from '../rows/after-statement.ts';
import type { Event } from './candidates.ts';
import { mayFireFirst } from './candidates.ts';
import { firesFor } from './fire.ts';
import { decideTriggerSql } from './fire-runs.ts';
import { copyName, nameTrigger } from './trigger-copy.ts';

/** The triggers that fire for each operation, in order. */
type StatementTriggers = Readonly<Record<Event, readonly Trigger[]>>;

const firstName = (table: Table) => functionName(table, 'first');

/**
 * Builds the condition that the operation in a trigger's argument is, or includes, another one. A setting of the table shows whether an
 * upsert updates.
 */
function includes({ oid }: Table, operation: Operation, argument: string): string {
  const isSame = `${argument} = ${quoteLiteral(operation)}`;
  if (operation === 'delete') return isSame;
  const upserts = `${argument} = 'upsert'`;
  if (operation === 'insert') return `(${isSame} OR ${upserts})`;
  return `(${isSame} OR ${upserts} AND current_setting('stage.conflict_${oid}', true)::jsonb ->> 'action' = 'update')`;
}

function call(
  table: Table,
  operation: Event,
  trigger: Trigger,
  part: { readonly condition: string; readonly tables: string; readonly name?: string },
): string {
  return fillSql(loadSql('table/triggers/statement_call.sql'), {
    condition: `${part.condition} AND (${firesFor(table, operation, trigger)})`,
    name_trigger: part.name ?? '',
    copy: copyName(table, trigger),
    operation: quoteLiteral(operation.toUpperCase()),
    tables: part.tables,
  });
}

/** Builds the function that fires BEFORE STATEMENT triggers. If none fires, it does nothing. */
export function firstSql(table: Table, triggers: StatementTriggers): string {
  const calls = (['insert', 'update', 'delete'] as const).flatMap((operation) =>
    triggers[operation].map((trigger) => {
      const condition = includes(table, operation, 'TG_ARGV[0]');
      return call(table, operation, trigger, { condition, tables: 'NULL, NULL' });
    }),
  );
  return fillSql(loadSql('table/triggers/first.sql'), {
    function: firstName(table),
    oid: table.oid,
    fire: calls.join(''),
    fire_truncate: truncateCalls(table, triggers, 'before'),
  });
}

/**
 * Builds the calls of the triggers for TRUNCATE. It has no rows and no transition tables, and fires them for all of its tables together.
 */
const truncateCalls = (table: Table, { truncate }: StatementTriggers, when: Trigger['timing']) =>
  truncate
    .map((trigger) => {
      const condition = `current_setting('stage.truncates', true) = ${quoteLiteral(when)}`;
      return call(table, 'truncate', trigger, { condition, tables: 'NULL, NULL' });
    })
    .join('');

/**
 * Builds the trigger of a view that calls it; none if no BEFORE STATEMENT trigger may fire, and none for a partition.
 * @param named the relation that the view stands for
 * @param place the view, the name of the operation in those of triggers, its event, and a WHEN clause
 */
export function firstTriggerSql(
  table: Table,
  named: Table,
  {
    view,
    operation,
    event,
    when,
  }: Readonly<Record<'view' | 'operation' | 'event' | 'when', string>>,
): string {
  const decide = decideTriggerSql(table, view, operation, event);
  if (!mayFireFirst(table) || named.oid !== table.oid) return decide;
  return `${decide}CREATE TRIGGER fire_before_${operation} BEFORE ${event} ON ${view} FOR EACH STATEMENT ${when}EXECUTE FUNCTION ${firstName(table)}('${operation}');\n`;
}

/** Returns the name of a transition table, as an array in the variable for all of them. */
const setName = (operation: Operation, which: 'old' | 'new') => `${operation}_${which}`;

/** Returns the name of the variable for the rows that an operation changed. An upsert or MERGE may have none of one of its operations. */
const causesName = (operation: Operation) => `_stage_v_${operation}_causes`;

const hasSet = (triggers: readonly Trigger[], which: 'old' | 'new') =>
  triggers.some(({ oldTable, newTable }) => (which === 'old' ? oldTable : newTable) !== null);

/** The parts of the function that fires AFTER triggers. */
interface EndParts {
  /** The columns of the query for the transition tables; empty if no trigger has one. */
  readonly sets: string;
  readonly row_sets: string;
  readonly collect: string;
  readonly fire_statement: string;
}

/**
 * Builds the statements that collect a statement's rows, and fire AFTER STATEMENT triggers with them.
 * @param writes whether a trigger writes to tables
 */
export function endParts(
  table: Table,
  triggers: StatementTriggers,
  writes: (trigger: Trigger) => boolean,
): EndParts {
  const all = Object.values(triggers).flat();
  const parts = { sets: '', row_sets: '', collect: '', fire_statement: '' };
  if (all.length === 0) return parts;
  parts.sets = transitionTables(table, triggers).join(', ');
  for (const operation of ['delete', 'update', 'insert'] as const) {
    const own = triggers[operation];
    // the trigger of production does not fire for a statement without rows at approval, so its writes could not be applied
    if (own.some(writes)) {
      const list = causesName(operation);
      parts.row_sets += `  ${list} bigint[] := '{}';\n`;
      parts.collect += `    IF _stage_v_row._stage_op = ${opOf(operation)} THEN ${list} := array_append(${list}, _stage_v_row._stage_lineage); END IF;\n`;
      parts.fire_statement += nameCauses(operation);
    }
    parts.fire_statement += own
      .map((trigger) => endCall(table, operation, trigger, writes(trigger)))
      .join('');
  }
  parts.fire_statement += truncateCalls(table, triggers, 'after');
  return parts;
}

const opOf = (operation: Operation) => quoteLiteral(operation[0]?.toUpperCase() ?? '');

/** Lists the transition tables that triggers have, as columns over the rows `r` of a statement. */
function transitionTables(table: Table, triggers: StatementTriggers): string[] {
  const type = rowTypeName(table);
  return (['delete', 'update', 'insert'] as const).flatMap((operation) =>
    (['old', 'new'] as const)
      .filter((which) => hasSet(triggers[operation], which))
      .map(
        (which) =>
          `coalesce(array_agg(r._stage_${which}) FILTER (WHERE r._stage_op = ${opOf(operation)}), '{}'::${type}[]) AS ${setName(operation, which)}`,
      ),
  );
}

/** Builds the call of an AFTER STATEMENT trigger. */
function endCall(table: Table, operation: Operation, trigger: Trigger, isWriting: boolean): string {
  const condition = [
    includes(table, operation, 'TG_ARGV[1]'),
    `coalesce(current_setting('stage.truncates', true), '') = ''`,
    // guard: a STATEMENT trigger that writes fires for a statement with rows only
    ...(isWriting ? [`cardinality(${causesName(operation)}) > 0`] : []),
  ].join(' AND ');
  const tables = (['new', 'old'] as const)
    .map((which) =>
      hasSet([trigger], which) ? `_stage_v_sets.${setName(operation, which)}` : 'NULL',
    )
    .join(', ');
  return call(table, operation, trigger, {
    ...{ condition, tables },
    ...(isWriting && { name: nameTrigger(trigger) }),
  });
}

/** Builds the statement that names the causes of the triggers' writes, which depend on all rows of the operation. */
function nameCauses(operation: Operation): string {
  const causes = causesName(operation);
  return `  PERFORM set_config('stage.cause', ${causes}[1]::text, true), set_config('stage.causes', ${causes}::text, true) WHERE cardinality(${causes}) > 0;\n`;
}
