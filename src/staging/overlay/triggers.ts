/** The triggers of an overlay view: row functions that stage, statement functions that judge and log. */
import { quoteIdentifier, quoteLiteral } from '../../db/identifier.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import {
  deferredSql,
  foreignKeyDeferral,
  isDeferrableFor,
  uniqueDeferral,
  unlessDeferred,
} from './deferral.ts';
import { childCheck, lockVanishing, parentStep } from './foreign-keys.ts';
import { settleCopies, storedColumns, storedValues, takeRow } from './keyless.ts';
import {
  columnList,
  columnNames,
  functionName,
  imageOf,
  isKeyless,
  keyMatches,
  oldColumns,
  oldValues,
  overlayName,
  rowTypeName,
  shadowName,
} from './names.ts';

import { policyTriggersSql } from './policies.ts';
import { domainChecks, prepareRow, rowChecks } from './row-checks.ts';
import { same } from './row-identity.ts';

import {
  freeInProduction,
  insertUniqueChecks,
  uniqueSetChecks,
  updateUniqueChecks,
} from './uniques.ts';

const operations = ['insert', 'update', 'delete'] as const;
type Operation = (typeof operations)[number];

/** Whether a row is the client's own doing or a foreign key's action. */
const origin = `CASE WHEN pg_trigger_depth() > 1 THEN coalesce(nullif(current_setting('stage.origin', true), ''), 'c') ELSE 'c' END`;

/** A statement that staged more rows than this is judged by freshly planned queries without nested loops. */
const bigStatement = 200;

/** Creates every trigger function and trigger of the overlay. */
export function triggersSql(table: Table, server: number): string[] {
  return [
    ...operations.map((operation) => rowFunctionSql(table, operation)),
    ...holdRowSql(table),
    ...operations.flatMap((operation) => statementFunctionsSql(table, operation, server)),
    ...deferredSql(table, server),
    ...(['insert', 'update'] as const).flatMap((operation) => domainsSql(table, operation)),
    ...policyTriggersSql(table),
    ...operations.map((operation) =>
      fillSql(loadSql('table/triggers.sql'), {
        operation,
        oid: table.oid,
        overlay: overlayName(table),
        key: settingKey(table, operation),
        row_function: functionName(table, operation),
        after_function: functionName(table, `after_${operation}`),
      }),
    ),
  ];
}

function domainsSql(table: Table, operation: 'insert' | 'update'): string[] {
  const checks = domainChecks(table, operation);
  if (checks === '') return [];
  const name = functionName(table, `domains_${operation}`);
  return [
    fillSql(loadSql('table/domains.sql'), { function: name, checks }),
    domainsTrigger(overlayName(table), operation, name),
  ];
}

/** Triggers fire in the order of their names: this one before the one that stages. */
const domainsTrigger = (view: string, operation: 'insert' | 'update', name: string) =>
  `CREATE TRIGGER domains_${operation} INSTEAD OF ${operation} ON ${view} FOR EACH ROW EXECUTE FUNCTION ${name}()`;

/** The trigger that judges domains of the rows of an upsert before another row is looked for. */
export function upsertDomainsSql(table: Table, upsert: string): string[] {
  if (domainChecks(table, 'insert') === '') return [];
  return [domainsTrigger(upsert, 'insert', functionName(table, 'domains_insert'))];
}

const settingKey = (table: Table, operation: Operation) => `${table.oid}_${operation[0]}`;

function rowFunctionSql(table: Table, operation: Operation): string {
  const columns = columnNames(table);
  const references = [
    ...new Set(table.references.flatMap((foreignKey) => foreignKey.child.columns)),
  ];
  const keyless = isKeyless(table);
  const template =
    keyless && operation !== 'insert' ? `${operation}_row_keyless` : `${operation}_row`;
  return fillSql(loadSql(`table/${template}.sql`), {
    function: functionName(table, operation),
    oid: table.oid,
    origin,
    shadow: shadowName(table),
    row_type: rowTypeName(table),
    ...(keyless ? keylessParts(table) : keyedParts(table)),
    s_columns: columnList(columns, 's.'),
    old_row: columnList(columns, 'OLD.'),
    old_columns: oldColumns(table)
      .map((_, index) => `_stage_old_${index + 1}`)
      .join(', '),
    old_values: oldValues(table, 'OLD.').join(', '),
    prepare_row: operation === 'delete' ? '' : prepareRow(table, operation),
    row_checks: rowChecks(table),
    free_in_production: freeInProduction(table),
    unique_checks: operation === 'insert' ? insertUniqueChecks(table) : updateUniqueChecks(table),
    lock_vanishing: operation === 'insert' ? '' : lockVanishing(table, operation),
    key_changed: `NOT (${keyMatches(table, 'NEW.', 'OLD.')})`,
    references_changed:
      references
        .map(
          (column) =>
            `NOT ${same(`NEW.${quoteIdentifier(column)}`, `OLD.${quoteIdentifier(column)}`)}`,
        )
        .join(' OR ') || 'false',
    s_key_matches_old: keyMatches(table, 's.', 'OLD.'),
  });
}

/** The function that waits for a row, which without a key cannot be told from its like. */
function holdRowSql(table: Table): string[] {
  if (isKeyless(table)) return [];
  const parts = {
    function: functionName(table, 'hold'),
    shadow: shadowName(table),
    s_key_matches_k: keyMatches(table, 's.', 'k.'),
  };
  return [fillSql(loadSql('table/hold_row.sql'), parts)];
}

function keyedParts(table: Table) {
  return {
    columns: columnList(columnNames(table)),
    new_columns: columnList(columnNames(table), 'NEW.'),
    s_key_matches_new: keyMatches(table, 's.', 'NEW.'),
  };
}

function keylessParts(table: Table) {
  return {
    columns: storedColumns(table),
    new_columns: storedValues(table, 'NEW.'),
    // a row without a key takes nobody's place
    s_key_matches_new: 'false',
    old_image: imageOf(table, 'OLD.'),
    old_row_and_image: storedValues(table, 'OLD.'),
    take_row: takeRow(table),
  };
}

/** Rows of the statement at hand, of the shadow table under the given alias. */
const rowsOfStatement = (alias: string) =>
  `${alias}._stage_session = v_session AND ${alias}._stage_seq > v_start AND ${alias}._stage_mutation = v_mutation`;

function statementChecks(table: Table, operation: Operation, server: number): string {
  const children = table.references.map((foreignKey) => {
    const check = childCheck(table, foreignKey, rowsOfStatement('s'));
    return foreignKey.deferrable ? unlessDeferred(foreignKeyDeferral(foreignKey), check) : check;
  });
  const uniques = uniqueSetChecks(table, rowsOfStatement('s')).map(({ unique, check }) =>
    unlessDeferred(uniqueDeferral(table, unique), check),
  );
  const parents = (event: 'update' | 'delete') =>
    table.referencedBy.map((foreignKey) => {
      const step = parentStep(table, foreignKey, event, rowsOfStatement('d'), server);
      const waits = isDeferrableFor(foreignKey, event);
      return waits ? unlessDeferred(foreignKeyDeferral(foreignKey), step) : step;
    });
  const steps = {
    insert: [...children, ...uniques],
    update: [...parents('update'), ...children, ...uniques],
    delete: parents('delete'),
  };
  return steps[operation].filter((step) => step !== '').join('\n');
}

function statementFunctionsSql(table: Table, operation: Operation, server: number): string[] {
  const checks = statementChecks(table, operation, server);
  const code = quoteLiteral(operation[0]?.toUpperCase() ?? '');
  const after = afterStatementSql(
    table,
    operation,
    settingKey(table, operation),
    code,
    runChecks(table, operation, checks),
  );
  const check = functionName(table, `check_${operation}`);
  const template = loadSql('table/statement_check.sql');
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
  return afterStatementSql(table, 'upsert', key, `'I', 'U'`, run);
}

/** The function that ends an action of a MERGE, which runs on a table in the overlay's place. */
export function afterMergeSql(
  table: Table,
  operation: Operation,
  key: string,
  server: number,
): string {
  const code = quoteLiteral(operation[0]?.toUpperCase() ?? '');
  const run = runChecks(table, operation, statementChecks(table, operation, server));
  return afterStatementSql(table, `merge_${operation}`, key, code, run);
}

/** After an UPDATE or DELETE the copies of a row without a key are counted anew. */
const isSettled = (table: Table, operation: Operation) =>
  isKeyless(table) && operation !== 'insert';

/**
 * Statements that run the checks, unless they are part of an upsert, which runs them at its end. Those of a foreign key's
 * action wait for their turn.
 */
function runChecks(table: Table, operation: Operation, checks: string): string {
  const check = functionName(table, `check_${operation}`);
  const settle = `      PERFORM ${functionName(table, `settle_${operation}`)}(v_session, v_start, v_mutation);`;
  const name = quoteLiteral(check.replace('stage_data.', ''));
  const judge = `      IF pg_trigger_depth() > 1 THEN
        PERFORM stage.queue_check(${name} || CASE WHEN v_rows > ${bigStatement} THEN '_big' ELSE '' END, v_start, v_mutation);
      ELSE
        IF v_rows > ${bigStatement} THEN PERFORM ${check}_big(v_session, v_start, v_mutation);
        ELSE PERFORM ${check}(v_session, v_start, v_mutation); END IF;
        PERFORM stage.run_queue();
      END IF;`;
  const steps = [
    ...(isSettled(table, operation) ? [settle] : []),
    ...(checks === '' ? [] : [judge]),
  ];
  if (steps.length === 0) return '';
  return `  IF v_rows > 0 AND coalesce(current_setting('stage.judge_later', true), '') = '' THEN
${steps.join('\n')}
  END IF;`;
}

/**
 * The function that ends a statement on one of the table's views.
 * @param key the part of the settings' names that tells the statement's kind, e.g. `16402_u`
 * @param codes the operations, as `_stage_op` has them, that PostgreSQL counts as affected rows
 */
function afterStatementSql(
  table: Table,
  operation: string,
  key: string,
  codes: string,
  checks: string,
): string {
  return fillSql(loadSql('table/after_statement.sql'), {
    function: functionName(table, `after_${operation}`),
    oid: table.oid,
    key,
    ops: codes,
    shadow: shadowName(table),
    shown_name: quoteLiteral(shownName(table.schema, table.name)),
    run_checks: checks,
  });
}
