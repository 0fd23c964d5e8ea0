/** Which partition takes a row: what foreign keys and errors tell of it, where the client names the root. */
import { quoteIdentifier, quoteLiteral } from '../../db/identifier.ts';
import type { ForeignKey, ForeignKeyEnd, Table, Unique } from '../../model/table.ts';
import { functionName, oldColumnName, oldColumns, partitionsName } from '../object-names.ts';
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
  rowCall(functionName(table, 'partition'), table.partitionColumns, row);

/** A shadow row's values as they were before its change, where they are kept, else as they are. */
const valuesBefore = (table: Table, columns: readonly string[], row: string) =>
  columns.map((name) =>
    oldColumns(table).includes(name)
      ? row + oldColumnName(table, name)
      : row + quoteIdentifier(name),
  );

/**
 * The partition that an updated row was in, as an expression over its shadow row. Columns that decide on the partition are part of
 * every key of the table as a whole, and kept where others refer to single partitions.
 */
export const partitionBefore = (table: Table, row: string) =>
  `${functionName(table, 'partition')}(${valuesBefore(table, table.partitionColumns, row).join(', ')})`;

/** An SQL condition behind others: the row is in one of the partitions at this end of a foreign key, if it is of single ones. */
export function andWithin(end: ForeignKeyEnd, row: string): string {
  // guard: a foreign key of single partitions is judged for their rows alone
  if (end.partitions === null) return '';
  return ` AND ${withinCall(end, columnsOf(end.partitions.columns, row))}`;
}

/** The same of an updated shadow row before its change. */
export function andWasWithin(table: Table, end: ForeignKeyEnd, row: string): string {
  if (end.partitions === null) return '';
  return ` AND ${withinCall(end, valuesBefore(table, end.partitions.columns, row))}`;
}

/**
 * The same of given values.
 * @param values SQL expressions for the columns that decide on the partition
 */
export const withinCall = ({ oid, partitions }: ForeignKeyEnd, values: readonly string[]) =>
  `${partitionsName(oid, partitions?.oids ?? [])}(${values.join(', ')})`;

const columnsOf = (names: readonly string[], row: string) =>
  names.map((name) => row + quoteIdentifier(name));

/** What an error says of the table. */
export function placeAt(table: Table, partition: string): { schema: Told; table: Told } {
  if (table.kind !== 'partitioned') return { schema: table.schema, table: table.name };
  return relationAt(partition);
}

const relationAt = (relation: string) => ({
  schema: { sql: `stage.schema_of(${relation})` },
  table: { sql: `stage.name_of(${relation})` },
});

/** An SQL array of the constraints that a foreign key is. */
const constraintsOf = ({ constraints }: ForeignKey) => `'{${constraints.join(',')}}'::oid[]`;

/**
 * What an error says of a foreign key of the table, or to it.
 * @param child an SQL expression for the partition, or the table, that refers to the other one
 * @param parent the same for the one that is referred to
 */
export function foreignKeyAt(
  table: Table,
  foreignKey: ForeignKey,
  child: string | number,
  parent: string | number,
): Told {
  const { name } = foreignKey;
  if (table.kind !== 'partitioned' && foreignKey.child.partitions === null) return name;
  return {
    sql: `stage.foreign_key_of_partition(${constraintsOf(foreignKey)}, ${quoteLiteral(name)}, ${child}, ${parent})`,
  };
}

/**
 * What it says of the table that refers to another one.
 * @param partition an SQL expression for the partition that holds the row
 * @returns `relation` as an SQL expression for its OID
 */
export function referringAt(foreignKey: ForeignKey, partition: string) {
  const { oid, schema, name, partitions } = foreignKey.child;
  if (partitions === null) return { relation: String(oid), schema, table: name };
  const relation = `stage.referring_partition(${constraintsOf(foreignKey)}, ${partition})`;
  return { relation, ...relationAt(relation) };
}

/** An SQL expression for the partition that holds a row of what refers to another table; null where that is of no interest. */
export const referringPartition = ({ oid, partitions }: ForeignKeyEnd, row: string) =>
  partitions === null
    ? 'NULL::oid'
    : rowCall(functionName({ oid }, 'partition'), partitions.columns, row);

/** What an error calls the table that is referred to, if a foreign key refers to a single partition of it. */
export const referredName = ({ name, partitions }: ForeignKeyEnd): Told =>
  partitions === null ? name : { sql: `stage.name_of(${partitions.oids[0]})` };

/** A statement before a foreign key of single partitions is judged: what is known of their bounds must still hold. Else none. */
export const demandPartitions = ({ oid, partitions }: ForeignKeyEnd) =>
  // guard: foreign keys of partitions are judged by the bounds that these have
  partitions === null ? '' : `  PERFORM stage.demand_current(${oid});\n`;

/** What it says of a unique index. */
export function indexAt(table: Table, { name, oid }: Unique, partition: string): Told {
  if (table.kind !== 'partitioned') return name;
  return { sql: `stage.index_of_partition(${oid}, ${partition})` };
}
