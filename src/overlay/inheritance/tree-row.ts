/** Changes of single rows of an inheritance tree, staged in the table that contains each row. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { KeyColumn, Table } from '../../model/table.ts';
import {
  columnList,
  columnNamed,
  columnNames,
  equalImages,
  functionName,
  imageOf,
  isKeyless,
  keyMatches,
  rowTypeName,
  shadowName,
  sourceCall,
} from '../object-names.ts';
import { hidesRow, looksLike } from '../rows/keyless.ts';
import { stepName } from '../rows/triggers.ts';

export type TreeOperation = 'update' | 'delete';

/** Returns whether the parent's columns of a member's row identify that row. */
export const isKeyInherited = (table: Table, member: Table) =>
  !isKeyless(member) && member.key.every(({ name }) => columnNames(table).includes(name));

/** Returns the name of the function that stages the change of a member's row. That function returns whether there was one. */
export const treeRowName = (table: Table, member: Table, operation: TreeOperation) =>
  functionName(table, `tree_${operation}`, member.oid);

/** Returns the name of the function that checks whether the statement has already changed such a row of a member. */
export const treeTouchedName = (table: Table, member: Table) =>
  functionName(table, 'tree_touched', member.oid);

/** Builds the function that changes a row of a member as the parent shows it. */
export function treeRowSql(table: Table, member: Table, operation: TreeOperation): string {
  const isUpdate = operation === 'update';
  const names = columnNames(table).map(quoteLiteral);
  const shown = table.policies === null ? `ARRAY[${names.join(', ')}]` : 'NULL';
  const given = table.columns.filter(({ generated }) => generated === null);
  return fillSql(loadSql('table/inheritance/tree_row.sql'), {
    function: treeRowName(table, member, operation),
    parent_type: rowTypeName(table),
    row_type: rowTypeName(member),
    p_new: isUpdate ? `_stage_p_new ${rowTypeName(table)}, ` : '',
    shadow: shadowName(member),
    source: sourceCall(member),
    s_columns: columnList(columnNames(member), 's.'),
    p_columns: columnList(columnNames(member), 'p.'),
    // before a table is analysed, to the planner any index that begins with the session costs the same as that of the parent's key
    s_is_own:
      parentKey(table, member).length > 0
        ? 'pg_catalog.uuid_eq(s._stage_session, _stage_v_session)'
        : 's._stage_session = _stage_v_session',
    s_is_old: [...sameKey(table, member, 's.'), isOld(table, 's.')].join(' AND '),
    p_is_old: [...sameKey(table, member, 'p.'), isOld(table, 'p.')].join(' AND '),
    p_is_free: isFree(member),
    assignments: isUpdate
      ? given
          .map(({ name }) => `    ${assigned('_stage_v_new.', '_stage_p_new.', name)}`)
          .join('\n')
      : '',
    step: `${stepName(member, operation)}(_stage_v_old, ${isUpdate ? '_stage_v_new, ' : ''}_stage_p_mutation, _stage_p_start, ${shown})`,
    changed_columns: columnList(columnNames(table), '_stage_v_new.'),
  });
}

/** Builds the function that checks whether the statement has already changed such a row of a member. */
export function treeTouchedSql(table: Table, member: Table): string {
  const own = `coalesce(v._stage_root, v._stage_seq) = s._stage_root AND v._stage_seq < s._stage_seq`;
  return fillSql(loadSql('table/inheritance/tree_touched.sql'), {
    function: treeTouchedName(table, member),
    parent_type: rowTypeName(table),
    shadow: shadowName(member),
    s_was_old: isKeyInherited(table, member)
      ? `s._stage_head AND ${keyMatches(member, 's.', '_stage_p_old.')}`
      : `s._stage_seq > _stage_p_start AND s._stage_origin <> 'overlay' AND CASE WHEN s._stage_first THEN ${isOld(table, '(s._stage_base).')}
    ELSE EXISTS (SELECT 1 FROM (SELECT v.* FROM ${shadowName(member)} v WHERE v._stage_session = _stage_v_session AND ${own}
      ORDER BY v._stage_seq DESC LIMIT 1) v WHERE ${isOld(table, 'v.')}) END`,
  });
}

/** Builds the assignment of a column. */
export const assigned = (target: string, source: string, name: string) =>
  `${target}${quoteIdentifier(name)} := ${source}${quoteIdentifier(name)};`;

/** Builds the condition that the parent shows the row as _stage_p_old. */
const isOld = (table: Table, prefix: string) =>
  `pg_catalog.record_image_eq(ROW(${columnList(columnNames(table), prefix)})::${rowTypeName(table)}, _stage_p_old)`;

/** Returns the parent's key in a member that has another key, or none. Staged rows can be looked up by it, though production's may not. */
function parentKey(table: Table, member: Table): readonly KeyColumn[] {
  const present = table.key.filter(({ name }) => columnNamed(member, name).notNull);
  return isKeyInherited(table, member) || present.length < table.key.length ? [] : table.key;
}

/** Lists the conditions by which indexes find the row: on columns of keys, and on others that are never null. */
function sameKey(table: Table, member: Table, prefix: string): string[] {
  const shown = new Set(columnNames(table));
  const known = [...parentKey(table, member), ...member.lookup, ...member.key];
  const columns = new Map(known.map((each) => [each.name, each]));
  return [...columns.values()]
    .filter(({ name }) => shown.has(name))
    .map(({ name, equals }) => {
      const column = quoteIdentifier(name);
      return `${prefix}${column} ${equals} _stage_p_old.${column}`;
    });
}

/**
 * Builds the condition that the session has not changed the production row `p` of a member, or that some of several equal rows are left.
 */
function isFree(member: Table): string {
  const heads = `FROM ${shadowName(member)} h WHERE h._stage_session = _stage_v_session AND h._stage_head`;
  if (!isKeyless(member))
    return `NOT EXISTS (SELECT 1 ${heads} AND ${keyMatches(member, 'h.', 'p.')} OFFSET 0)`;
  const image = imageOf(member, 'p.');
  const hiding = `${heads} AND ${hidesRow(member, 'p.')}`;
  const touched = `SELECT count(*) FROM ${shadowName(member)} t WHERE t._stage_session = _stage_v_session
        AND ${equalImages('t._stage_old_1', image)} AND t._stage_first AND t._stage_mutation = ANY (_stage_v_touched)`;
  const copies = `SELECT count(*) FROM ${sourceCall(member)} q WHERE ${looksLike(member, 'q.', 'p.', image)}`;
  return `NOT EXISTS (SELECT 1 ${hiding} AND NOT h._stage_mutation = ANY (_stage_v_touched) OFFSET 0)
    AND CASE WHEN EXISTS (SELECT 1 ${hiding} OFFSET 0) THEN (${touched}) < (${copies}) ELSE true END`;
}
