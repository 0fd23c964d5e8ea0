/**
 * The view that stands for a partition that a statement names: it shows the partition's rows, which are staged in the shadow of the topmost
 * table.
 */
import { readTable } from '../../db/catalog-reader.ts';
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import type { Table } from '../../model/table.ts';
import { shownName } from '../../model/table.ts';
import { overlayName } from '../object-names.ts';
import { rowFunctionsSql, withinFunction } from '../row-functions.ts';
import { partitionMergeSql } from '../rows/merge.ts';
import type { NamedPartition } from '../rows/named-partition.ts';
import { withinName } from '../rows/named-partition.ts';
import { partitionTriggersSql } from '../rows/triggers.ts';
import { partitionUpsertSql } from '../rows/upsert.ts';
import { defaultsSql, overlaySql } from '../rows/view.ts';
import { demandNoPolicies } from './table-source.ts';

/** The result of `stage.staged_view_definition` for a partition. */
export interface PartitionFacts {
  /** OID of the topmost table. */
  readonly root: number;
  /** The condition for its rows. */
  readonly bounds: string;
  /** Why it cannot be written to by its own name, or null. */
  readonly obstacle: string | null;
}

/**
 * Builds the view that stands for a partition. It has its own grants, policies and defaults, and checks rows by the partition's own columns
 * and constraints. The overlay of the topmost table, which must exist, handles unique indexes and foreign keys.
 * @param asOwner whether it is read with the rights of a view's owner
 * @returns the script, and the OID of the table that a write goes to: null if it cannot be written to
 * @throws StageError if it cannot be determined which of its rows a role may see
 */
export async function partitionView(
  tx: Queryable,
  oid: number,
  { root: top, bounds, obstacle }: PartitionFacts,
  server: number,
  asOwner: boolean,
): Promise<{ readonly script: string; readonly table: number | null }> {
  const [root, own] = [await defined(tx, top), await defined(tx, oid)];
  if (asOwner) demandNoPolicies(own);
  if (obstacle !== null && own.policies !== null) throw unreadable(own, obstacle);
  const partition: NamedPartition = {
    table: {
      ...own,
      ...{ references: [], referencedBy: [], partitionColumns: root.partitionColumns },
      // those of its table fire for its rows; its own, which are for statements, do not fire at approval either
      triggers: [],
    },
    bounds,
    indexes: await indexNames(tx, root, oid),
  };
  // the partition's own policies determine what an error may show
  const table = { ...root, policies: own.policies };
  const script = [
    withinFunction(table, withinName(partition), bounds),
    overlaySql(table, partition),
    ...(obstacle === null ? writing(table, partition, server) : []),
  ];
  return { script: script.join(';\n'), table: obstacle === null ? top : null };
}

const writing = (table: Table, partition: NamedPartition, server: number) => [
  ...defaultsSql(partition.table, [overlayName(partition.table)]),
  ...rowFunctionsSql(partition.table),
  ...partitionTriggersSql(table, partition),
  ...partitionUpsertSql(table, partition),
  ...partitionMergeSql(table, partition.table, server),
];

async function defined(tx: Queryable, oid: number): Promise<Table> {
  const table = await readTable(tx, oid);
  if (table === null) {
    throw new StageError('not_found', `no relation has the OID ${oid}`, { sqlstate: '42P01' });
  }
  return table;
}

/** Maps the names of a table's unique indexes in a partition to those of the table's own indexes. */
async function indexNames(
  tx: Queryable,
  { uniques }: Table,
  partition: number,
): Promise<Readonly<Record<string, string>>> {
  const rows = await tx.query(
    `SELECT stage.index_of_partition(u.oid, $1) AS own, u.name FROM jsonb_to_recordset($2) u (oid oid, name text)`,
    [partition, JSON.stringify(uniques.map(({ oid, name }) => ({ oid, name })))],
  );
  return Object.fromEntries(
    rows.flatMap(({ own, name }) => (own == null ? [] : [[own, String(name)] as const])),
  );
}

function unreadable({ schema, name }: Table, obstacle: string): StageError {
  return new StageError(
    'statement_not_supported',
    `cannot read "${shownName(schema, name)}" with what is staged: it ${obstacle}`,
    {
      hint: 'Name the partitioned table, or read production on a connection with service_reads=production.',
    },
  );
}
