/** Functions that end a statement on a table's views: they check its rows, run actions of foreign keys, and write the mutation log. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteLiteral } from '../../identifier.ts';
import type { Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import {
  foreignKeyDeferral,
  isDeferrableFor,
  uniqueDeferral,
  unlessDeferred,
} from '../foreign-keys/deferral.ts';
import { childCheck } from '../foreign-keys/foreign-keys.ts';
import { parentStep, refuseCrossing } from '../foreign-keys/parent-steps.ts';
import type { ParentEvent } from '../foreign-keys/vanished-keys.ts';
import { eventsOfUpdate, hasMoved } from '../foreign-keys/vanished-keys.ts';
import { functionName, isKeyless, shadowName } from '../object-names.ts';
import { mayFire, mayFireAfter, waitsForColumns } from '../triggers/candidates.ts';
import { uniqueSetChecks } from '../uniques.ts';
import { settleCopies } from './keyless.ts';
import { beforeDeletions, rowByRow } from './row-order.ts';

export const operations = ['insert', 'update', 'delete'] as const;
export type Operation = (typeof operations)[number];

/** Returns the part of the settings' names for a kind of statement on the overlay, e.g. `16402_u`. */
export const settingKey = (
  table: Pick<Table, 'oid'>,
  operation: Operation | Uppercase<Operation>,
) => `${table.oid}_${operation.charAt(0).toLowerCase()}`;

/** The rows of a statement that staged more rows than this are checked by freshly planned queries without nested loops. */
const bigStatement = 200;

/** Builds the condition that selects the current statement's rows of the shadow table. @param alias of the shadow table */
const rowsOfStatement = (alias: string) =>
  `${alias}._stage_session = _stage_v_session AND ${alias}._stage_seq > _stage_v_start AND ${alias}._stage_seq <= _stage_v_end AND ${alias}._stage_mutation = _stage_v_mutation`;

function statementChecks(table: Table, operation: Operation, server: number): string {
  const rowsThemselves = (rows: string) => [
    ...table.references.map((foreignKey) => {
      const check = childCheck(table, foreignKey, rows);
      return foreignKey.deferrable ? unlessDeferred(foreignKeyDeferral(foreignKey), check) : check;
    }),
    ...uniqueSetChecks(table, rows).map(({ unique, check }) =>
      unlessDeferred(uniqueDeferral(table, unique), check),
    ),
  ];
  const moved = hasMoved(table, 's');
  const parents = (event: ParentEvent) =>
    table.referencedBy.map((foreignKey) => {
      if (event !== 'delete' && !eventsOfUpdate(foreignKey).includes(event)) return '';
      const step = parentStep(table, foreignKey, event, rowsOfStatement('d'), server);
      const waits = isDeferrableFor(foreignKey, event);
      return waits ? unlessDeferred(foreignKeyDeferral(foreignKey), step) : step;
    });
  const own = rowsThemselves(rowsOfStatement('s'));
  // a row that moves to another partition is inserted there before the change of its key is checked
  const ofMoved = moved === null ? [] : rowsThemselves(`${rowsOfStatement('s')} AND ${moved}`);
  const check = functionName(table, `check_${operation}`);
  const inOrder = (event: 'update' | 'delete') => rowByRow(table, event, check, rowsOfStatement);
  const steps = {
    insert: own,
    update: [
      refuseCrossing(table, rowsOfStatement('d')),
      inOrder('update'),
      ...parents('leave'),
      ...ofMoved,
      ...parents('update'),
      ...own,
    ],
    delete: [
      beforeDeletions(table, rowsOfStatement, rowsThemselves),
      inOrder('delete'),
      ...parents('delete'),
    ],
  };
  return steps[operation].filter((step) => step !== '').join('\n');
}

/** Builds the functions that check the rows of a statement, and the function that ends it. */
export function statementFunctionsSql(
  table: Table,
  operation: Operation,
  server: number,
): string[] {
  const checks = statementChecks(table, operation, server);
  const code = codeOf(operation);
  const after = afterStatementSql(
    table,
    operation,
    settingKey(table, operation),
    checkRows(table, code, runChecks(table, operation, checks)),
  );
  const check = functionName(table, `check_${operation}`);
  const template = loadSql('table/rows/statement_check.sql');
  const settle = isSettled(table, operation)
    ? [
        fillSql(template, {
          function: functionName(table, `settle_${operation}`),
          settings: '',
          checks: settleCopies(table, rowsOfStatement),
        }),
      ]
    : [];
  if (checks === '') return [...settle, after];
  // statistics do not include rows just written: a cached nested loop over many of them would be quadratic
  const big =
    'SET plan_cache_mode = force_custom_plan SET enable_nestloop = off SET enable_seqscan = on';
  return [
    ...settle,
    fillSql(template, { function: check, settings: '', checks }),
    fillSql(template, { function: `${check}_big`, settings: big, checks }),
    after,
  ];
}

/** Builds the function that ends an upsert. It checks all rows as updated ones, which includes the checks of inserted ones. */
export function afterUpsertSql(table: Table, key: string, server: number): string {
  const run = runChecks(table, 'update', statementChecks(table, 'update', server));
  return afterStatementSql(table, 'upsert', key, checkRows(table, `'I', 'U'`, run));
}

/**
 * Builds the function that ends a statement whose rows were inserted or changed as a set. After `checks`, it does what ends a statement
 * that staged them one by one.
 * @param name of the function
 * @param checks statements that fail if any row is invalid
 */
export function afterSetSql(
  table: Table,
  operation: Operation,
  name: string,
  server: number,
  checks: string,
): string {
  const run = runChecks(table, operation, statementChecks(table, operation, server));
  const report =
    operation === 'insert' ? '' : '  PERFORM stage.report_affected(_stage_v_affected);\n';
  const both = checks + checkRows(table, codeOf(operation), run) + report;
  return afterStatementSql(table, name, settingKey(table, operation), both);
}

/** Builds the function that ends an action of a MERGE, which runs on a table in place of the overlay. */
export function afterMergeSql(
  table: Table,
  operation: Operation,
  key: string,
  server: number,
): string {
  const run = runChecks(table, operation, statementChecks(table, operation, server));
  const checks = checkRows(table, codeOf(operation), run);
  return afterStatementSql(table, `merge_${operation}`, key, checks);
}

/**
 * Builds the function that ends a statement on a table and its children. It runs the queued checks of foreign keys' actions after the
 * checks of all members.
 */
export function afterTreeSql(
  table: Table,
  members: readonly Table[],
  operation: Operation,
  key: string,
  server: number,
): string {
  const checked = members.map((member) => {
    const checks = checkCall(member, operation, statementChecks(member, operation, server));
    const run = unlessLater([...settleCall(member, operation), ...checks]);
    return checkRows(member, codeOf(operation), run);
  });
  const name = functionName(table, `tree_after_${operation}`);
  return endSql(table, name, key, [...checked, '  PERFORM stage.run_queue();'].join('\n'));
}

/** Returns an operation as `_stage_op` stores it, as a literal. */
export const codeOf = (operation: Operation) => quoteLiteral(operation[0]?.toUpperCase() ?? '');

/** Returns whether copies of a row without a key are recounted at the end: after an UPDATE or DELETE. */
const isSettled = (table: Table, operation: Operation) =>
  isKeyless(table) && operation !== 'insert';

/** Builds the statement that recounts copies of rows without a key. */
const settleCall = (table: Table, operation: Operation) =>
  isSettled(table, operation)
    ? [
        `      PERFORM ${functionName(table, `settle_${operation}`)}(_stage_v_session, _stage_v_start, _stage_v_mutation);`,
      ]
    : [];

/** Builds the statement that runs the checks; none if there are no checks. */
function checkCall(table: Table, operation: Operation, checks: string): string[] {
  const check = functionName(table, `check_${operation}`);
  const call = `IF _stage_v_rows > ${bigStatement} THEN PERFORM ${check}_big(_stage_v_session, _stage_v_start, _stage_v_mutation);
        ELSE PERFORM ${check}(_stage_v_session, _stage_v_start, _stage_v_mutation); END IF;`;
  return checks === '' ? [] : [call];
}

/**
 * Builds statements that run the checks, except within an upsert, which runs them at its end. Checks of a foreign key's action are queued;
 * where AFTER triggers may fire, these come before the queue (see stage.conclude_statement).
 */
function runChecks(table: Table, operation: Operation, checks: string): string {
  const name = quoteLiteral(functionName(table, `check_${operation}`).replace('stage_data.', ''));
  const concludes = mayFireAfter(table);
  const inTurn = checkCall(table, operation, checks).map(
    (
      call,
    ) => `      IF pg_trigger_depth() > 1 AND current_setting('stage.origin', true) = 'trigger' THEN
        ${call}
      ELSIF pg_trigger_depth() > 1 THEN
        PERFORM stage.queue_check(${name} || CASE WHEN _stage_v_rows > ${bigStatement} THEN '_big' ELSE '' END, _stage_v_start, _stage_v_mutation);
      ELSE
        ${call}${concludes ? '' : '\n        PERFORM stage.run_queue();'}
      END IF;`,
  );
  return unlessLater([...settleCall(table, operation), ...inTurn]);
}

function unlessLater(calls: readonly string[]): string {
  if (calls.length === 0) return '';
  return `  IF _stage_v_rows > 0 AND coalesce(current_setting('stage.check_later', true), '') = '' THEN
${calls.join('\n')}
  END IF;`;
}

/**
 * Builds statements that count the rows staged in a table, and check them.
 * @param codes values of `_stage_op` whose rows PostgreSQL counts as affected
 */
const checkRows = (table: Table, codes: string, checks: string) =>
  fillSql(loadSql('table/rows/check_rows.sql'), {
    ops: codes,
    shadow: shadowName(table),
    run_checks: checks,
  });

const afterStatementSql = (table: Table, operation: string, key: string, checks: string) =>
  endSql(table, functionName(table, `after_${operation}`), key, checks);

/**
 * Builds the function that ends a statement on one of the table's views.
 * @param key the part of the settings' names for the statement's kind, e.g. `16402_u`
 */
function endSql(table: Table, name: string, key: string, checks: string): string {
  return fillSql(loadSql('table/rows/after_statement.sql'), {
    function: name,
    oid: table.oid,
    key,
    shown_name: quoteLiteral(shownName(table.schema, table.name)),
    check_rows: checks,
    adopt: operations.some((each) => mayFire(table, each)) ? adopt : '',
    ...loggedFacts(table),
  });
}

/** What BEFORE triggers wrote for rows that are not staged is the client's own. */
const adopt = `    IF coalesce(current_setting('stage.adopted', true), '') <> '' THEN _stage_v_affected := _stage_v_affected + stage.adopt_effects(_stage_v_session, _stage_v_mutation, _stage_v_affected); END IF;\n`;

/**
 * Builds the entry's parts that only some databases need: the columns that the statement set, if triggers wait for updates of certain
 * columns, and its settings, if code of users may read some.
 */
function loggedFacts(table: Table) {
  // which settings those are changes with the functions of triggers
  const readsSettings = table.settings.length > 0 || table.triggers.length > 0;
  const facts = [
    ...(waitsForColumns(table) ? [['columns', `stage.of_write('set', ${table.oid})`]] : []),
    ...(readsSettings ? [['settings', `stage.settings_of(${table.oid})`]] : []),
  ];
  return {
    fact_columns: facts.map(([column]) => `, ${column}`).join(''),
    facts: facts.map(([, value]) => `, ${value}`).join(''),
  };
}
