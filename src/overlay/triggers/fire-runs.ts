/**
 * Fires the BEFORE triggers of a table some of which run with the rights of their functions' owners. One trigger of the view fires those in
 * a row that have the same rights, and hands their row on to the next one.
 */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { Table, Trigger } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  overlayName,
  overlaySchema,
  rowTypeName,
  upsertName,
} from '../object-names.ts';
import type { Operation } from '../rows/after-statement.ts';
import { policyBeforeFiring } from '../rows/policies.ts';
import { prepareGiven } from '../rows/row-checks.ts';
import { anyBeforeAsOwner, firesBeforeAsOwner, rowTriggers, runsAsOwner } from './candidates.ts';
import { drawSql } from './draw.ts';
import type { Effects } from './fire.ts';
import { callSql, fireBodySql, firedTrigger, fireName, madeName } from './fire.ts';
import { aroundFiring } from './fire-writing.ts';

/** Triggers that fire one after the other with the same rights. */
interface Run {
  readonly asOwner: boolean;
  readonly triggers: readonly Trigger[];
}

/** Returns the runs of triggers, in order. The first one has the client's rights, and may have no triggers. */
function runsOf(triggers: readonly Trigger[]): readonly Run[] {
  const runs: { asOwner: boolean; triggers: Trigger[] }[] = [{ asOwner: false, triggers: [] }];
  for (const each of triggers) {
    const asOwner = runsAsOwner(each);
    const last = runs.at(-1);
    if (last?.asOwner === asOwner) last.triggers.push(each);
    else runs.push({ asOwner, triggers: [each] });
  }
  return runs;
}

/** Returns the triggers of the first run. */
export const firstRun = (triggers: readonly Trigger[]): readonly Trigger[] =>
  runsOf(triggers)[0]?.triggers ?? [];

/** Returns the argument by which triggers know the partition that a statement names; empty for a statement that names the table. */
export const namedArgument = (table: Table, named: Table) =>
  named.oid === table.oid ? '' : `, ${named.oid}::pg_catalog.oid`;

/**
 * Builds the function that fires triggers for the rows of a view, and the trigger that calls it.
 * @param named the relation that the view stands for: the table, or a partition of it
 * @param isWriting whether one of them writes to tables
 */
export function firedSql(
  table: Table,
  named: Table,
  operation: Operation,
  isWriting: boolean,
): string[] {
  const name = functionName(named, `fired_${operation}`);
  const view = overlayName(named);
  const template = operation === 'delete' ? 'fired_delete' : 'fired';
  const old = `ROW(${columnList(columnNames(named), 'OLD.')})`;
  const rows = operation === 'delete' ? 'NULL' : `ROW(${givenRow(named)})`;
  const fired = `${fireName(table, operation)}(${rows}, ${operation === 'insert' ? 'NULL' : old}${namedArgument(table, named)})`;
  const made = fillSql(loadSql(`table/triggers/${template}.sql`), {
    function: name,
    oid: table.oid,
    fired,
    made: handedOn(table, operation, fired, !firesBeforeAsOwner(table, operation)),
    ...firstRunParts(table, operation),
    ...aroundFiring(table, named, operation, isWriting),
    policy: operation === 'insert' ? '' : policyBeforeFiring(named, operation, table),
    prepare: operation === 'update' ? prepareGiven(named, operation, table) : '',
  });
  return [
    ...(operation === 'insert' ? drawSql(named, view, table) : []),
    made,
    `CREATE OR REPLACE TRIGGER ${firedTrigger(operation)} INSTEAD OF ${operation} ON ${view} FOR EACH ROW EXECUTE FUNCTION ${name}()`,
  ];
}

/** Returns the setting by which the function that fires the first run hands on its row, and statements for that function. */
function firstRunParts(table: Table, operation: Operation) {
  const { oid } = table;
  const row = operation === 'delete' ? 'OLD' : 'NEW';
  if (!firesBeforeAsOwner(table, operation)) return { next: 'made', begin_runs: '', hand_on: '' };
  return {
    next: 'run',
    begin_runs: fillSql(loadSql('table/triggers/begin_runs.sql'), { oid, row }),
    hand_on: `  PERFORM set_config('stage.run_${oid}', '=', true);\n`,
  };
}

/** Returns the name of the trigger of a view for a run. Triggers fire in the order of their names. */
const runTrigger = (first: string, index: number) => `${first}_${String(index).padStart(4, '0')}`;

/** The views whose triggers fire those of an operation, with the first trigger and its successors' argument. */
const viewsOf = (named: Table, operation: Operation) => [
  { view: overlayName(named), first: firedTrigger(operation), argument: '' },
  ...(operation === 'insert'
    ? [{ view: upsertName(named), first: 'fire_new', argument: `'upsert'` }]
    : []),
];

/**
 * Builds the functions of the further runs, and the triggers of the table's views that call them, and drops others; nothing for a table
 * without such triggers.
 * @param triggers the triggers that fire, in order; none if they do not
 */
export function nextRunsSql(
  table: Table,
  operation: Operation,
  triggers: readonly Trigger[],
  { writes }: Effects,
): string[] {
  if (!firesBeforeAsOwner(table, operation)) return [];
  const fires = triggers.length > 0;
  const runs = fires ? runsOf(triggers).slice(1) : [];
  const others = rowTriggers(table, operation).slice(runs.length);
  const dropped = others.flatMap((_, index) =>
    viewsOf(table, operation).map(
      ({ view, first }) =>
        `DROP TRIGGER IF EXISTS ${runTrigger(first, runs.length + index + 2)} ON ${view}`,
    ),
  );
  return [
    // the views of partitions call these functions whether or not the triggers fire
    ...furtherRuns(table, operation).map((run, index) =>
      fireNextSql(table, operation, fires ? run : { ...run, triggers: [] }, index + 2, writes),
    ),
    ...(fires ? firedRunsSql(table, table, operation, triggers.some(writes)) : []),
    ...dropped,
  ];
}

/** Returns the runs behind the first one, by the definition of the table. */
const furtherRuns = (table: Table, operation: Operation) =>
  runsOf(rowTriggers(table, operation)).slice(1);

/**
 * Builds the triggers of the views of a table or a partition that fire the further runs, with their functions; none for a table without such
 * triggers.
 */
export function firedRunsSql(
  table: Table,
  named: Table,
  operation: Operation,
  isWriting: boolean,
): string[] {
  if (!firesBeforeAsOwner(table, operation)) return [];
  const runs = furtherRuns(table, operation);
  return runs.flatMap((run, index) => {
    const isLast = index === runs.length - 1;
    const name = functionName(named, `fired_${operation}`, index + 2);
    return [
      firedNextSql(table, named, operation, run, index + 2, { isLast, isWriting }),
      ...viewsOf(named, operation).map(
        ({ view, first, argument }) =>
          `CREATE OR REPLACE TRIGGER ${runTrigger(first, index + 2)} INSTEAD OF ${operation} ON ${view} FOR EACH ROW EXECUTE FUNCTION ${name}(${argument})`,
      ),
    ];
  });
}

/** Returns the name of the function that fires a run. That of owners' triggers is out of the reach of clients. */
function fireNextName(table: Table, operation: Operation, { asOwner }: Run, index: number) {
  const part = `fire_${operation}`;
  return asOwner
    ? functionName(table, part, index)
    : `${overlaySchema(table)}.${part}_${table.oid}_${index}`;
}

function fireNextSql(
  table: Table,
  operation: Operation,
  run: Run,
  index: number,
  writes: Effects['writes'],
): string {
  const calls = run.triggers.map((trigger) =>
    callSql(table, operation, trigger, { isWriting: writes(trigger), suppress: '' }),
  );
  // the text is converted without the name of a type, which clients may not use
  const take = operation === 'delete' ? '' : '  "new" := _stage_p_run;\n';
  const variables = run.triggers.some(writes) ? ['  _stage_v_was text[];\n'] : [];
  const body = fireBodySql(table, operation, calls.join(''), variables, take);
  return fillSql(loadSql('table/triggers/fire_next.sql'), {
    function: fireNextName(table, operation, run, index),
    row_type: rowTypeName(table),
    body: quoteLiteral(body),
  });
}

function firedNextSql(
  table: Table,
  named: Table,
  operation: Operation,
  run: Run,
  index: number,
  { isLast, isWriting }: { readonly isLast: boolean; readonly isWriting: boolean },
): string {
  const { oid } = table;
  const fire = fireNextName(table, operation, run, index);
  const old = `ROW(${columnList(columnNames(named), 'OLD.')})`;
  const place = namedArgument(table, named);
  const fired =
    operation === 'delete'
      ? `${fire}(NULL, ${old}, NULL${place})`
      : `${fire}(ROW(${givenRow(named)}), ${operation === 'update' ? old : 'NULL'}, _stage_v_run${place})`;
  const demandReads = `  IF pg_trigger_depth() > 1 THEN PERFORM stage.demand_owner_reads(${oid}); END IF;\n`;
  const isDelete = operation === 'delete';
  return fillSql(loadSql('table/triggers/fired_next.sql'), {
    ...{ function: functionName(named, `fired_${operation}`, index), oid },
    rights: run.asOwner ? 'SECURITY DEFINER ' : '',
    row: isDelete ? 'OLD' : 'NEW',
    demand: run.asOwner ? `  PERFORM stage.demand_firing(${oid});\n` : demandReads,
    made: isDelete
      ? `CASE WHEN ${fired} IS DISTINCT FROM NULL THEN '=' END`
      : handedOn(table, operation, fired, isLast),
    next: isLast && !isDelete ? 'made' : 'run',
    give_up: isWriting ? `PERFORM stage.give_up_row(${oid}); ` : '',
  });
}

/** Returns the values of the row as given. Generated columns are computed after triggers have fired. */
export const givenRow = (table: Table, row = 'NEW'): string =>
  table.columns
    .map(({ name, generated }) => (generated ? 'NULL' : `${row}.${quoteIdentifier(name)}`))
    .join(', ');

/**
 * Returns the text of the row that triggers return.
 * @param fired the call of the function that fires them
 */
export const handedOn = (table: Table, operation: Operation, fired: string, isLast: boolean) =>
  isLast
    ? `${madeName(table, operation)}(${fired}, ROW(${givenRow(table)}))`
    : `stage.exact_row(${fired})`;

/** Builds the trigger of a view that decides whether such triggers fire for a statement; none if no trigger is one of them. */
export const decideTriggerSql = (table: Table, view: string, operation: string, event: string) =>
  anyBeforeAsOwner(table)
    ? `CREATE TRIGGER decide_${operation} BEFORE ${event} ON ${view} FOR EACH STATEMENT EXECUTE FUNCTION stage.decide_firing(${table.oid});\n`
    : '';
