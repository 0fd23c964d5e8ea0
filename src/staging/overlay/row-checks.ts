/** What PostgreSQL judges of a single row: identity and generated columns, NOT NULL, CHECK, partition bounds. */
import { quoteIdentifier, quoteLiteral } from '../../db/identifier.ts';
import type { Column, Table } from '../../model/table.ts';
import { columnNamed, columnNames, functionName } from './names.ts';
import { displayValues, raise } from './raise.ts';

const newValue = (column: string) => `NEW.${quoteIdentifier(column)}`;

/** A function over some columns of the row, whose parameters bear the columns' names so that an expression's bare names resolve. */
function rowFunction(table: Table, name: string, columns: readonly string[], returns: string, expression: string): string {
  const parameters = columns.map((column) => `${quoteIdentifier(column)} ${columnNamed(table, column).baseType}`).join(', ');
  return `CREATE FUNCTION ${name}(${parameters}) RETURNS ${returns} LANGUAGE sql STABLE PARALLEL SAFE AS ${quoteLiteral(`SELECT ${expression}`)}`;
}

/** A call of such a function on the columns of one row variable. */
export function rowCall(name: string, columns: readonly string[], row = 'NEW'): string {
  return `${name}(${columns.map((column) => `${row}.${quoteIdentifier(column)}`).join(', ')})`;
}

/** The functions behind generated columns, CHECK constraints, unique expressions and predicates, and partition bounds. */
export function rowFunctionsSql(table: Table): string[] {
  const generated = table.columns.flatMap((column, index) =>
    column.generated === null
      ? []
      : [rowFunction(table, functionName(table, 'generated', index + 1), column.generated.columns, column.baseType, column.generated.expression)],
  );
  const checks = table.checks.map((check, index) =>
    rowFunction(table, functionName(table, 'constraint', index + 1), check.columns, 'boolean', check.expression),
  );
  const uniques = table.uniques.flatMap((unique) => [
    ...unique.elements.flatMap((element, index) =>
      element.column === null
        ? [rowFunction(table, functionName(table, 'element', `${unique.oid}_${index + 1}`), unique.columns, element.type, element.definition)]
        : [],
    ),
    ...(unique.predicate === null
      ? []
      : [rowFunction(table, functionName(table, 'predicate', unique.oid), unique.columns, 'boolean', unique.predicate)]),
  ]);
  return [...generated, ...checks, ...uniques, ...partitionFunction(table)];
}

function partitionFunction(table: Table): string[] {
  if (table.kind !== 'partitioned') return [];
  const bounds = table.partitionBounds.map((bound) => `(${bound})`).join(' OR ') || 'false';
  return [rowFunction(table, functionName(table, 'partition'), columnNames(table), 'boolean', bounds)];
}

/** Statements that fill identity and generated columns, and refuse values given for them. */
export function prepareRow(table: Table, operation: 'insert' | 'update'): string {
  const identity = table.columns.flatMap((column, index) =>
    column.identity === 'always' ? [operation === 'insert' ? fillIdentity(table, column, index) : keepIdentity(column)] : [],
  );
  const refusals = table.columns.flatMap((column) => (column.generated === null ? [] : [refuseGenerated(column, operation)]));
  const values = table.columns.flatMap((column, index) =>
    column.generated === null
      ? []
      : [`  ${newValue(column.name)} := ${rowCall(functionName(table, 'generated', index + 1), column.generated.columns)};`],
  );
  return [...identity, ...refusals, ...values].join('\n');
}

function fillIdentity(table: Table, column: Column, index: number): string {
  const refusal = raise({
    message: `cannot insert a non-DEFAULT value into column "${column.name}"`,
    sqlstate: '428C9',
    detail: quoteLiteral(`Column "${column.name}" is an identity column defined as GENERATED ALWAYS.`),
    hint: 'Use OVERRIDING SYSTEM VALUE to override.',
  });
  return `  IF ${newValue(column.name)} IS NOT NULL THEN ${refusal} END IF;
  ${newValue(column.name)} := ${functionName(table, 'default', index + 1)}();`;
}

function keepIdentity(column: Column): string {
  return refuseUpdate(column, `Column "${column.name}" is an identity column defined as GENERATED ALWAYS.`);
}

function refuseGenerated(column: Column, operation: 'insert' | 'update'): string {
  const detail = `Column "${column.name}" is a generated column.`;
  if (operation === 'update') return refuseUpdate(column, detail);
  const message = `cannot insert a non-DEFAULT value into column "${column.name}"`;
  return `  IF ${newValue(column.name)} IS NOT NULL THEN ${raise({ message, sqlstate: '428C9', detail: quoteLiteral(detail) })} END IF;`;
}

/** DEFAULT arrives as NULL, for the view's column has none. */
function refuseUpdate(column: Column, detail: string): string {
  const message = `column "${column.name}" can only be updated to DEFAULT`;
  const changed = `${newValue(column.name)} IS DISTINCT FROM OLD.${quoteIdentifier(column.name)}`;
  const given = column.generated === null ? changed : `${newValue(column.name)} IS NOT NULL AND ${changed}`;
  return `  IF ${given} THEN ${raise({ message, sqlstate: '428C9', detail: quoteLiteral(detail) })} END IF;`;
}

const at = (table: Table) => ({ schema: table.schema, table: table.name });

/** Statements that raise the first violation of NOT NULL, CHECK or partition bounds; one condition guards them all. */
export function rowChecks(table: Table): string {
  const failing = `'Failing row contains (' || ${displayValues(columnNames(table).map(newValue))} || ').'`;
  const violations = [...notNulls(table, failing), ...checks(table, failing), ...partition(table, failing)];
  if (violations.length === 0) return '';
  const guard = violations.map(({ condition }) => condition).join(' OR ');
  const raises = violations.map(({ condition, statement }) => `    IF ${condition} THEN ${statement} END IF;`);
  return `  IF ${guard} THEN\n${raises.join('\n')}\n  END IF;`;
}

interface RowViolation {
  readonly condition: string;
  readonly statement: string;
}

function notNulls(table: Table, detail: string): RowViolation[] {
  return table.columns
    .filter((column) => column.notNull)
    .map((column) => ({
      condition: `${newValue(column.name)} IS NULL`,
      statement: raise({
        ...at(table),
        message: `null value in column "${column.name}" of relation "${table.name}" violates not-null constraint`,
        sqlstate: '23502',
        column: column.name,
        detail,
      }),
    }));
}

function checks(table: Table, detail: string): RowViolation[] {
  return table.checks.map((check, index) => ({
    condition: `NOT ${rowCall(functionName(table, 'constraint', index + 1), check.columns)}`,
    statement: raise({
      ...at(table),
      message: `new row for relation "${table.name}" violates check constraint "${check.name}"`,
      sqlstate: '23514',
      constraint: check.name,
      detail,
    }),
  }));
}

function partition(table: Table, detail: string): RowViolation[] {
  if (table.kind !== 'partitioned') return [];
  return [
    {
      condition: `NOT coalesce(${rowCall(functionName(table, 'partition'), columnNames(table))}, false)`,
      statement: raise({ ...at(table), message: `no partition of relation "${table.name}" found for row`, sqlstate: '23514', detail }),
    },
  ];
}
