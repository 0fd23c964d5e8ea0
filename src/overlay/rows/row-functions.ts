/** Expressions of the table's definition, wrapped as functions over single columns of a row. */
import { quoteIdentifier, quoteLiteral } from '../../db/identifier.ts';
import type { Table, Unique } from '../../model/table.ts';
import { columnNamed, functionName, partitionsName } from '../object-names.ts';

/**
 * A function whose parameters bear the columns' names, so that the expression's bare names resolve to them.
 * The string body depends on nothing and is inlined.
 */
function rowFunction(
  table: Table,
  name: string,
  columns: readonly string[],
  returns: string,
  expression: string,
): string {
  const parameters = columns
    .map((column) => `${quoteIdentifier(column)} ${columnNamed(table, column).baseType}`)
    .join(', ');
  const body = quoteLiteral(`SELECT ${expression}`);
  return `CREATE FUNCTION ${name}(${parameters}) RETURNS ${returns} LANGUAGE sql STABLE PARALLEL SAFE AS ${body}`;
}

/** A call of such a function on the columns of one row. */
export function rowCall(name: string, columns: readonly string[], row = 'NEW.'): string {
  return `${name}(${columns.map((column) => row + quoteIdentifier(column)).join(', ')})`;
}

/** The function that tells whether a partition takes a row. Null is yes, as of any constraint. */
export const withinFunction = (table: Table, name: string, bounds: string): string =>
  rowFunction(table, name, table.partitionColumns, 'boolean', bounds);

/** The functions behind generated columns, CHECK constraints, unique expressions and predicates, and partition bounds. */
export function rowFunctionsSql(table: Table): string[] {
  return [
    ...generatedFunctions(table),
    ...checkFunctions(table),
    ...table.uniques.flatMap((unique) => uniqueFunctions(table, unique)),
    ...partitionFunctions(table),
  ];
}

function generatedFunctions(table: Table): string[] {
  return table.columns.flatMap((column, index) => {
    if (column.generated === null) return [];
    const { columns, expression } = column.generated;
    const name = functionName(table, 'generated', index + 1);
    return [rowFunction(table, name, columns, column.baseType, expression)];
  });
}

function checkFunctions(table: Table): string[] {
  return table.checks.map(({ columns, expression }, index) =>
    rowFunction(
      table,
      functionName(table, 'constraint', index + 1),
      columns,
      'boolean',
      expression,
    ),
  );
}

function uniqueFunctions(table: Table, unique: Unique): string[] {
  const elements = unique.elements.flatMap((element, index) => {
    if (element.column !== null) return [];
    const name = functionName(table, 'element', `${unique.oid}_${index + 1}`);
    return [rowFunction(table, name, unique.columns, element.type, element.definition)];
  });
  if (unique.predicate === null) return elements;
  const name = functionName(table, 'predicate', unique.oid);
  return [...elements, rowFunction(table, name, unique.columns, 'boolean', unique.predicate)];
}

/** One gives the partition that takes a row, one the last partitioned table on the way to it, and the others tell of some of them. */
function partitionFunctions(table: Table): string[] {
  if (table.kind !== 'partitioned') return [];
  const make = (part: string, isLeaf: boolean) => {
    const found = table.partitions
      .filter((partition) => partition.isLeaf === isLeaf)
      .map(({ oid, bounds }) => `WHEN (${bounds}) THEN ${oid}::oid`);
    const expression = found.length === 0 ? 'NULL::oid' : `CASE ${found.join(' ')} END`;
    return rowFunction(table, functionName(table, part), table.partitionColumns, 'oid', expression);
  };
  return [make('partition', true), make('routed', false), ...partitionsFunctions(table)];
}

/** For the partitions of each foreign key that is of single ones. Their bounds as they are let the planner leave out the others. */
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
    rowFunction(table, name, table.partitionColumns, 'boolean', condition),
  );
}
