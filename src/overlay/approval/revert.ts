/** The functions of a table that revert what an approval applied to it. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import { quoteIdentifier, quoteLiteral } from '../../identifier.ts';
import type { Table } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  isKeyless,
  overlayName,
  rowTypeName,
  sourceCall,
} from '../object-names.ts';
import { keyColumns, keysEqual, rowImage, rowKey } from '../row-identity.ts';
import { exactTexts } from './exact-texts.ts';

const entries = `a.session = p_session AND a.relation = p_audited AND a.operation = p_operation
      AND a."position" BETWEEN p_first AND p_last AND a.lineage <> ALL (p_skipped)`;

/** Builds `restored_<oid>`, `moved_<oid>` and `undo_<oid>`; none for a table without a key, whose equal rows cannot be distinguished. */
export function revertSql(table: Table): string {
  if (isKeyless(table)) return '';
  const columns = columnNames(table);
  const written = table.columns.filter(({ generated }) => generated === null);
  const names = written.map(({ name }) => name);
  const known = keyColumns(table, '(x.n).');
  return fillSql(loadSql('table/approval/revert.sql'), {
    restored: functionName(table, 'restored'),
    moved: functionName(table, 'moved'),
    undo: functionName(table, 'undo'),
    row_type: rowTypeName(table),
    restored_body: quoteLiteral(restoredBody(table)),
    l_key: `jsonb_build_array(${table.key.map(({ name }) => `l.image -> ${quoteLiteral(name)}`).join(', ')})`,
    n_row_id: rowKey(table, keyColumns(table, '(c.n).')),
    row_image: rowImage(table),
    current_texts: exactTexts(table, 'i.'),
    p_columns: columnList(columns, 'p.'),
    source: sourceCall(table),
    p_matches_n: keysEqual(table, keyColumns(table, 'p.'), keyColumns(table, '(k.n).')),
    overlay: overlayName(table),
    entries,
    o_matches_n: keysEqual(table, keyColumns(table, 'o.'), known),
    o_columns: columnList(columns, 'o.'),
    assignments: names
      .map((name) => `${quoteIdentifier(name)} = r.${quoteIdentifier(name)}`)
      .join(', '),
    written_columns: columnList(names),
    restored_columns: columnList(names, 'r.'),
  });
}

/**
 * Builds the row that the audit stored. A text of a value takes precedence over the image, which may lose information: a cast to json has
 * no inverse.
 */
function restoredBody(table: Table): string {
  const values = table.columns.map(({ name, type, exactText }) => {
    const column = `p.${quoteIdentifier(name)}`;
    if (exactText === null) return column;
    const text = `$2 ->> ${quoteLiteral(name)}`;
    return `CASE WHEN ${text} IS NOT NULL THEN (${text})::${type} ELSE ${column} END`;
  });
  return `SELECT ROW(${values.join(', ')})::${rowTypeName(table)} FROM jsonb_populate_record(NULL::${rowTypeName(table)}, $1 - ARRAY(SELECT jsonb_object_keys($2))) p`;
}
