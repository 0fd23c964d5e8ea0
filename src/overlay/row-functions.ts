/** Expressions of the table's definition, wrapped as functions over single columns of a row. */
import { quoteIdentifier, quoteLiteral } from '../identifier.ts';
import type { Check, Column, Table, Unique, UniqueElement } from '../model/table.ts';
import { columnNamed, functionName, partitionsName, placeName } from './object-names.ts';
import { fireInPartitions } from './triggers/candidates.ts';

/**
 * Builds a function whose parameters have the columns' names, so that the expression's unqualified names resolve to them. The string body
 * creates no dependency, and is inlined unless the expression has a search path of its own.
 */
function rowFunction(
  table: Table,
  { name, columns, returns, expression, path }: RowExpression,
  typeOf = ({ baseType }: Column) => baseType,
): string {
  const parameters = columns
    .map((column) => `${quoteIdentifier(column)} ${typeOf(columnNamed(table, column))}`)
    .join(', ');
  const body = quoteLiteral(`SELECT ${expression}`);
  const set = path ? ` SET search_path = ${path}` : '';
  return `CREATE FUNCTION ${name}(${parameters}) RETURNS ${returns} LANGUAGE sql STABLE PARALLEL SAFE${set} AS ${body}`;
}

/** Builds a call of such a function on the columns of a row. */
export function rowCall(name: string, columns: readonly string[], row = 'NEW.'): string {
  return `${name}(${columns.map((column) => row + quoteIdentifier(column)).join(', ')})`;
}

/**
 * Builds the same over the columns of a partition key. Bounds of hash partitions accept only values of the columns' exact types, so domains
 * stay.
 */
function partitionFunction(table: Table, name: string, returns: string, expression: string) {
  const typeOf = ({ domain, baseType }: Column) => domain ?? baseType;
  const columns = table.partitionColumns;
  return rowFunction(table, { name, columns, returns, expression }, typeOf);
}

/** Builds the function that checks whether a partition takes a row. Null counts as true, as for any constraint. */
export const withinFunction = (table: Table, name: string, bounds: string): string =>
  partitionFunction(table, name, 'boolean', bounds);

/** An expression over columns of a row, and the function that computes it. */
interface RowExpression {
  readonly name: string;
  readonly columns: readonly string[];
  readonly returns: string;
  readonly expression: string;
  /** The search path of the functions that it calls, if that matters. */
  readonly path?: string | null;
}

/** The maximum number of arguments of a function in PostgreSQL. */
const maxArguments = 100;

/**
 * Builds the SQL that computes an expression for NEW, or another row: a function call, or the expression itself where it uses too many
 * columns.
 */
export function computed({ name, columns, expression }: RowExpression, row = 'NEW.'): string {
  if (columns.length <= maxArguments) return rowCall(name, columns, row);
  const fields = columns.map(quoteIdentifier).map((column) => `${row}${column} AS ${column}`);
  return `(SELECT ${expression} FROM (SELECT ${fields.join(', ')}) AS _stage_row)`;
}

/** Returns the expression of a generated column; null for another column. */
export function generatedValue(
  table: Table,
  { generated, baseType }: Column,
  index: number,
): RowExpression | null {
  if (generated === null) return null;
  return { ...generated, name: functionName(table, 'generated', index + 1), returns: baseType };
}

/** Returns the condition of a CHECK constraint. */
export function checkCondition(table: Table, index: number): RowExpression {
  const { columns, expression, path } = table.checks[index] as Check;
  const name = functionName(table, 'constraint', index + 1);
  return { name, columns, returns: 'boolean', expression, path };
}

/** Returns the expression of an index element that is not a column. */
export function elementValue(
  table: Table,
  { oid, columns }: Unique,
  { type, definition }: UniqueElement,
  index: number,
): RowExpression {
  const name = functionName(table, 'element', `${oid}_${index + 1}`);
  return { name, columns, returns: type, expression: definition };
}

/** Returns the predicate of a partial index; null for another index. */
export function indexPredicate(
  table: Table,
  { oid, columns, predicate }: Unique,
): RowExpression | null {
  if (predicate === null) return null;
  const name = functionName(table, 'predicate', oid);
  return { name, columns, returns: 'boolean', expression: predicate };
}

/** Builds the functions behind generated columns, CHECK constraints, unique expressions and predicates, and partition bounds. */
export function rowFunctionsSql(table: Table): string[] {
  const expressions = [
    ...table.columns.map((column, index) => generatedValue(table, column, index)),
    ...table.checks.map((_, index) => checkCondition(table, index)),
    ...table.uniques.flatMap((unique) => [
      ...unique.elements.map((element, index) =>
        element.column === null ? elementValue(table, unique, element, index) : null,
      ),
      indexPredicate(table, unique),
    ]),
  ].filter((each) => each !== null && each.columns.length <= maxArguments) as RowExpression[];
  return [...expressions.map((each) => rowFunction(table, each)), ...partitionFunctions(table)];
}

/**
 * Builds the functions of partitions: one returns the partition of a row, one the last partitioned table on the way to it; the others check
 * for some of the partitions.
 */
function partitionFunctions(table: Table): string[] {
  if (table.kind !== 'partitioned') return [];
  const make = (part: string, isLeaf: boolean) => {
    const found = table.partitions
      .filter((partition) => partition.isLeaf === isLeaf)
      .map(({ oid, bounds }) => `WHEN (${bounds}) THEN ${oid}::oid`);
    const expression = found.length === 0 ? 'NULL::oid' : `CASE ${found.join(' ')} END`;
    return partitionFunction(table, functionName(table, part), 'oid', expression);
  };
  return [
    ...[make('partition', true), make('routed', false)],
    ...(fireInPartitions(table) ? [placeFunction(table)] : []),
    ...partitionsFunctions(table),
  ];
}

/** Builds the function that returns the partition of a row to triggers, which run with the rights of the client. */
const placeFunction = (table: Table): string =>
  `${partitionFunction(table, placeName(table), 'oid', rowCall(functionName(table, 'partition'), table.partitionColumns, ''))} SECURITY DEFINER SET search_path = pg_catalog, pg_temp`;

/**
 * Builds a check for the partitions of each foreign key that is of single ones. Unchanged bounds let the planner prune the other
 * partitions.
 */
function partitionsFunctions(table: Table): string[] {
  const ends = [
    ...table.references.map(({ child }) => child),
    ...table.referencedBy.map(({ parent }) => parent),
  ];
  const bounds = new Map(table.partitions.map((partition) => [partition.oid, partition.bounds]));
  const conditions = new Map(
    ends.flatMap(({ partitions }) => {
      if (partitions === null) return [];
      const within = partitions.oids.map((oid) => `(${bounds.get(oid)})`);
      return [[partitionsName(table.oid, partitions.oids), within.join(' OR ')] as const];
    }),
  );
  return [...conditions].map(([name, condition]) =>
    partitionFunction(table, name, 'boolean', condition),
  );
}
