/** RAISE statements that say what PostgreSQL itself would say of a production table. */
import { quoteLiteral } from '../../db/identifier.ts';
import type { Table } from '../../model/table.ts';

/** A text, or an SQL expression for one that is known only when it is told. */
export type Told = string | { readonly sql: string };

/** As an SQL expression. */
export const toldSql = (text: Told) => (typeof text === 'string' ? quoteLiteral(text) : text.sql);

/** Puts a sentence together. */
export function tell(parts: TemplateStringsArray, ...values: readonly Told[]): Told {
  if (values.every((value) => typeof value === 'string'))
    return parts.map((part, index) => part + (values[index] ?? '')).join('');
  const pieces = parts.flatMap((part, index) => [part, values[index] ?? '']);
  return { sql: `concat(${pieces.map(toldSql).join(', ')})` };
}

interface Violation {
  readonly message: Told;
  readonly sqlstate: string;
  /** Absent where PostgreSQL names no table either. */
  readonly schema?: Told;
  readonly table?: Told;
  readonly column?: string;
  readonly constraint?: Told;
  /** An SQL expression, for it shows values. */
  readonly detail?: string;
  readonly hint?: string;
}

/** Builds the PL/pgSQL statement that raises a violation. Names never stand in a format string. */
export function raise(violation: Violation): string {
  const options = [
    `MESSAGE = ${toldSql(violation.message)}`,
    `ERRCODE = ${quoteLiteral(violation.sqlstate)}`,
  ];
  for (const name of ['schema', 'table', 'column', 'constraint', 'hint'] as const) {
    const value = violation[name];
    if (value !== undefined) options.push(`${name.toUpperCase()} = ${toldSql(value)}`);
  }
  if (violation.detail !== undefined) options.push(`DETAIL = ${violation.detail}`);
  return `RAISE EXCEPTION USING ${options.join(', ')};`;
}

/** A DETAIL with values of rows: with row-level security PostgreSQL leaves them out, for they may not be for this role to see. */
export function valuesDetail(
  table: Table,
  detail: string,
  without?: Told,
): { readonly detail?: string } {
  if (table.policies === null) return { detail };
  return without === undefined ? {} : { detail: toldSql(without) };
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
export function keyDetail(columns: readonly string[], value: string, rest: Told): string {
  return `${quoteLiteral(`Key (${columns.join(', ')})=(`)} || ${value} || ${toldSql(tell`)${rest}`)}`;
}
