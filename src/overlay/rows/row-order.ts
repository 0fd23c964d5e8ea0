/** PostgreSQL's order of checks within a statement, preserved where checking all rows together would give another result. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { ForeignKey, Table } from '../../model/table.ts';
import type { ParentEvent } from '../foreign-keys/vanished-keys.ts';
import { actionOf, reached } from '../foreign-keys/vanished-keys.ts';
import { overlayName, shadowName } from '../object-names.ts';

/**
 * Builds statements that check the rows one by one where actions of foreign keys reach the same child row from different rows: the first
 * action may leave the next one nothing to do. Empty if none of the table's foreign keys can do that.
 * @param check the function that contains these statements
 * @param rows returns the condition that selects the statement's rows, given an alias of the shadow table
 */
export function rowByRow(
  table: Table,
  event: ParentEvent,
  check: string,
  rows: (alias: string) => string,
): string {
  const meetings = table.referencedBy.flatMap((one, index) =>
    table.referencedBy
      .slice(index + 1)
      .filter((other) => isOrdered(one, other, event))
      .map((other) => meeting(table, one, other, event, rows)),
  );
  if (meetings.length === 0) return '';
  return fillSql(loadSql('table/rows/row_by_row.sql'), {
    condition: meetings.join(' OR '),
    shadow: shadowName(table),
    rows: rows('s'),
    function: check,
  });
}

/**
 * Builds statements that check the rows that a MERGE inserted before its first deletion: before the deletion cascades to rows that refer to
 * it. Empty for a table that does not refer to itself.
 * @param rows returns the condition that selects the statement's rows, given an alias of the shadow table
 * @param checks returns the statements that check the selected rows of the shadow table `s`
 */
export function beforeDeletions(
  table: Table,
  rows: (alias: string) => string,
  checks: (rows: string) => readonly string[],
): string {
  if (!table.references.some(({ parent }) => parent.oid === table.oid)) return '';
  const first = `SELECT min(d._stage_seq) FROM ${shadowName(table)} d WHERE ${rows('d')} AND d._stage_op = 'D'`;
  const before =
    's._stage_session = _stage_v_session AND s._stage_mutation = ANY (stage.touched(_stage_v_mutation)) ' +
    `AND s._stage_mutation <> _stage_v_mutation AND s._stage_seq < (${first})`;
  return `  IF pg_trigger_depth() = 1 AND current_setting('stage.merge_${table.oid}', true) = 'on' THEN
${checks(before).join('\n')}
  END IF;`;
}

/** Returns whether the order of two foreign keys can matter. It does not where both delete, or neither has an action. */
function isOrdered(one: ForeignKey, other: ForeignKey, event: ParentEvent): boolean {
  const actions = [one, other].map((foreignKey) => actionOf(foreignKey, event));
  const isCheck = (action: string | undefined) => action === 'no action' || action === 'restrict';
  const deletes = event === 'delete' && actions.every((action) => action === 'cascade');
  return one.child.oid === other.child.oid && !actions.every(isCheck) && !deletes;
}

/** Builds an SQL condition: two rows of the statement reach the same row of the child, each by another foreign key. */
const meeting = (
  table: Table,
  one: ForeignKey,
  other: ForeignKey,
  event: ParentEvent,
  rows: (alias: string) => string,
) => `EXISTS (SELECT FROM ${shadowName(table)} d
    JOIN ${overlayName(one.child)} o ON ${reached(table, one, event, rows('d'))}
    JOIN ${shadowName(table)} e ON ${reached(table, other, event, rows('e'), 'e')}
    WHERE d._stage_seq <> e._stage_seq)`;
