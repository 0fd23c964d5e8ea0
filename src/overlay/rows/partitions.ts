/** Which table PostgreSQL names in an error about a row: the partition that takes the row, not the root that the client names. */
import { quoteLiteral } from '../../db/identifier.ts';
import type { ForeignKey, Table, Unique } from '../../model/table.ts';
import { columnNames, functionName } from '../object-names.ts';
import type { Told } from './raise.ts';
import { rowCall } from './row-functions.ts';

/**
 * An SQL expression for the OID of the partition that takes a row; of an ordinary table it means nothing.
 * @param row gives a column's value; NEW's unless told otherwise
 */
export function partitionOf(table: Table, row: string = 'NEW.'): string {
  if (table.kind !== 'partitioned') return 'NULL::oid';
  // a partition may have gone since the row was staged
  return `coalesce(${partitionCall(table, row)}, ${table.oid})`;
}

/** The same, null where no partition takes it. */
export const partitionCall = (table: Table, row = 'NEW.') =>
  rowCall(functionName(table, 'partition'), columnNames(table), row);

/** What an error says of the table. */
export function placeAt(table: Table, partition: string): { schema: Told; table: Told } {
  if (table.kind !== 'partitioned') return { schema: table.schema, table: table.name };
  return {
    schema: { sql: `stage.schema_of(${partition})` },
    table: { sql: `stage.name_of(${partition})` },
  };
}

/**
 * What it says of a foreign key of the table, or to it.
 * @param child an SQL expression for the partition, or the table, that refers to the other one
 * @param parent the same for the one that is referred to
 */
export function foreignKeyAt(
  table: Table,
  { name, child: { oid } }: ForeignKey,
  child: string | number,
  parent: string | number,
): Told {
  if (table.kind !== 'partitioned') return name;
  return {
    sql: `stage.foreign_key_of_partition(${oid}, ${quoteLiteral(name)}, ${child}, ${parent})`,
  };
}

/** What it says of a unique index. */
export function indexAt(table: Table, { name, oid }: Unique, partition: string): Told {
  if (table.kind !== 'partitioned') return name;
  return { sql: `stage.index_of_partition(${oid}, ${partition})` };
}
