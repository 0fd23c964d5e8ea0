/** RAISE statements that report what PostgreSQL itself would report for a production table. */
import { quoteLiteral } from '../identifier.ts';
import type { Table } from '../model/table.ts';

/** A text, or an SQL expression for one that is known only at run time. */
export type MessageText = string | { readonly sql: string };

/** Converts it to an SQL expression. */
export const messageSql = (text: MessageText) =>
  typeof text === 'string' ? quoteLiteral(text) : text.sql;

/** Concatenates a message from a template. */
export function messageOf(
  parts: TemplateStringsArray,
  ...values: readonly MessageText[]
): MessageText {
  if (values.every((value) => typeof value === 'string'))
    return parts.map((part, index) => part + (values[index] ?? '')).join('');
  const pieces = parts.flatMap((part, index) => [part, values[index] ?? '']);
  return { sql: `concat(${pieces.map(messageSql).join(', ')})` };
}

interface Violation {
  readonly message: MessageText;
  readonly sqlstate: string;
  /** Absent where PostgreSQL names no table either. */
  readonly schema?: MessageText;
  readonly table?: MessageText;
  readonly column?: string;
  readonly constraint?: MessageText;
  /** An SQL expression, because it contains values. */
  readonly detail?: string;
  readonly hint?: string;
}

/** Builds the PL/pgSQL statement that raises a violation. Names are never part of a format string. */
export function raise(violation: Violation): string {
  const options = [
    `MESSAGE = ${messageSql(violation.message)}`,
    `ERRCODE = ${quoteLiteral(violation.sqlstate)}`,
  ];
  for (const name of ['schema', 'table', 'column', 'constraint', 'hint'] as const) {
    const value = violation[name];
    if (value !== undefined) options.push(`${name.toUpperCase()} = ${messageSql(value)}`);
  }
  if (violation.detail !== undefined) options.push(`DETAIL = ${violation.detail}`);
  return `RAISE EXCEPTION USING ${options.join(', ')};`;
}

/**
 * Returns a DETAIL with values of rows. With row-level security PostgreSQL omits them, because the role may not be allowed to see them.
 * @param without the DETAIL in that case; none by default
 */
export function valuesDetail(
  table: Table,
  detail: string,
  without?: MessageText,
): { readonly detail?: string } {
  if (table.policies === null) return { detail };
  return without === undefined ? {} : { detail: messageSql(without) };
}

/** Builds an SQL expression for a value as its type prints it: a cast to text would print `true` for `t` and cut padding. */
const printed = (expression: string) =>
  `CASE WHEN ${expression} IS DISTINCT FROM NULL THEN format('%s', ${expression}) END`;

/** Builds an SQL expression for values as PostgreSQL lists them in a DETAIL: `1, abc, null`. */
export function displayValues(expressions: readonly string[]): string {
  return expressions
    .map((expression) => `stage.display_value(${printed(expression)})`)
    .join(` || ', ' || `);
}

/** Builds the same for a key, where values are not truncated. */
export function displayKey(expressions: readonly string[]): string {
  return expressions
    .map((expression) => `coalesce(${printed(expression)}, 'null')`)
    .join(` || ', ' || `);
}

/** Builds the DETAIL `Key (a, b)=(1, 2)<rest>`. @param value an SQL expression */
export function keyDetail(columns: readonly string[], value: string, rest: MessageText): string {
  return `${quoteLiteral(`Key (${columns.join(', ')})=(`)} || ${value} || ${messageSql(messageOf`)${rest}`)}`;
}
