/**
 * GROUP BY of a table's primary key, which lets a query use the table's other columns, too: PostgreSQL knows that of tables,
 * not of views that stand for them, so that there these columns have to be named. Here is what that takes of a SELECT's tree.
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

/** Notes what a SELECT groups by. Of groupings in one another, what is in the innermost is looked at for each of them. */
export function noteGrouping(select: SelectStmt, { source, notes }: Place): void {
  const grouping = locateGrouping(select, source, notes.effort);
  if (grouping) notes.groupings.push(grouping);
  // guard: groupings in one another are looked at as often as can be afforded
  if (notes.effort.left <= 0) notes.refusal ??= groupedTooDeeply;
}

interface Place {
  readonly source: Source;
  readonly notes: Notes;
}

/**
 * Gives what a SELECT groups by, or null where PostgreSQL looks at no key: there is no GROUP BY of columns, or one of several
 * grouping sets. It is not all where no effort is left then.
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

/** The output columns of a SELECT that are nothing but columns. */
class Outputs {
  readonly columns: ReadonlySet<ColumnRef>;
  readonly named: ReadonlyMap<string, readonly ColumnName[]>;
  private readonly list: readonly (ColumnRef | undefined)[];
  private readonly star: number;

  constructor({ targetList = [] }: SelectStmt) {
    this.list = targetList.map(outputOf);
    this.columns = new Set(this.list.flatMap((column) => column ?? []));
    this.star = this.list.findIndex((column) => column && nameOf(column).column === null);
    // of several of one name the first one counts
    const names = targetList.map((node) => ('ResTarget' in node ? node.ResTarget.name : undefined));
    this.named = new Map(
      names
        .flatMap((name, at) =>
          name === undefined ? [] : [[name, namesOf(this.list[at])] as const],
        )
        .reverse(),
    );
  }

  /** What the column of a number is; null where nobody can tell, behind a star. */
  numbered(number: number): ColumnName[] | null {
    return this.star >= 0 && this.star < number ? null : namesOf(this.list[number - 1]);
  }
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
