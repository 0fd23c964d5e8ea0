/** Keys that rows of a parent no longer have: the shadow rows that record this, and the rows of the child that referred to them. */
import type { ForeignKey, Table } from '../../model/table.ts';
import { oldColumnName, oldColumns } from '../object-names.ts';
import { andWasWithin, andWithin, partitionBefore, partitionOf } from '../partitions.ts';
import { same } from '../row-identity.ts';
import { pairs } from './foreign-keys.ts';

/**
 * How a parent's row lost a key: it was deleted, it was updated to another key, or it left the partition that the foreign key refers to,
 * which PostgreSQL treats as a deletion.
 */
export type ParentEvent = 'delete' | 'update' | 'leave';

/** Returns the events for which a foreign key is checked when rows of its parent are updated. */
export const eventsOfUpdate = ({ parent: { partitions } }: ForeignKey): readonly ParentEvent[] =>
  partitions?.areLeaves ? ['leave', 'update'] : ['update'];

/** Returns the foreign key's action for the event. */
export const actionOf = ({ onDelete, onUpdate }: ForeignKey, event: ParentEvent) =>
  event === 'update' ? onUpdate : onDelete;

/** Lists the values of the vanished key, as expressions over a shadow row. */
export function vanishedKey(table: Table, foreignKey: ForeignKey, event: ParentEvent, row = 'd') {
  return pairs(foreignKey).map(({ parent, parentName }) =>
    event === 'delete' ? `${row}.${parent}` : `${row}.${oldColumnName(table, parentName)}`,
  );
}

/**
 * Builds an expression over the shadow row `d` for the partition that had the key; the root for a row that has moved to another partition.
 */
export function vanishedFrom(table: Table, event: ParentEvent): string {
  if (event === 'delete' || table.kind !== 'partitioned') return partitionOf(table, 'd.');
  const from = partitionBefore(table, 'd.');
  if (event === 'leave') return from;
  return `CASE WHEN ${from} = ${partitionOf(table, 'd.')} THEN ${from} ELSE ${table.oid} END`;
}

/**
 * Builds a condition that selects the updated shadow rows that are now in another partition. It is null for a table without partitions, for
 * one that nothing refers to, and where the old values that determine the partition are not stored.
 */
export function hasMoved(table: Table, row: string): string | null {
  if (table.kind !== 'partitioned' || table.referencedBy.length === 0) return null;
  const kept = oldColumns(table);
  if (!table.partitionColumns.every((name) => kept.includes(name))) return null;
  return `${partitionBefore(table, `${row}.`)} <> ${partitionOf(table, `${row}.`)}`;
}

/** Builds a condition that selects the shadow rows by which keys of this foreign key vanished. */
export function vanished(
  table: Table,
  foreignKey: ForeignKey,
  event: ParentEvent,
  rows: string,
  row = 'd',
): string {
  const { parent } = foreignKey;
  const within = andWithin(parent, `${row}.`);
  if (event === 'delete')
    return `${rows} AND ${row}._stage_op = 'D' AND ${row}._stage_origin <> 'overlay'${within}`;
  const updated = `${rows} AND ${row}._stage_op = 'U'${andWasWithin(table, parent, `${row}.`)}`;
  if (event === 'leave') return `${updated} AND NOT (true${within})`;
  const changed = pairs(foreignKey).map(
    ({ parent: column, parentName }) =>
      `NOT ${same(`${row}.${column}`, `${row}.${oldColumnName(table, parentName)}`)}`,
  );
  return `${updated}${within} AND (${changed.join(' OR ')})`;
}

/**
 * Builds a condition that matches the child's rows `o` to the shadow rows by which their key vanished.
 * @param rows condition that selects the statement's rows of the shadow table
 * @param row alias of the shadow table
 */
export function reached(
  table: Table,
  foreignKey: ForeignKey,
  event: ParentEvent,
  rows: string,
  row = 'd',
): string {
  const key = vanishedKey(table, foreignKey, event, row);
  const join = pairs(foreignKey).map(({ child, equals }, at) => `${key[at]} ${equals} o.${child}`);
  const within = andWithin(foreignKey.child, 'o.');
  return `${join.join(' AND ')}${within} AND ${vanished(table, foreignKey, event, rows, row)}`;
}
