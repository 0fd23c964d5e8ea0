/** Foreign keys, checked against the overlay on the child's side: the referenced row exists. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { ForeignKey, Table } from '../../model/table.ts';
import { columnNamed, overlayName, shadowName } from '../object-names.ts';
import {
  andWithin,
  demandPartitions,
  foreignKeyAt,
  partitionOf,
  placeAt,
  referredName,
} from '../partitions.ts';
import { displayKey, keyDetail, messageOf, raise, valuesDetail } from '../raise.ts';
import { isHeadOfStatement, present, sameInColumn } from '../row-identity.ts';
import { lockReferences } from './key-locks.ts';

/** Lists the columns of a foreign key in pairs, quoted. */
export const pairs = (foreignKey: ForeignKey) =>
  foreignKey.child.columns.map((child, index) => ({
    child: quoteIdentifier(child),
    parent: quoteIdentifier(foreignKey.parent.columns[index] ?? ''),
    parentName: foreignKey.parent.columns[index] ?? '',
    equals: foreignKey.equals[index] ?? '=',
    parentEquals: foreignKey.parentEquals[index] ?? '=',
  }));

/**
 * Builds an SQL condition: no row has a key. With PERIOD: the rows that have it for a part of the period do not cover the period together.
 * @param bearers the rows `q` of the parent that have the key, or a part of it: `relation` and `condition`
 * @param period the period to cover
 */
export function lacksBearer(
  foreignKey: ForeignKey,
  { relation, condition }: { readonly relation: string; readonly condition: string },
  period: string,
): string {
  const rows = `FROM ${relation} q WHERE ${condition}${andWithin(foreignKey.parent, 'q.')}`;
  // guard: rows of a parent cover a period together
  if (!foreignKey.hasPeriod) return `NOT EXISTS (SELECT 1 ${rows})`;
  const covered = pairs(foreignKey).at(-1)?.parent;
  return `NOT coalesce(${period} <@ (SELECT range_agg(q.${covered}) ${rows}), false)`;
}

/**
 * Returns the conditions that the columns of a foreign key are the same before and after an update of a row. With PERIOD, a part of the
 * former period will do, because the whole was covered.
 * @param before prefix of the columns before the update
 * @param after prefix of the columns after it
 */
export function isUnchanged(
  table: Table,
  { columns, hasPeriod }: { readonly columns: readonly string[]; readonly hasPeriod: boolean },
  before: string,
  after: string,
): string[] {
  return columns.map((name, index) => {
    const column = quoteIdentifier(name);
    const [was, is] = [`${before}${column}`, `${after}${column}`] as const;
    const isSame = sameInColumn(columnNamed(table, name), is, was);
    if (!hasPeriod || index < columns.length - 1) return isSame;
    return `(${isSame} OR coalesce(${is} <@ ${was}, false))`;
  });
}

/**
 * Builds the condition that PostgreSQL checks this foreign key for a staged row whose foreign keys are checked; empty for a table's only
 * one. Another action of the same statement may be about to change a reference whose row is gone. A row that may have moved to another
 * partition counts as inserted there.
 */
function andIsDue(table: Table, foreignKey: ForeignKey): string {
  if (table.references.length < 2) return '';
  const key = { columns: foreignKey.child.columns, hasPeriod: foreignKey.hasPeriod };
  const partition = { columns: table.partitionColumns, hasPeriod: false };
  const same = (before: string) =>
    [key, partition].flatMap((each) => isUnchanged(table, each, before, 's.')).join(' AND ');
  const parts = {
    shadow: shadowName(table),
    same_as_base: same('(s._stage_base).'),
    same_as_version: same('v.'),
  };
  // guard: an update checks the foreign keys that it changes
  return ` AND ${fillSql(loadSql('table/foreign-keys/is_due.sql'), parts).trim()}`;
}

/**
 * Builds the check that every staged row of the child has its parent in the overlay.
 * @param rows condition that selects the rows of the shadow table `s`
 * @param isAtCommit whether the statements that staged them have ended
 */
export function childCheck(
  table: Table,
  foreignKey: ForeignKey,
  rows: string,
  isAtCommit = false,
): string {
  const columns = pairs(foreignKey);
  const notNull = columns.map(({ child }) => present(`s.${child}`)).join(' AND ');
  const join = columns
    .map(({ child, parent, equals }) => `q.${parent} ${equals} s.${child}`)
    .join(' AND ');
  const staged = `${rows} AND ${isHeadOfStatement} AND s._stage_op <> 'D' AND s._stage_check${andIsDue(table, foreignKey)}${andWithin(foreignKey.child, 's.')}`;
  const place = placeAt(table, '_stage_v_partition');
  const constraint = foreignKeyAt(
    table,
    foreignKey,
    '_stage_v_partition',
    foreignKey.parent.partitions?.oids[0] ?? foreignKey.parent.oid,
  );
  const violation = {
    message: messageOf`insert or update on table "${place.table}" violates foreign key constraint "${constraint}"`,
    sqlstate: '23503',
    ...place,
    constraint,
  };
  const absent = messageOf` is not present in table "${referredName(foreignKey.parent)}".`;
  const missing = raise({
    ...violation,
    ...valuesDetail(
      table,
      keyDetail(foreignKey.child.columns, '_stage_v_value', absent),
      messageOf`Key${absent}`,
    ),
  });
  const bearers = { relation: overlayName(foreignKey.parent), condition: join };
  const missingParent = lacksBearer(foreignKey, bearers, `s.${columns.at(-1)?.child}`);
  const existence = `${demandPartitions(foreignKey.parent)}${lockReferences(table, foreignKey, `${staged} AND ${notNull}`, isAtCommit)}
  SELECT ${displayKey(columns.map(({ child }) => `s.${child}`))}, ${partitionOf(table, 's.')} INTO _stage_v_value, _stage_v_partition
  FROM ${shadowName(table)} s
  WHERE ${staged} AND ${notNull} AND ${missingParent}
  ORDER BY s._stage_seq LIMIT 1;
  IF FOUND THEN ${missing} END IF;`;
  if (!foreignKey.matchFull || columns.length === 1) return existence;
  const someNull = columns.map(({ child }) => `NOT (${present(`s.${child}`)})`).join(' OR ');
  const someNotNull = columns.map(({ child }) => present(`s.${child}`)).join(' OR ');
  const mixed = raise({
    ...violation,
    detail: quoteLiteral('MATCH FULL does not allow mixing of null and nonnull key values.'),
  });
  return `  SELECT ${partitionOf(table, 's.')} INTO _stage_v_partition FROM ${shadowName(table)} s WHERE ${staged} AND (${someNull}) AND (${someNotNull}) LIMIT 1;
  IF FOUND THEN ${mixed} END IF;
${existence}`;
}
