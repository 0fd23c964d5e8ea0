/** What the end of a statement on a table's views does: judge its rows, run foreign keys' actions, write the log. */
import { quoteLiteral } from '../../db/identifier.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
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
import { settleCopies } from './keyless.ts';
import { beforeDeletions, rowByRow } from './row-order.ts';
import { uniqueSetChecks } from './uniques.ts';

export const operations = ['insert', 'update', 'delete'] as const;
export type Operation = (typeof operations)[number];

/** The part of the settings' names that tells the kind of a statement on the overlay, e.g. `16402_u`. */
export const settingKey = (table: Pick<Table, 'oid'>, operation: Operation) =>
  `${table.oid}_${operation[0]}`;

/** A statement that staged more rows than this is judged by freshly planned queries without nested loops. */
const bigStatement = 200;

/** Rows of the statement at hand, of the shadow table under the given alias. */
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
  // a row that moves to another partition is inserted there before its key is told to have changed
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

/** The functions that judge the rows of a statement, and the one that ends it. */
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
    judgeRows(table, code, runChecks(table, operation, checks)),
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
  // statistics know nothing of rows just written: a cached nested loop over many of them would be quadratic
  const big =
    'SET plan_cache_mode = force_custom_plan SET enable_nestloop = off SET enable_seqscan = on';
  return [
    ...settle,
    fillSql(template, { function: check, settings: '', checks }),
    fillSql(template, { function: `${check}_big`, settings: big, checks }),
    after,
  ];
}

/** The function that ends an upsert: its rows are judged as updated ones, which covers the inserted. */
export function afterUpsertSql(table: Table, key: string, server: number): string {
  const run = runChecks(table, 'update', statementChecks(table, 'update', server));
  return afterStatementSql(table, 'upsert', key, judgeRows(table, `'I', 'U'`, run));
}

/**
 * The function that ends a statement whose rows came or changed as a set: as one that staged them one by one, once they are judged.
 * @param name of the function
 * @param judge statements that fail where one of them is not in order
 */
export function afterSetSql(
  table: Table,
  operation: Operation,
  name: string,
  server: number,
  judge: string,
): string {
  const run = runChecks(table, operation, statementChecks(table, operation, server));
  const tell = operation === 'insert' ? '' : '  PERFORM stage.tell_affected(_stage_v_affected);\n';
  const both = judge + judgeRows(table, codeOf(operation), run) + tell;
  return afterStatementSql(table, name, settingKey(table, operation), both);
}

/** The function that ends an action of a MERGE, which runs on a table in the overlay's place. */
export function afterMergeSql(
  table: Table,
  operation: Operation,
  key: string,
  server: number,
): string {
  const run = runChecks(table, operation, statementChecks(table, operation, server));
  const judge = judgeRows(table, codeOf(operation), run);
  return afterStatementSql(table, `merge_${operation}`, key, judge);
}

/**
 * The function that ends a statement on a table and its children. What foreign keys' actions did in any of them is judged
 * when all of them are.
 */
export function afterTreeSql(
  table: Table,
  members: readonly Table[],
  operation: Operation,
  key: string,
  server: number,
): string {
  const judged = members.map((member) => {
    const checks = checkCall(member, operation, statementChecks(member, operation, server));
    const run = unlessLater([...settleCall(member, operation), ...checks]);
    return judgeRows(member, codeOf(operation), run);
  });
  const name = functionName(table, `tree_after_${operation}`);
  return endSql(table, name, key, [...judged, '  PERFORM stage.run_queue();'].join('\n'));
}

/** An operation as `_stage_op` has it. */
export const codeOf = (operation: Operation) => quoteLiteral(operation[0]?.toUpperCase() ?? '');

/** After an UPDATE or DELETE the copies of a row without a key are counted anew. */
const isSettled = (table: Table, operation: Operation) =>
  isKeyless(table) && operation !== 'insert';

/** The statement that counts copies of rows without a key anew. */
const settleCall = (table: Table, operation: Operation) =>
  isSettled(table, operation)
    ? [
        `      PERFORM ${functionName(table, `settle_${operation}`)}(_stage_v_session, _stage_v_start, _stage_v_mutation);`,
      ]
    : [];

/** The statement that runs the checks, if there are any. */
function checkCall(table: Table, operation: Operation, checks: string): string[] {
  const check = functionName(table, `check_${operation}`);
  const call = `IF _stage_v_rows > ${bigStatement} THEN PERFORM ${check}_big(_stage_v_session, _stage_v_start, _stage_v_mutation);
        ELSE PERFORM ${check}(_stage_v_session, _stage_v_start, _stage_v_mutation); END IF;`;
  return checks === '' ? [] : [call];
}

/**
 * Statements that run the checks, unless they are part of an upsert, which runs them at its end. Those of a foreign key's
 * action wait for their turn.
 */
function runChecks(table: Table, operation: Operation, checks: string): string {
  const name = quoteLiteral(functionName(table, `check_${operation}`).replace('stage_data.', ''));
  const inTurn = checkCall(table, operation, checks).map(
    (call) => `      IF pg_trigger_depth() > 1 THEN
        PERFORM stage.queue_check(${name} || CASE WHEN _stage_v_rows > ${bigStatement} THEN '_big' ELSE '' END, _stage_v_start, _stage_v_mutation);
      ELSE
        ${call}
        PERFORM stage.run_queue();
      END IF;`,
  );
  return unlessLater([...settleCall(table, operation), ...inTurn]);
}

function unlessLater(calls: readonly string[]): string {
  if (calls.length === 0) return '';
  return `  IF _stage_v_rows > 0 AND coalesce(current_setting('stage.judge_later', true), '') = '' THEN
${calls.join('\n')}
  END IF;`;
}

/**
 * Statements that count what was staged in a table, and judge it.
 * @param codes the operations, as `_stage_op` has them, that PostgreSQL counts as affected rows
 */
const judgeRows = (table: Table, codes: string, checks: string) =>
  fillSql(loadSql('table/rows/judge_rows.sql'), {
    ops: codes,
    shadow: shadowName(table),
    run_checks: checks,
  });

const afterStatementSql = (table: Table, operation: string, key: string, judge: string) =>
  endSql(table, functionName(table, `after_${operation}`), key, judge);

/**
 * The function that ends a statement on one of the table's views.
 * @param key the part of the settings' names that tells the statement's kind, e.g. `16402_u`
 */
function endSql(table: Table, name: string, key: string, judge: string): string {
  return fillSql(loadSql('table/rows/after_statement.sql'), {
    function: name,
    oid: table.oid,
    key,
    shown_name: quoteLiteral(shownName(table.schema, table.name)),
    judge_rows: judge,
  });
}
