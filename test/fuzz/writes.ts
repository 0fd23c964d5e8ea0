/** Random INSERT, UPDATE and DELETE in every shape. Each gives null when the chosen table does not allow it. */
import {
  assignments,
  condition,
  freeColumns,
  keyCondition,
  ordering,
  returning,
} from './expressions.ts';
import type { Column, Table } from './schema.ts';
import { draws } from './schema.ts';
import type { Writer } from './statement.ts';
import { list, some } from './statement.ts';

export type Shape = (writer: Writer, table: Table) => string | null;

const given = (table: Table) => table.columns.filter(({ filled }) => filled === 'given');

/** Mostly all columns, so that the row has a chance. */
function insertColumns({ random }: Writer, table: Table): Column[] {
  const columns = given(table);
  if (random.chance(0.01)) return table.columns;
  if (columns.length === 0 || random.chance(0.7)) return columns;
  const optional = columns.filter((column) => !table.key.includes(column));
  return columns.filter((column) => !optional.includes(column) || random.chance(0.6));
}

function valuesOf(writer: Writer, columns: readonly Column[]): string {
  const value = (column: Column) =>
    writer.random.chance(column.filled === 'given' ? 0.07 : 0.6) ? 'DEFAULT' : writer.value(column);
  return `(${columns.map(value).join(', ')})`;
}

/** INSERT up to its VALUES, without a RETURNING clause. */
export function insertValues(
  writer: Writer,
  table: Table,
  { rows: count = 1, alias = '' } = {},
): string | null {
  const columns = insertColumns(writer, table);
  if (columns.length === 0) return null;
  const rows = Array.from({ length: count }, () => valuesOf(writer, columns));
  return `INSERT INTO ${table.name}${alias} (${list(columns)}) VALUES ${rows.join(', ')}`;
}

const withReturning = (writer: Writer, table: Table, text: string | null): string | null =>
  text === null ? null : `${text}${returning(writer, table)}`;

const insert: Shape = (writer, table) => withReturning(writer, table, insertValues(writer, table));

const insertSeveral: Shape = (writer, table) =>
  withReturning(writer, table, insertValues(writer, table, { rows: 2 + writer.random.below(2) }));

const insertDefaults: Shape = (writer, table) =>
  withReturning(writer, table, `INSERT INTO ${table.name} DEFAULT VALUES`);

const insertOverriding: Shape = (writer, table) => {
  const { random } = writer;
  const identity = table.key.find(({ filled }) => filled === 'always' || filled === 'by default');
  if (!identity) return null;
  const columns = insertColumns(writer, table);
  const overriding = random.pick([' OVERRIDING SYSTEM VALUE', ' OVERRIDING USER VALUE', '']);
  // a row's NULL cannot be told from DEFAULT there
  const chanceOfNull = identity.filled === 'always' && overriding.includes('SYSTEM') ? 0 : 0.1;
  const values = [
    writer.value(identity, chanceOfNull),
    ...columns.map((column) => writer.value(column)),
  ];
  const text = `INSERT INTO ${table.name} (${list([identity, ...columns])})${overriding} VALUES (${values.join(', ')})`;
  return withReturning(writer, table, text);
};

/** Rows of a query, which are staged as a set where no row is to be returned. */
const insertSet: Shape = (writer, table) => {
  const { random } = writer;
  const columns = insertColumns(writer, table);
  if (columns.length === 0) return null;
  const items = columns.map((column) =>
    random.chance(0.4) ? `s.${column.name}` : writer.value(column),
  );
  const text = `INSERT INTO ${table.name} (${list(columns)}) SELECT ${items.join(', ')} FROM ${table.name} s WHERE ${condition(writer, table, 's.')} ORDER BY ${ordering(table, 's')} LIMIT ${1 + random.below(4)}`;
  return text;
};

const insertSelect: Shape = (writer, table) =>
  withReturning(writer, table, insertSet(writer, table));

const update: Shape = (writer, table) => {
  const set = assignments(writer, freeColumns(table), ({ name }) => name);
  if (set === null) return null;
  const where = writer.random.chance(0.9) ? ` WHERE ${condition(writer, table)}` : '';
  return withReturning(writer, table, `UPDATE ${table.name} SET ${set}${where}`);
};

/**
 * Any column, unique ones and the key too, of one row. Where there is no key it may be several: which draws from a sequence
 * first depends on the order in which they are stored.
 */
const updateOne: Shape = (writer, table) => {
  const columns = table.hasKey ? table.columns : table.columns.filter((each) => !draws(each));
  const settable = columns.filter(({ filled }) =>
    filled === 'computed' || filled === 'always' ? writer.random.chance(0.02) : true,
  );
  const set = assignments(writer, settable, ({ name }) => name);
  if (set === null) return null;
  return withReturning(
    writer,
    table,
    `UPDATE ${table.name} SET ${set} WHERE ${keyCondition(writer, table)}`,
  );
};

const updateFrom: Shape = (writer, table) => {
  const { random } = writer;
  const columns = freeColumns(table);
  const [reference] = random.chance(0.7) || !table.hasKey ? table.foreignKeys : [];
  if (!reference && !table.hasKey) return null;
  const other = reference ? reference.parent : table;
  // each row meets one other row at most, so that the result does not depend on which
  const pairs: [string, string][] = reference
    ? reference.columns.map(({ name }, at) => [
        `m.${name}`,
        `o.${reference.parentColumns[at]?.name}`,
      ])
    : table.key.map(({ name }) => [`m.${name}`, `o.${name}`]);
  const join = pairs.map(([mine, theirs]) => `${mine} = ${theirs}`).join(' AND ');
  const set = assignments(writer, columns, ({ name }) => `m.${name}`);
  if (set === null) return null;
  const back = random.chance(0.5)
    ? ` RETURNING ${list(table.columns, 'm.')}, ${list(other.key, 'o.')}`
    : '';
  return `UPDATE ${table.name} AS m SET ${set} FROM ${other.name} o WHERE ${join} AND (${condition(writer, table, 'm.')})${back}`;
};

const updateSelect: Shape = (writer, table) => {
  const { random } = writer;
  const columns = freeColumns(table);
  if (columns.length === 0) return null;
  const chosen = some(random, columns);
  const rows = `SELECT ${list(chosen, 's.')} FROM ${table.name} s WHERE ${keyCondition(writer, table, 's.')}`;
  const text = `UPDATE ONLY ${table.name} SET (${list(chosen)}) = (${rows}) WHERE ${condition(writer, table)}`;
  return withReturning(
    writer,
    table,
    table.partitions.length > 0 ? text.replace('ONLY ', '') : text,
  );
};

const remove: Shape = (writer, table) =>
  withReturning(writer, table, `DELETE FROM ${table.name} WHERE ${condition(writer, table)}`);

const removeOne: Shape = (writer, table) =>
  withReturning(writer, table, `DELETE FROM ${table.name} WHERE ${keyCondition(writer, table)}`);

const removeUsing: Shape = (writer, table) => {
  const [reference] = table.foreignKeys;
  if (!reference) return null;
  const { parent, columns, parentColumns } = reference;
  const join = columns.map(({ name }, at) => `m.${name} = o.${parentColumns[at]?.name}`);
  const back = writer.random.chance(0.5) ? ` RETURNING ${list(table.key, 'm.')}` : '';
  return `DELETE FROM ${table.name} m USING ${parent.name} o WHERE ${join.join(' AND ')} AND ${condition(writer, parent, 'o.')}${back}`;
};

/** Several tables in one statement; the outer one counts what the inner did. */
const writingCte: Shape = (writer, table) => {
  const { random } = writer;
  const others = writer.schema.tables.filter((other) => other !== table);
  if (others.length === 0) return null;
  const other = random.pick(others);
  const inner = random.pick([
    insertValues,
    (w: Writer, t: Table) => `DELETE FROM ${t.name} WHERE ${keyCondition(w, t)}`,
  ])(writer, other);
  if (inner === null) return null;
  const columns = freeColumns(table);
  const set = assignments(writer, columns, ({ name }) => name);
  const outer = random.pick([
    () => `SELECT count(*) FROM done`,
    () =>
      `DELETE FROM ${table.name} WHERE ${keyCondition(writer, table)} AND (SELECT count(*) FROM done) >= 0`,
    () =>
      set === null
        ? null
        : `UPDATE ${table.name} SET ${set} WHERE ${keyCondition(writer, table)} AND (SELECT count(*) FROM done) >= 0 RETURNING *`,
    () => insertValues(writer, table),
  ])();
  return outer === null ? null : `WITH done AS (${inner} RETURNING *) ${outer}`;
};

/** Wrong on purpose, each in its own way. */
const mistake: Shape = (writer, table) => {
  const { name, key } = table;
  const first = key[0]?.name;
  return writer.random.pick([
    () => `UPDATE ${name} SET nowhere = 1 WHERE ${keyCondition(writer, table)}`,
    () => `DELETE FROM ${name} WHERE nowhere = 1`,
    () => `DELETE FROM ${name} WHERE 1 / (SELECT count(*) - count(*) FROM ${name}) > 0`,
    () => `INSERT INTO ${name} (nowhere) VALUES (1)`,
    () => `UPDATE ${name} SET ${first} = NULL WHERE ${keyCondition(writer, table)}`,
    () => `UPDATE ${name} SET ${first} = DEFAULT, ${first} = DEFAULT`,
    () => `INSERT INTO nowhere VALUES (1)`,
    () => `DELETE FROM ${name} RETURNING nowhere`,
    () => `SELECT ${first} FROM ${name} GROUP BY 1 + 1`,
    () => `DELETE ${name}`,
  ])();
};

/** Those of one row: one row can violate only the constraint that PostgreSQL looks at first. */
export const writesOfOne: readonly Shape[] = [
  insert,
  insert,
  insertDefaults,
  insertOverriding,
  updateOne,
  updateOne,
  removeOne,
  mistake,
];

/** Those of many rows: which of several violations is raised depends on the order in which rows are stored. */
export const writesOfMany: readonly Shape[] = [
  insertSeveral,
  insertSet,
  insertSelect,
  update,
  update,
  updateFrom,
  updateSelect,
  remove,
  removeUsing,
  writingCte,
];
