/** Random SELECTs whose answer does not depend on the order in which rows are stored. */
import { condition, ordering } from './expressions.ts';
import type { Table } from './schema.ts';
import { list } from './statement.ts';
import type { Shape } from './writes.ts';

const plain: Shape = (writer, table) =>
  `SELECT * FROM ${table.name} WHERE ${condition(writer, table)}${writer.random.pick(['', '', '', ' FOR UPDATE', ' FOR SHARE'])}`;

const ordered: Shape = (writer, table) =>
  `SELECT ${list(table.columns)} FROM ${table.name} ORDER BY ${ordering(table)} LIMIT ${1 + writer.random.below(5)} OFFSET ${writer.random.below(3)}`;

const joined: Shape = (writer, table) => {
  const [reference] = table.foreignKeys;
  if (!reference) return null;
  const { parent, columns, parentColumns } = reference;
  const on = columns
    .map(({ name }, at) => `c.${name} = p.${parentColumns[at]?.name}`)
    .join(' AND ');
  const kind = writer.random.pick(['JOIN', 'LEFT JOIN', 'FULL JOIN']);
  return `SELECT ${list(table.key, 'c.')}, ${list(parent.key, 'p.')} FROM ${table.name} c ${kind} ${parent.name} p ON ${on}`;
};

const grouped: Shape = ({ random }, table) => {
  const column = random.pick(table.columns.filter(({ type }) => type.ordered));
  return `SELECT ${column.name}, count(*), min(${table.key[0]?.name}::text) FROM ${table.name} GROUP BY ${column.name} HAVING count(*) > ${random.below(2)}`;
};

/** By a key, which says what the other columns are. */
const keyed: Shape = ({ random }, table) => {
  if (!table.hasKey) return null;
  const columns = table.columns.filter(({ type }) => type.ordered);
  const filter = random.pick(['', ` HAVING t.${random.pick(columns).name} IS NOT NULL`]);
  return `SELECT ${list(columns, 't.')}, count(*) FROM ${table.name} t GROUP BY ${list(table.key, 't.')}${filter}`;
};

const nested: Shape = (writer, table) =>
  `WITH part AS (SELECT * FROM ${table.name} WHERE ${condition(writer, table)}) SELECT row_to_json(p)::text, (SELECT count(*) FROM part) FROM part p`;

const windowed: Shape = (_, table) =>
  `SELECT ${list(table.key)}, row_number() OVER (ORDER BY ${ordering(table)}), count(*) OVER () FROM ${table.name}`;

const united: Shape = (writer, table) => {
  const column = writer.random.pick(table.columns);
  const arm = () =>
    `SELECT ${column.name}::text FROM ${table.name} WHERE ${condition(writer, table)}`;
  return `${arm()} ${writer.random.pick(['UNION', 'UNION ALL', 'EXCEPT', 'INTERSECT ALL'])} ${arm()}`;
};

export const reads: readonly Shape[] = [
  plain,
  ordered,
  joined,
  grouped,
  keyed,
  nested,
  windowed,
  united,
];

/** For a cursor: always in the same order. */
export const orderedRead: Shape = ordered;

/** All rows of a table. */
export const everything = (table: Table): string => `SELECT * FROM ${table.name}`;
