/**
 * GROUP BY of a table's primary key, which lets a query use the table's other columns, too: PostgreSQL knows that of tables,
 * not of views that stand for them, so that there these columns have to be named. Here is what that takes of a SELECT's tree.
 * https://www.postgresql.org/docs/current/sql-select.html#SQL-GROUPBY
 */
import type { ColumnRef, Node, RangeVar, SelectStmt } from 'libpg-query';
import type { Source } from '../classify/relation-uses.ts';
import { locateRelation, rangesOf } from '../classify/relation-uses.ts';
import { collectNodes, textsOf } from '../parser/syntax-tree.ts';
import type { ColumnName, GroupedRange, Grouping } from './grouping.ts';

/**
 * Gives what a SELECT groups by, or null where PostgreSQL looks at no key: there is no GROUP BY of columns, or one of several
 * grouping sets.
 */
export function locateGrouping(select: SelectStmt, source: Source): Grouping | null {
  const elements = (select.groupClause ?? []).flatMap(elementsOf);
  if (elements.some((element) => 'GroupingSet' in element)) return null;
  const grouped = elements.flatMap((element) => columnBehind(element, select));
  const [first] = grouped;
  const ranges = (select.fromClause ?? [])
    .flatMap(rangesOf)
    .flatMap((range) => rangeOf(range, source));
  if (first === undefined || ranges.length === 0) return null;
  const { targetList = [], havingClause, sortClause, windowClause, distinctClause } = select;
  const used = [targetList, havingClause, sortClause, windowClause, distinctClause];
  const columns = collectNodes(used, 'ColumnRef') as ColumnRef[];
  const outputs = targetList.map(outputOf);
  return {
    start: first.location - source.offset,
    ranges,
    by: grouped.flatMap((element) => element.columns),
    uses: columns.map(nameOf),
    rows: columns.flatMap((column) => rowOf(column, outputs.includes(column))),
  };
}

/** `GROUP BY (a, b)` is `GROUP BY a, b`. */
function elementsOf(node: Node): Node[] {
  const isList = 'RowExpr' in node && node.RowExpr.row_format === 'COERCE_IMPLICIT_CAST';
  return isList ? (node.RowExpr.args ?? []).flatMap(elementsOf) : [node];
}

interface Grouped {
  readonly location: number;
  readonly columns: readonly ColumnName[];
}

/** The columns that an element may mean: by its own name, by that of an output column, or by its number. */
function columnBehind(element: Node, { targetList = [] }: SelectStmt): Grouped[] {
  if ('A_Const' in element) {
    const { ival, location = 0 } = element.A_Const;
    // behind a star nobody can tell which column has a number
    const before = targetList.slice(0, ival?.ival ?? 0).map(outputOf);
    const hasStar = before.some((column) => column && nameOf(column).column === null);
    return hasStar ? [] : [{ location, columns: namesOf(before.at(-1)) }];
  }
  if (!('ColumnRef' in element)) return [];
  const { ColumnRef: column } = element;
  const own = nameOf(column);
  const output = targetList.find(
    (node) => 'ResTarget' in node && own.range === null && node.ResTarget.name === own.column,
  );
  return [{ location: column.location ?? 0, columns: [own, ...namesOf(outputOf(output))] }];
}

/** What an output column is, where it is nothing but a column. */
function outputOf(node: Node | undefined): ColumnRef | undefined {
  const value = node && 'ResTarget' in node ? node.ResTarget.val : undefined;
  return value && 'ColumnRef' in value ? value.ColumnRef : undefined;
}

const namesOf = (column: ColumnRef | undefined) => (column ? [nameOf(column)] : []);

/** A schema before the range says no more: the statement's tables are told apart by their aliases. */
function nameOf({ fields = [] }: ColumnRef): ColumnName {
  const names = textsOf(fields);
  const column = names.length < fields.length ? null : (names.pop() ?? null);
  return { range: names.at(-1) ?? null, column };
}

/** The range whose row it may be: called by its name alone, or with a star within an expression. */
function rowOf(column: ColumnRef, isOutput: boolean): string[] {
  const { range, column: name } = nameOf(column);
  const row = name === null && !isOutput ? range : range === null ? name : null;
  return row === null ? [] : [row];
}

/** A table under the name by which its columns are called; none whose columns the FROM renames. */
function rangeOf(range: RangeVar, source: Source): GroupedRange[] {
  const use = locateRelation(range, source, null);
  if (use === null || range.alias?.colnames !== undefined) return [];
  return [{ relation: use.start, alias: range.alias?.aliasname ?? use.name }];
}
