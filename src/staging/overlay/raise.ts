/** RAISE statements that say what PostgreSQL itself would say of a production table. */
import { quoteLiteral } from '../../db/identifier.ts';
import type { Table } from '../../model/table.ts';

interface Violation {
  readonly message: string;
  readonly sqlstate: string;
  /** Absent where PostgreSQL names no table either. */
  readonly schema?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  /** An SQL expression, for it shows values. */
  readonly detail?: string;
  readonly hint?: string;
}

/** Builds the PL/pgSQL statement that raises a violation. Names never stand in a format string. */
export function raise(violation: Violation): string {
  const options = [
    `MESSAGE = ${quoteLiteral(violation.message)}`,
    `ERRCODE = ${quoteLiteral(violation.sqlstate)}`,
  ];
  for (const name of ['schema', 'table', 'column', 'constraint', 'hint'] as const) {
    const value = violation[name];
    if (value !== undefined) options.push(`${name.toUpperCase()} = ${quoteLiteral(value)}`);
  }
  if (violation.detail !== undefined) options.push(`DETAIL = ${violation.detail}`);
  return `RAISE EXCEPTION USING ${options.join(', ')};`;
}

/** A DETAIL with values of rows: with row-level security PostgreSQL leaves them out, for they may not be for this role to see. */
export function valuesDetail(
  table: Table,
  detail: string,
  without?: string,
): { readonly detail?: string } {
  if (table.policies === null) return { detail };
  return without === undefined ? {} : { detail: quoteLiteral(without) };
}

/** An SQL expression for a value as its type prints it: a cast to text would print `true` for `t` and cut padding. */
const printed = (expression: string) =>
  `CASE WHEN ${expression} IS DISTINCT FROM NULL THEN format('%s', ${expression}) END`;

/** An SQL expression for the values of some columns as PostgreSQL lists them in a DETAIL: `1, abc, null`. */
export function displayValues(expressions: readonly string[]): string {
  return expressions
    .map((expression) => `stage.display_value(${printed(expression)})`)
    .join(` || ', ' || `);
}

/** The same for a key, where values are shown whole. */
export function displayKey(expressions: readonly string[]): string {
  return expressions
    .map((expression) => `coalesce(${printed(expression)}, 'null')`)
    .join(` || ', ' || `);
}

/** The DETAIL `Key (a, b)=(1, 2)<rest>`; the value is an SQL expression. */
export function keyDetail(columns: readonly string[], value: string, rest: string): string {
  return `${quoteLiteral(`Key (${columns.join(', ')})=(`)} || ${value} || ${quoteLiteral(`)${rest}`)}`;
}
