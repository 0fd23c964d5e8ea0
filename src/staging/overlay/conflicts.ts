/** The functions of a table that look for conflicts between a session's staged rows and production. */
import { quoteIdentifier, quoteLiteral } from '../../db/identifier.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { ForeignKey, ForeignKeyAction, Table } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  productionName,
  rowTypeName,
  shadowName,
  sourceCall,
} from './names.ts';
import { keepsOld, keyColumns, keysEqual, oldKeyColumns, rowKey, same } from './row-identity.ts';

/** Builds `lock_<oid>`, `conflicts_<oid>` and `reached_<oid>`. */
export function conflictsSql(table: Table): string {
  const columns = columnNames(table);
  const key = keyColumns(table, 'p.');
  const first = oldKeyColumns(table, 'f.');
  const inserted = keyColumns(table, 'i.');
  return fillSql(loadSql('table/conflicts.sql'), {
    lock: functionName(table, 'lock'),
    conflicts: functionName(table, 'conflicts'),
    reached: functionName(table, 'reached'),
    production: productionName(table),
    shadow: shadowName(table),
    source: sourceCall(table),
    row_type: rowTypeName(table),
    p_key: key.join(', '),
    p_columns: columnList(columns, 'p.'),
    p_missing: `${key[0]} IS NULL`,
    p_matches_first: keysEqual(table, key, first),
    f_row_id: rowKey(table, first),
    h_columns: columnList(columns, 'h.'),
    v_keeps_old: keepsOld(table, 'v.'),
    changed_by_session: changedBySession(table),
    fields: fields(table),
    i_key: inserted.join(', '),
    i_columns: columnList(columns, 'i.'),
    i_row_id: rowKey(table, inserted),
    i_keeps_key: keysEqual(table, inserted, oldKeyColumns(table, 'i.')),
    p_matches_inserted: keysEqual(table, key, inserted),
    f_had_inserted: keysEqual(table, first, inserted),
    reached_by_foreign_keys: table.references
      .filter(writes)
      .map((foreignKey) => reachedSql(table, foreignKey))
      .join('\n'),
  });
}

/** Generated columns follow the others; by themselves they are no change of anybody's. */
function comparedColumns(table: Table): string[] {
  return table.columns
    .filter((column) => column.generated === null)
    .map((column) => quoteIdentifier(column.name));
}

/** For each compared column whether any staged version of the row `v` altered it; a deletion alters all. */
function changedBySession(table: Table): string {
  const changed = comparedColumns(table).map(
    (name) => `bool_or(v._stage_op = 'D' OR NOT ${same(`v.${name}`, `(m.base).${name}`)})`,
  );
  return `ARRAY[${changed.join(', ')}]::boolean[]`;
}

/** One row a compared column: name, number, the three values, whether production moved. */
function fields(table: Table): string {
  const compared = table.columns.filter((column) => column.generated === null);
  return compared
    .map(({ name }, index) => {
      const column = quoteIdentifier(name);
      const values = ['base', 'staged', 'current'].map(
        (image) => `to_jsonb((m.${image}).${column})`,
      );
      const moved = `m.gone OR NOT ${same(`(m.current).${column}`, `(m.base).${column}`)}`;
      return `(${[quoteLiteral(name), index + 1, ...values, moved].join(', ')})`;
    })
    .join(',\n    ');
}

const acts = (action: ForeignKeyAction) => action !== 'no action' && action !== 'restrict';
const writes = (foreignKey: ForeignKey) => acts(foreignKey.onDelete) || acts(foreignKey.onUpdate);

function reachedSql(table: Table, foreignKey: ForeignKey): string {
  const pairs = foreignKey.child.columns.map((child, index) => ({
    child: `c.${quoteIdentifier(child)}`,
    parent: quoteIdentifier(foreignKey.parent.columns[index] ?? ''),
    equals: foreignKey.equals[index] ?? '=',
  }));
  const kept = pairs
    .map(({ parent }) => same(`v.${parent}`, `(f._stage_base).${parent}`))
    .join(' AND ');
  const leaves = [
    ...(acts(foreignKey.onDelete) ? [`v._stage_op = 'D'`] : []),
    ...(acts(foreignKey.onUpdate) ? [`v._stage_op = 'U' AND NOT (${kept})`] : []),
  ];
  const key = keyColumns(table, 'c.');
  return fillSql(loadSql('table/conflicts_reached.sql'), {
    parent_shadow: shadowName(foreignKey.parent),
    shadow: shadowName(table),
    source: sourceCall(table),
    row_type: rowTypeName(table),
    c_key: key.join(', '),
    c_row_id: rowKey(table, key),
    c_columns: columnList(columnNames(table), 'c.'),
    c_refers_to_base: pairs
      .map(({ child, parent, equals }) => `(f._stage_base).${parent} ${equals} ${child}`)
      .join(' AND '),
    parent_leaves: leaves.join(' OR '),
    h_matches_c: keysEqual(table, keyColumns(table, 'h.'), key),
  });
}
