/** Locks on a session's keys that foreign keys refer to. Rows that refer to a key take them, and so do changes that remove it. */
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { ForeignKey, Table } from '../../model/table.ts';
import { shadowName } from '../object-names.ts';
import { displayKey } from '../raise.ts';
import { same } from '../row-identity.ts';

/** Returns the name of a key's lock, the same on both sides of a foreign key. */
const lockScope = ({ parent, hasPeriod }: ForeignKey) =>
  quoteLiteral([parent.oid, ...parent.columns, ...(hasPeriod ? ['PERIOD'] : [])].join('.'));

/** Returns the locked part of a key: without the period, because overlapping periods belong to one key. */
const locked = <Value>({ hasPeriod }: ForeignKey, key: readonly Value[]) =>
  hasPeriod ? key.slice(0, -1) : key;

/** The maximum number of a statement's rows that are searched for keys to lock, and so the maximum number of its locked keys. */
const maxLockedRows = 1000;

/** Builds the statement that locks the keys that staged rows refer to. It runs before they are looked up, as PostgreSQL locks the rows. */
export function lockReferences(
  table: Table,
  foreignKey: ForeignKey,
  rows: string,
  isAtCommit: boolean,
): string {
  const { columns } = foreignKey.child;
  const key = locked(foreignKey, columns).map((column) => `s.${quoteIdentifier(column)}`);
  return `  PERFORM stage.lock_key(${lockScope(foreignKey)}, k.key, false, ${!isAtCommit}) FROM (
    SELECT DISTINCT r.key FROM (SELECT ${displayKey(key)} AS key FROM ${shadowName(table)} s WHERE ${rows} LIMIT ${maxLockedRows}) r) k;`;
}

/** Builds statements of a row trigger that lock the keys of OLD that other tables refer to and that the change removes. */
export function lockVanishing(table: Table, event: 'delete' | 'update'): string {
  const scopes = new Map(
    table.referencedBy.map((foreignKey) => [lockScope(foreignKey), foreignKey]),
  );
  return [...scopes]
    .map(([scope, foreignKey]) => {
      const { columns, partitions } = foreignKey.parent;
      const old = columns.map((column) => `OLD.${quoteIdentifier(column)}`);
      const lock = `PERFORM stage.lock_key(${scope}, ${displayKey(locked(foreignKey, old))}, true, true);`;
      if (event === 'delete') return `  ${lock}`;
      // a row may leave the partition that its key refers to
      const changed = [...columns, ...(partitions?.columns ?? [])].map(
        (column) =>
          `NOT ${same(`NEW.${quoteIdentifier(column)}`, `OLD.${quoteIdentifier(column)}`)}`,
      );
      return `  IF ${changed.join(' OR ')} THEN ${lock} END IF;`;
    })
    .join('\n');
}
