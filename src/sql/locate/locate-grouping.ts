/**
 * Analyzes GROUP BY in a SELECT's parse tree. If a query groups by a table's primary key, it may also use the table's other columns.
 * PostgreSQL applies that rule to tables, not to the views that replace them, so these columns must be added to GROUP BY.
 * https://www.postgresql.org/docs/current/sql-select.html#SQL-GROUPBY
 */
import type { ColumnRef, Node, RangeVar, SelectStmt } from 'libpg-query';
import type { Notes } from '../classify/query-notes.ts';
import { groupedTooDeeply } from '../classify/refused-parts.ts';
import type { Source } from '../classify/relation-uses.ts';
import { locateRelation, rangesOf } from '../classify/relation-uses.ts';
import type { Effort } from '../parser/syntax-tree.ts';
import { collectNodes, textsOf } from '../parser/syntax-tree.ts';
import type { ColumnName, GroupedRange, Grouping } from './grouping.ts';

/** Records what a SELECT groups by. The contents of nested groupings are visited once per level. */
export function noteGrouping(select: SelectStmt, { source, notes }: Place): void {
  const grouping = locateGrouping(select, source, notes.effort);
  if (grouping) notes.groupings.push(grouping);
  // guard: nested groupings are visited a bounded number of times
  if (notes.effort.left <= 0) notes.refusal ??= groupedTooDeeply;
}

interface Place {
  readonly source: Source;
  readonly notes: Notes;
}

/**
 * Returns what a SELECT groups by; null if PostgreSQL ignores keys: without a GROUP BY of columns, or with grouping sets. The result is
 * incomplete if no effort is left afterwards.
 */
function locateGrouping(select: SelectStmt, source: Source, effort: Effort): Grouping | null {
  const elements = (select.groupClause ?? []).flatMap(elementsOf);
  if (elements.some((element) => 'GroupingSet' in element)) return null;
  const outputs = new Outputs(select);
  const grouped = elements.flatMap((element) => columnBehind(element, outputs));
  const [first] = grouped;
  const ranges = (select.fromClause ?? [])
    .flatMap(rangesOf)
    .flatMap((range) => rangeOf(range, source));
  if (first === undefined || ranges.length === 0) return null;
  const { targetList, havingClause, sortClause, windowClause, distinctClause } = select;
  const used = [targetList, havingClause, sortClause, windowClause, distinctClause];
  const columns = collectNodes(used, 'ColumnRef', effort) as ColumnRef[];
  return {
    start: first.location - source.offset,
    ranges,
    by: grouped.flatMap((element) => element.columns),
    uses: columns.map(nameOf),
    rows: columns.flatMap((column) => rowOf(column, outputs.columns.has(column))),
  };
}

/** Expands `GROUP BY (a, b)` to `GROUP BY a, b`. */
function elementsOf(node: Node): Node[] {
  const isList = 'RowExpr' in node && node.RowExpr.row_format === 'COERCE_IMPLICIT_CAST';
  return isList ? (node.RowExpr.args ?? []).flatMap(elementsOf) : [node];
}

interface Grouped {
  readonly location: number;
  readonly columns: readonly ColumnName[];
}

/** Returns the columns that an element may refer to: by its own name, by the name of an output column, or by its number. */
function columnBehind(element: Node, outputs: Outputs): Grouped[] {
  if ('A_Const' in element) {
    const { ival, location = 0 } = element.A_Const;
    const columns = outputs.numbered(ival?.ival ?? 0);
    return columns === null ? [] : [{ location, columns }];
  }
  if (!('ColumnRef' in element)) return [];
  const { ColumnRef: column } = element;
  const own = nameOf(column);
  const output = own.range === null && own.column !== null ? outputs.named.get(own.column) : [];
  return [{ location: column.location ?? 0, columns: [own, ...(output ?? [])] }];
}

/** The output columns of a SELECT that are plain columns. */
class Outputs {
  readonly columns: ReadonlySet<ColumnRef>;
  readonly named: ReadonlyMap<string, readonly ColumnName[]>;
  private readonly list: readonly (ColumnRef | undefined)[];
  private readonly star: number;

  constructor({ targetList = [] }: SelectStmt) {
    this.list = targetList.map(outputOf);
    this.columns = new Set(this.list.flatMap((column) => column ?? []));
    this.star = this.list.findIndex((column) => column && nameOf(column).column === null);
    // Of several outputs with one name, the first one counts.
    const names = targetList.map((node) => ('ResTarget' in node ? node.ResTarget.name : undefined));
    this.named = new Map(
      names
        .flatMap((name, at) =>
          name === undefined ? [] : [[name, namesOf(this.list[at])] as const],
        )
        .reverse(),
    );
  }

  /** Returns the output column of a number; null if it is unknown, after a star. */
  numbered(number: number): ColumnName[] | null {
    return this.star >= 0 && this.star < number ? null : namesOf(this.list[number - 1]);
  }
}

/** Returns an output column if it is a plain column. */
function outputOf(node: Node | undefined): ColumnRef | undefined {
  const value = node && 'ResTarget' in node ? node.ResTarget.val : undefined;
  return value && 'ColumnRef' in value ? value.ColumnRef : undefined;
}

const namesOf = (column: ColumnRef | undefined) => (column ? [nameOf(column)] : []);

/** Returns a column's name. A schema before the range is dropped, because the aliases already identify the statement's tables. */
function nameOf({ fields = [] }: ColumnRef): ColumnName {
  const names = textsOf(fields);
  const column = names.length < fields.length ? null : (names.pop() ?? null);
  return { range: names.at(-1) ?? null, column };
}

/** Returns the range whose whole row the reference may be: its name alone, or `range.*` within an expression. */
function rowOf(column: ColumnRef, isOutput: boolean): string[] {
  const { range, column: name } = nameOf(column);
  const row = name === null && !isOutput ? range : range === null ? name : null;
  return row === null ? [] : [row];
}

/** Returns a table with the name that qualifies its columns; none if FROM renames them. */
function rangeOf(range: RangeVar, source: Source): GroupedRange[] {
  const use = locateRelation(range, source, null);
  if (use === null || range.alias?.colnames !== undefined) return [];
  return [{ relation: use.start, alias: range.alias?.aliasname ?? range.relname ?? use.name }];
}
