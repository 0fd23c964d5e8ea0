/** The functions of a table that find conflicts between a session's staged rows and production. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { ForeignKey, ForeignKeyAction, Table } from '../../model/table.ts';
import {
  columnList,
  columnNamed,
  columnNames,
  functionName,
  imageColumn,
  imageOf,
  isKeyless,
  oldColumnName,
  oldColumns,
  productionRows,
  rowTypeName,
  shadowName,
  sourceCall,
} from '../object-names.ts';
import { andWithin } from '../partitions.ts';
import {
  givenValue,
  keyColumns,
  keysEqual,
  oldKeyColumns,
  rowImage,
  rowKey,
  same,
} from '../row-identity.ts';
import { hidesRow } from '../rows/keyless.ts';
import { exactTexts } from './exact-texts.ts';

/** Builds `vanished_<oid>`, `lock_<oid>`, `conflicts_<oid>` and `reached_<oid>`. */
export function conflictsSql(table: Table): string {
  const vanished = fillSql(loadSql('table/approval/vanished.sql'), {
    ...common(table),
    columns_left: columnsLeft(table),
    leaves: ["v._stage_op = 'D'", ...movedColumns(table).map(({ moved }) => moved)].join(' OR '),
    reached_by_foreign_keys: reachedByForeignKeys(table),
  });
  return `${vanished}\n${isKeyless(table) ? keylessConflicts(table) : keyedConflicts(table)}`;
}

const common = (table: Table) => ({
  vanished: functionName(table, 'vanished'),
  lock: functionName(table, 'lock'),
  conflicts: functionName(table, 'conflicts'),
  reached: functionName(table, 'reached'),
  production: productionRows(table),
  shadow: shadowName(table),
  source: sourceCall(table),
  row_type: rowTypeName(table),
  row_image: rowImage(table),
  h_columns: columnList(columnNames(table), 'h.'),
});

function keylessConflicts(table: Table): string {
  return fillSql(loadSql('table/approval/conflicts_keyless.sql'), {
    ...common(table),
    p_image: imageOf(table, 'p.'),
    v_image: imageOf(table, '(v.base).'),
    t_row_id: rowKey(table, ['t.image']),
    t_texts: exactTexts(table, 'b.'),
    h_texts: exactTexts(table, 'h.'),
  });
}

function keyedConflicts(table: Table): string {
  const columns = columnNames(table);
  const key = keyColumns(table, 'p.');
  const first = oldKeyColumns(table, 'f.');
  const inserted = keyColumns(table, 'i.');
  return fillSql(loadSql('table/approval/conflicts.sql'), {
    ...common(table),
    p_key: key.join(', '),
    p_columns: columnList(columns, 'p.'),
    p_matches_first: keysEqual(table, key, first),
    p_matches_vanished: keysEqual(table, key, keyColumns(table, '(v.base).')),
    p_matches_inserted: keysEqual(table, key, inserted),
    f_row_id: rowKey(table, first),
    changed_by_session: changedBySession(table),
    fields: fields(table),
    base_texts: exactTexts(table, 'b.'),
    staged_texts: exactTexts(table, 'n.'),
    current_texts: exactTexts(table, 'p.'),
    i_texts: exactTexts(table, 'i.'),
    taken_texts: exactTexts(table, 't.'),
    i_key: inserted.join(', '),
    i_columns: columnList(columns, 'i.'),
    i_row_id: rowKey(table, inserted),
    i_keeps_key: keysEqual(table, inserted, oldKeyColumns(table, 'i.')),
    f_had_inserted: keysEqual(table, first, inserted),
  });
}

/**
 * Returns the columns by which rows are found or referred to, each with the condition that a staged version `v` of a row changed its value.
 */
function movedColumns(table: Table): readonly { readonly name: string; readonly moved: string }[] {
  return oldColumns(table)
    .filter((name) => name !== imageColumn)
    .map((name) => {
      const isUnchanged = same(`v.${quoteIdentifier(name)}`, `v.${oldColumnName(table, name)}`);
      return { name, moved: `v._stage_op = 'U' AND NOT ${isUnchanged}` };
    });
}

/** Lists, for each of these columns, an expression for its name if any staged version `v` of the row changed its value. */
function columnsLeft(table: Table): string {
  const left = movedColumns(table).map(
    ({ name, moved }) => `CASE WHEN bool_or(${moved}) THEN ${quoteLiteral(name)} END`,
  );
  return left.join(', ') || 'NULL';
}

/** Returns the names of the columns that are compared. Generated columns follow from the others, so their changes are nobody's own. */
const comparedColumns = (table: Table) =>
  table.columns.filter((column) => column.generated === null).map((column) => column.name);

/**
 * Builds an array that has, for each compared column, whether any version `v` of a row that the client staged changed it: from its value in
 * `t`, the newest version of a trigger before it, or else in `b`. A deletion changes all. Changes by triggers do not count: production gets
 * what the client gave, `g`.
 */
function changedBySession(table: Table): string {
  const changed = comparedColumns(table)
    .map(quoteIdentifier)
    .map((name) => {
      const value = givenValue('v', name);
      const isFirst = `(t._stage_seq IS NULL OR t._stage_op = 'D')`;
      // guard: a value that the client restores after a trigger is a change of the client
      const differs = `CASE WHEN ${isFirst} THEN NOT ${same(value, `b.${name}`)} ELSE NOT ${same(value, `t.${name}`)} END`;
      return `bool_or(v._stage_op = 'D' OR ${differs}) FILTER (WHERE v._stage_origin <> 'trigger')`;
    });
  return `ARRAY[${changed.join(', ')}]::boolean[]`;
}

/**
 * Builds one row per compared column of the row `m`: name, number, whether production has another value, whether the column may be ignored,
 * and its values in `b`, `n` and `p`.
 */
function fields(table: Table): string {
  const fixed = keyedColumns(table);
  return comparedColumns(table)
    .map((name, index) => {
      const image = columnNamed(table, name).mayLackJson ? 'stage.value_image' : 'to_jsonb';
      const column = quoteIdentifier(name);
      const images = ['b', 'n', 'p'].map((row) => `${row}.${column}`);
      const moved = `NOT ${same(`p.${column}`, `b.${column}`)}`;
      const shown = `CASE WHEN m.gone THEN NOT m.deleted ELSE ${moved} END`;
      const values = images.map((value) => `${image}(${value})`);
      // guard: a column of a key always counts
      const ignorable = !fixed.has(name);
      return `(${[quoteLiteral(name), index + 1, shown, ignorable, ...values].join(', ')})`;
    })
    .join(',\n    ');
}

/**
 * Columns by which rows are found, routed to partitions or referred to, or by which they refer to others. With another value, the reviewed
 * change would affect another row.
 */
const keyedColumns = (table: Table) =>
  new Set([
    ...oldColumns(table),
    ...table.partitionColumns,
    ...table.references.flatMap(({ child }) => child.columns),
  ]);

const acts = (action: ForeignKeyAction) => action !== 'no action' && action !== 'restrict';

function reachedByForeignKeys(table: Table): string {
  const acting = table.references.filter(
    ({ onDelete, onUpdate }) => acts(onDelete) || acts(onUpdate),
  );
  return acting.length === 0
    ? '  RETURN;'
    : acting.map((foreignKey) => reachedBy(table, foreignKey)).join('\n');
}

function reachedBy(table: Table, foreignKey: ForeignKey): string {
  const { child, parent, equals, onDelete, onUpdate } = foreignKey;
  const key = keyColumns(table, 'c.');
  const referred = parent.columns.map(
    (name, index) =>
      `(v.base).${quoteIdentifier(name)} ${equals[index]} c.${quoteIdentifier(child.columns[index] ?? '')}`,
  );
  const left = (columns: readonly string[]) =>
    `v.columns_left && ARRAY[${columns.map(quoteLiteral).join(', ')}]`;
  // a row that leaves a partition is deleted from it
  const isOfLeaf = parent.partitions?.areLeaves === true;
  const events = [
    ...(acts(onDelete) ? ['v.deleted'] : []),
    ...(acts(onDelete) && isOfLeaf ? [left(parent.partitions?.columns ?? [])] : []),
    ...(acts(onUpdate) ? [left(parent.columns)] : []),
  ];
  return fillSql(loadSql('table/approval/conflicts_reached.sql'), {
    parent_vanished: functionName(parent, 'vanished'),
    shadow: shadowName(table),
    source: sourceCall(table),
    row_type: rowTypeName(table),
    row_image: rowImage(table),
    c_key: key.join(', '),
    c_row_id: rowKey(table, key),
    c_columns: columnList(columnNames(table), 'c.'),
    c_texts: exactTexts(table, 'c.'),
    c_referred_to_base:
      referred.join(' AND ') + andWithin(parent, '(v.base).') + andWithin(child, 'c.'),
    acted_upon: events.join(' OR '),
    h_touched_c: isKeyless(table)
      ? hidesRow(table, 'c.')
      : keysEqual(table, keyColumns(table, 'h.'), key),
  });
}
