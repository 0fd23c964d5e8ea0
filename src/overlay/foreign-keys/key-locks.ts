/** Keys of a session that foreign keys refer to, locked by who refers to them and by who takes them away. */
import { quoteIdentifier, quoteLiteral } from '../../db/identifier.ts';
import type { ForeignKey, Table } from '../../model/table.ts';
import { shadowName } from '../object-names.ts';
import { same } from '../row-identity.ts';
import { displayKey } from '../rows/raise.ts';

/** Names what a key of the parent is locked by, on both sides of a foreign key. */
const lockScope = ({ parent, hasPeriod }: ForeignKey) =>
  quoteLiteral([parent.oid, ...parent.columns, ...(hasPeriod ? ['PERIOD'] : [])].join('.'));

/** What is locked of a key: whatever the periods, for those that overlap are of one key. */
const locked = <Value>({ hasPeriod }: ForeignKey, key: readonly Value[]) =>
  hasPeriod ? key.slice(0, -1) : key;

/** More rows of one statement are not looked through for keys to lock: more keys than this are not locked either. */
const maxLockedRows = 1000;

/** Keys that staged rows refer to are locked before they are looked for, as PostgreSQL locks the rows. */
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

/** Statements of a row trigger that lock the keys of OLD that other tables refer to, where they are about to vanish. */
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
      // a row may leave the partition whose key it bears
      const changed = [...columns, ...(partitions?.columns ?? [])].map(
        (column) =>
          `NOT ${same(`NEW.${quoteIdentifier(column)}`, `OLD.${quoteIdentifier(column)}`)}`,
      );
      return `  IF ${changed.join(' OR ')} THEN ${lock} END IF;`;
    })
    .join('\n');
}
