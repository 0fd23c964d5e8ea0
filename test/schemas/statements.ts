/** Statements for any table: rows to begin with, and the ordinary writes of a day. */
import { quoteIdentifier } from '../../src/identifier.ts';
import type { Column, Table } from './tables.ts';
import type { Choice, Types } from './values.ts';
import { valueFor } from './values.ts';

const literal = (text: string | null) =>
  text === null ? 'NULL' : `'${text.replaceAll("'", "''")}'`;

/** The forms of a row, from a full one to one of which nothing is set but what has to be. */
const forms = (['typical', 'constant'] as const).flatMap((choice) =>
  [true, false].map((isFull) => ({ choice, isFull })),
);
type Form = (typeof forms)[number];

function insert(
  types: Types,
  { name, key, columns }: Table,
  number: number,
  { choice, isFull }: Form,
): string {
  const isSet = (column: Column) =>
    !column.isGenerated && (isFull || column.isRequired || key.includes(column.name));
  const set = columns.filter(isSet);
  const values = set.map((column) => literal(valueFor(types, column, number, choice)));
  const names = set.map((column) => quoteIdentifier(column.name));
  if (set.length === 0) return `INSERT INTO ${name} DEFAULT VALUES`;
  return `INSERT INTO ${name} (${names.join(', ')}) OVERRIDING SYSTEM VALUE VALUES (${values.join(', ')})`;
}

/** Returns the ways to insert a row, of which the first that works is taken. */
export const waysToInsert = (types: Types, table: Table, number: number) =>
  forms.map((form) => insert(types, table, number, form));

function condition(types: Types, { key, columns }: Table, number: number, choice: Choice): string {
  const named = columns.filter(({ name }) => key.includes(name));
  return named
    .map(
      (column) =>
        `${quoteIdentifier(column.name)} = ${literal(valueFor(types, column, number, choice))}`,
    )
    .join(' AND ');
}

/** Returns the writes that leave rows: by key and as a whole, with what the table sets itself, and with conflicts. */
export function writesOf(types: Types, table: Table): string[] {
  const { name, key, columns } = table;
  const isFree = ({ isKey, isGenerated }: Column) => !isKey && !isGenerated;
  const free = columns.filter((column) => isFree(column) && !key.includes(column.name));
  const set = (column: Column, number: number) =>
    `${quoteIdentifier(column.name)} = ${literal(valueFor(types, column, number, 'constant'))}`;
  const [first, ...rest] = free;
  const third = insert(types, table, 3, { choice: 'constant', isFull: true });
  return [
    `SELECT * FROM ${name}`,
    ...(first ? [`UPDATE ${name} SET ${set(first, 4)}`] : []),
    ...rest.slice(0, 3).map((column) => `UPDATE ${name} SET ${set(column, 5)} RETURNING *`),
    ...(first && key.length > 0
      ? [`UPDATE ${name} SET ${set(first, 6)} WHERE ${condition(types, table, 2, 'typical')}`]
      : []),
    `${third} RETURNING *`,
    `${third} ON CONFLICT DO NOTHING`,
    `INSERT INTO ${name} DEFAULT VALUES`,
    `SELECT * FROM ${name}`,
  ];
}

/** Returns the deletes of a table. */
export function deletesOf(types: Types, table: Table): string[] {
  const { name, key } = table;
  const byKey = `DELETE FROM ${name} WHERE ${condition(types, table, 1, 'typical')} RETURNING *`;
  return [
    ...(key.length > 0 ? [byKey] : []),
    `DELETE FROM ${name}`,
    `SELECT count(*) FROM ${name}`,
  ];
}
