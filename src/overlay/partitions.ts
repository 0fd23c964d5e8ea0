/** The partition of a row, as foreign keys and errors report it when the client names the root. */
import { quoteIdentifier, quoteLiteral } from '../identifier.ts';
import type { ForeignKey, ForeignKeyEnd, Table, Unique } from '../model/table.ts';
import {
  functionName,
  oldColumnName,
  oldColumns,
  partitionsName,
  placeName,
} from './object-names.ts';
import type { MessageText } from './raise.ts';
import { rowCall } from './row-functions.ts';

/**
 * Builds an SQL expression for the OID of the partition of a row; null for an ordinary table.
 * @param row prefix of the row's columns
 */
export function partitionOf(table: Table, row: string = 'NEW.'): string {
  if (table.kind !== 'partitioned') return 'NULL::oid';
  // the partition may have been dropped since the row was staged
  return `coalesce(${partitionCall(table, row)}, ${table.oid})`;
}

/** Builds the same expression, null if no partition takes the row. */
export const partitionCall = (table: Table, row = 'NEW.') =>
  rowCall(functionName(table, 'partition'), table.partitionColumns, row);

/** Builds the same call for triggers, which run with the rights of the client. The table must be one whose triggers fire in partitions. */
export const placeCall = (table: Table, row: string) =>
  rowCall(placeName(table), table.partitionColumns, row);

/** Lists a shadow row's values from before its change where they are stored, else its current ones. */
const valuesBefore = (table: Table, columns: readonly string[], row: string) =>
  columns.map((name) =>
    oldColumns(table).includes(name)
      ? row + oldColumnName(table, name)
      : row + quoteIdentifier(name),
  );

/**
 * Builds an expression over a shadow row for the partition that the row was in before its update. The columns that determine the partition
 * are part of every key of the whole table, and they are stored where foreign keys refer to single partitions.
 */
export const partitionBefore = (table: Table, row: string) =>
  `${functionName(table, 'partition')}(${valuesBefore(table, table.partitionColumns, row).join(', ')})`;

/**
 * Builds a condition to append to others: the row is in one of the partitions at this end of a foreign key. Empty unless the end is single
 * partitions.
 */
export function andWithin(end: ForeignKeyEnd, row: string): string {
  // guard: a foreign key of single partitions is checked for their rows alone
  if (end.partitions === null) return '';
  return ` AND ${withinCall(end, columnsOf(end.partitions.columns, row))}`;
}

/** Builds the same condition for an updated shadow row as it was before its change. */
export function andWasWithin(table: Table, end: ForeignKeyEnd, row: string): string {
  if (end.partitions === null) return '';
  return ` AND ${withinCall(end, valuesBefore(table, end.partitions.columns, row))}`;
}

/**
 * Builds the same condition for given values.
 * @param values SQL expressions for the columns that determine the partition
 */
export const withinCall = ({ oid, partitions }: ForeignKeyEnd, values: readonly string[]) =>
  `${partitionsName(oid, partitions?.oids ?? [])}(${values.join(', ')})`;

const columnsOf = (names: readonly string[], row: string) =>
  names.map((name) => row + quoteIdentifier(name));

/** Returns the schema and table that an error reports for a row. @param partition an SQL expression for the row's partition */
export function placeAt(
  table: Table,
  partition: string,
): { schema: MessageText; table: MessageText } {
  if (table.kind !== 'partitioned') return { schema: table.schema, table: table.name };
  return relationAt(partition);
}

const relationAt = (relation: string) => ({
  schema: { sql: `stage.schema_of(${relation})` },
  table: { sql: `stage.name_of(${relation})` },
});

/** Builds an SQL array of the constraints that make up a foreign key. */
const constraintsOf = ({ constraints }: ForeignKey) => `'{${constraints.join(',')}}'::oid[]`;

/**
 * Returns the constraint name that an error reports for a foreign key of the table, or to it.
 * @param child an SQL expression for the referring partition or table
 * @param parent the same for the referenced one
 */
export function foreignKeyAt(
  table: Table,
  foreignKey: ForeignKey,
  child: string | number,
  parent: string | number,
): MessageText {
  const { name } = foreignKey;
  if (table.kind !== 'partitioned' && foreignKey.child.partitions === null) return name;
  return {
    sql: `stage.foreign_key_of_partition(${constraintsOf(foreignKey)}, ${quoteLiteral(name)}, ${child}, ${parent})`,
  };
}

/**
 * Returns what an error reports of the referring table.
 * @param partition an SQL expression for the partition that holds the row
 * @returns its schema and name, and `relation`, an SQL expression for its OID
 */
export function referringAt(foreignKey: ForeignKey, partition: string) {
  const { oid, schema, name, partitions } = foreignKey.child;
  if (partitions === null) return { relation: String(oid), schema, table: name };
  const relation = `stage.referring_partition(${constraintsOf(foreignKey)}, ${partition})`;
  return { relation, ...relationAt(relation) };
}

/**
 * Builds an SQL expression for the partition that holds a row of the referring table; null if the foreign key is not of single partitions.
 */
export const referringPartition = ({ oid, partitions }: ForeignKeyEnd, row: string) =>
  partitions === null
    ? 'NULL::oid'
    : rowCall(functionName({ oid }, 'partition'), partitions.columns, row);

/** Returns the name that an error reports for the referenced table: that of the partition if the foreign key refers to a single one. */
export const referredName = ({ name, partitions }: ForeignKeyEnd): MessageText =>
  partitions === null ? name : { sql: `stage.name_of(${partitions.oids[0]})` };

/**
 * Builds a statement to run before a foreign key of single partitions is checked: it verifies that their recorded bounds still hold. Else
 * empty.
 */
export const demandPartitions = ({ oid, partitions }: ForeignKeyEnd) =>
  // guard: foreign keys of partitions are checked by the present bounds
  partitions === null ? '' : `  PERFORM stage.demand_current(${oid});\n`;

/** Returns the name that an error reports for a unique index. */
export function indexAt(table: Table, { name, oid }: Unique, partition: string): MessageText {
  if (table.kind !== 'partitioned') return name;
  return { sql: `stage.index_of_partition(${oid}, ${partition})` };
}
