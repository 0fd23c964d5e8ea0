/** Random conditions, assignments and RETURNING lists. None depends on the order in which rows are stored. */
import type { Column, Table } from './schema.ts';
import type { Writer } from './statement.ts';
import { list, some } from './statement.ts';

/** Names one row at most. */
export function keyCondition(writer: Writer, table: Table, prefix = ''): string {
  return table.key
    .map((column) => `${prefix}${column.name} = ${writer.value(column, 0.02)}`)
    .join(' AND ');
}

/** Names any number of rows. */
export function condition(writer: Writer, table: Table, prefix = ''): string {
  const { random } = writer;
  const column = random.pick(table.columns);
  const ordered = table.columns.filter(({ type }) => type.ordered);
  const other = random.pick(ordered);
  const reference = table.foreignKeys.length > 0 ? random.pick(table.foreignKeys) : null;
  const conditions: (() => string)[] = [
    () => keyCondition(writer, table, prefix),
    () => keyCondition(writer, table, prefix),
    () => `${prefix}${other.name} = ${writer.value(other)}`,
    () => `${prefix}${other.name} ${random.pick(['<', '>=', '<>'])} ${writer.value(other)}`,
    () => `${prefix}${column.name} IS ${random.pick(['', 'NOT '])}NULL`,
    () => `${prefix}${other.name} IN (${writer.value(other)}, ${writer.value(other)})`,
    () =>
      `${prefix}${other.name} = (SELECT max(k.${other.name}::text)::${other.type.name} FROM ${table.name} k)`,
    () =>
      `${condition(writer, table, prefix)} ${random.pick(['AND', 'OR'])} ${condition(writer, table, prefix)}`,
    () => `NOT (${condition(writer, table, prefix)})`,
  ];
  if (reference) {
    const { parent, columns, parentColumns } = reference;
    const join = columns.map(
      ({ name }, at) => `q.${parentColumns[at]?.name} = ${prefix || `${table.name}.`}${name}`,
    );
    conditions.push(
      () =>
        `${random.pick(['', 'NOT '])}EXISTS (SELECT FROM ${parent.name} q WHERE ${join.join(' AND ')})`,
    );
  }
  return random.pick(conditions)();
}

/** Columns that may be set by an UPDATE of many rows: no unique constraint can then depend on the rows' order. */
export function freeColumns(table: Table): Column[] {
  const bound = new Set(table.uniques.flatMap(({ columns }) => columns));
  return table.columns.filter((column) => column.filled === 'given' && !bound.has(column));
}

/** An order of rows in which no two that differ are alike. */
export const ordering = ({ name, key, hasKey }: Table, alias = name): string =>
  hasKey ? list(key, `${alias}.`) : `${alias}::text`;

/** The SET list of an UPDATE; null when there is nothing to set. */
export function assignments(
  writer: Writer,
  columns: readonly Column[],
  source: (column: Column) => string,
): string | null {
  if (columns.length === 0) return null;
  const { random } = writer;
  const chosen = some(random, columns);
  const right = (column: Column) =>
    random.pick([
      () => writer.value(column),
      () => writer.value(column),
      () => column.type.change(source(column)),
      () => (column.filled === 'always' ? writer.value(column) : 'DEFAULT'),
    ])();
  if (chosen.length > 1 && random.chance(0.3))
    return `(${list(chosen)}) = (${chosen.map(right).join(', ')})`;
  return chosen.map((column) => `${column.name} = ${right(column)}`).join(', ');
}

/** A RETURNING clause, or nothing. */
export function returning(writer: Writer, table: Table, prefix = ''): string {
  const { random, major } = writer;
  if (random.chance(0.45)) return '';
  const column = random.pick(table.columns);
  const items = [
    () => (prefix === '' ? '*' : `${prefix}*`),
    () => list(some(random, table.columns), prefix),
    () => `${column.type.change(prefix + column.name)} AS changed, ${prefix}${column.name}`,
    () =>
      `${prefix}${column.name} IS NULL AS empty, (SELECT count(*) FROM ${table.name}) AS before`,
  ];
  // an upsert, whose rows have a name of their own, cannot give the old row
  if (major >= 18 && prefix === '') {
    items.push(() => `old.${column.name} AS was, new.${column.name} AS is`);
    if (random.chance(0.1))
      return ` RETURNING WITH (OLD AS o, NEW AS n) ${list(table.key, 'o.')}, n.${column.name}`;
  }
  return ` RETURNING ${random.pick(items)()}`;
}
