/** A partition that a statement names itself: the checks of its rows, which are staged in the shadow of the topmost table. */
import { quoteLiteral } from '../../identifier.ts';
import type { Table } from '../../model/table.ts';
import { functionName } from '../object-names.ts';
import { partitionCall } from '../partitions.ts';
import { rowCall } from '../row-functions.ts';
import type { Operation } from './after-statement.ts';
import type { RowViolation } from './row-checks.ts';
import { failingUncomputed } from './row-checks.ts';

export interface NamedPartition {
  /** Its own definition; foreign keys are those of the topmost table. */
  readonly table: Table;
  /** The condition for its rows. */
  readonly bounds: string;
  /** Maps the names of its unique indexes to those of the topmost table's indexes. */
  readonly indexes: Readonly<Record<string, string>>;
}

/** Returns the name of the function that checks whether a row belongs to the partition. */
export const withinName = ({ table }: NamedPartition) => functionName(table, 'within');

const withinCall = (root: Table, partition: NamedPartition, row: string) =>
  rowCall(withinName(partition), root.partitionColumns, row);

/**
 * Builds the condition of the partition's view: the staged row `u` of the topmost table belongs to the partition. Empty without a
 * partition.
 */
export function stagedRowIsWithin(root: Table, partition: NamedPartition | null): string {
  if (partition === null) return '';
  // guard: a partition shows no staged rows but its own
  return `\n  AND (NOT u._stage_staged OR ${withinCall(root, partition, 'u.')} IS NOT FALSE)`;
}

/**
 * Returns the checks of a row besides its constraints: whether it stays in its partition, and whether it belongs to the named partition.
 * `first` run before the constraints, `last` after them.
 */
export function partitionChecks(
  root: Table,
  partition: NamedPartition | null,
  operation: Operation,
): { readonly first: readonly RowViolation[]; readonly last: readonly RowViolation[] } {
  const moved = operation === 'update' ? movedByUpsert(root) : [];
  if (partition === null) return { first: moved, last: [] };
  const bounds = outOfBounds(root, partition);
  if (operation === 'update') return { first: [...moved, bounds], last: [] };
  if (partition.table.kind === 'table') return { first: [], last: [bounds] };
  // a row that is routed to a partition below has no generated columns computed yet
  return { first: [{ ...bounds, detail: () => failingUncomputed(partition.table) }], last: [] };
}

/** Returns the violation of a row that does not belong to the partition. */
function outOfBounds(root: Table, partition: NamedPartition): RowViolation {
  const { schema, name } = partition.table;
  return {
    // guard: a partition that is named takes no rows but its own
    condition: `${withinCall(root, partition, 'NEW.')} IS FALSE`,
    violation: {
      schema,
      table: name,
      message: `new row for relation "${name}" violates partition constraint`,
      sqlstate: '23514',
    },
  };
}

/** Returns the violation of a row that ON CONFLICT DO UPDATE would move to another partition. */
function movedByUpsert(root: Table): RowViolation[] {
  if (root.kind !== 'partitioned') return [];
  return [
    {
      condition: `(pg_trigger_depth() > 1 AND current_setting('stage.check_later', true) = 'on'
      AND coalesce(current_setting('stage.conflict_${root.oid}', true), '') <> ''
      AND ${partitionCall(root)} IS DISTINCT FROM ${partitionCall(root, 'OLD.')})`,
      violation: { message: 'invalid ON UPDATE specification', sqlstate: '0A000' },
      detail: () =>
        quoteLiteral(
          'The result tuple would appear in a different partition than the original tuple.',
        ),
    },
  ];
}
