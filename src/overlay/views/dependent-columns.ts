/** Columns that a query may use because it groups by its table's key. They are added to its GROUP BY where a view replaces the table. */
import type { Queryable } from '../../db/database.ts';
import { quoteIdentifier } from '../../identifier.ts';
import type { ColumnName, GroupedRange, Grouping } from '../../sql/locate/grouping.ts';
import type { Replacement } from '../../sql/splice.ts';

/** The result of `stage.dependent_columns` for a table. */
export interface DependentColumns {
  readonly key: readonly string[];
  /** The columns that can be grouped by. */
  readonly others: readonly string[];
  /** Whether whole rows can be used, too. */
  readonly rows: boolean;
}

/** Reads the dependent columns of a relation; null unless it is a table with a primary key. */
export async function readDependents(tx: Queryable, oid: number): Promise<DependentColumns | null> {
  const [row] = await tx.query('SELECT stage.dependent_columns($1) AS dependents', [oid]);
  return JSON.parse(row?.['dependents'] ?? 'null') as DependentColumns | null;
}

/**
 * Adds the dependent columns that queries use to the GROUP BY clauses of a statement. The key identifies the row, so no group changes.
 * @param columnsOf returns those of the relation whose name begins at the position; null if no view replaces it, or it has no key
 */
export function completedGroupings(
  groupings: readonly Grouping[],
  columnsOf: (relation: number) => DependentColumns | null,
): Replacement[] {
  return groupings.flatMap((grouping) => {
    const known = grouping.ranges.flatMap((range) => {
      const columns = columnsOf(range.relation);
      return columns === null ? [] : [{ ...range, ...columns }];
    });
    // the name of columns that JOIN ... USING has merged means the first of them
    const owner = ({ range, column }: ColumnName) =>
      known.find(
        ({ alias, key, others }) =>
          (range === null || range === alias) &&
          (column === null || key.includes(column) || others.includes(column)),
      );
    const grouped = (range: KnownRange) =>
      range.key.every((name) =>
        grouping.by.some((by) => by.column === name && owner(by) === range),
      );
    const added = known.filter(grouped).flatMap((range) => addedColumns(range, grouping, owner));
    if (added.length === 0) return [];
    return [{ start: grouping.start, end: grouping.start, text: `${added.join(', ')}, ` }];
  });
}

type KnownRange = GroupedRange & DependentColumns;

function addedColumns(
  range: KnownRange,
  { uses, rows }: Grouping,
  owner: (name: ColumnName) => KnownRange | undefined,
): string[] {
  const alias = quoteIdentifier(range.alias);
  const isUsed = (name: string) =>
    uses.some(({ range: of, column }) =>
      column === null
        ? (of ?? range.alias) === range.alias
        : column === name && owner({ range: of, column }) === range,
    );
  // a function may take the row: `t.f`
  const isUnknown = ({ range: of, column }: ColumnName) =>
    of === range.alias && column !== null && ![...range.key, ...range.others].includes(column);
  const isWhole = range.rows && (rows.includes(range.alias) || uses.some(isUnknown));
  const columns = range.others.filter((name) => isWhole || isUsed(name)).map(quoteIdentifier);
  return [...columns, ...(isWhole ? ['*'] : [])].map((column) => `${alias}.${column}`);
}
