/** Columns that a query may use because it groups by its table's key: named in its GROUP BY where a view stands for the table. */
import type { Queryable } from '../../db/database.ts';
import { quoteIdentifier } from '../../db/identifier.ts';
import type { ColumnName, GroupedRange, Grouping } from '../../sql/locate/grouping.ts';
import type { Replacement } from '../../sql/splice.ts';

/** What stage.dependent_columns says of a table. */
export interface DependentColumns {
  readonly key: readonly string[];
  /** Those by which one can group. */
  readonly others: readonly string[];
  /** Whether that goes for whole rows, too. */
  readonly rows: boolean;
}

/** Gives those of a relation; null where it is no table with a primary key. */
export async function readDependents(tx: Queryable, oid: number): Promise<DependentColumns | null> {
  const [row] = await tx.query('SELECT stage.dependent_columns($1) AS dependents', [oid]);
  return JSON.parse(row?.['dependents'] ?? 'null') as DependentColumns | null;
}

/**
 * Adds to the GROUP BY clauses of a statement what their queries use. As the key says which row it is, no group changes.
 * @param columnsOf those of the relation whose name begins there; null where no view stands for it, or it has no key
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
    // of columns that JOIN ... USING has made one, the first is meant
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
  const isWhole = range.rows && rows.includes(range.alias);
  const columns = range.others.filter(isUsed).map(quoteIdentifier);
  return [...columns, ...(isWhole ? ['*'] : [])].map((column) => `${alias}.${column}`);
}
