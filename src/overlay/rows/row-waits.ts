/** Waiting for another connection of the session that is changing a row. Without a key a row is not told from its like, and none is waited for. */
import type { Table } from '../../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  isKeyless,
  keyMatches,
  keyNames,
  rowTypeName,
  shadowName,
} from '../object-names.ts';

/** Statements that wait for whoever else changes the row itself: PostgreSQL does before it looks for what is in the row's way. */
export function holdOld(table: Table): string {
  if (isKeyless(table)) return '';
  const columns = columnNames(table);
  const isAsRead = `ROW(${columnList(columns, 's.')})::${rowTypeName(table)} *= ROW(${columnList(columns, 'OLD.')})::${rowTypeName(table)}`;
  return `PERFORM ${functionName(table, 'await')}(${columnList(keyNames(table), 'OLD.')});
      PERFORM FROM ${shadowName(table)} s
      WHERE s._stage_session = _stage_v_session AND s._stage_head AND ${keyMatches(table, 's.', 'OLD.')}
        AND NOT (s._stage_op <> 'D' AND ${isAsRead}) AND s._stage_mutation <> ALL (stage.touched(_stage_v_mutation));
      IF FOUND THEN PERFORM stage.raise_changed(); END IF;
      `;
}

/**
 * Whether the row in the way needs no waiting for, or none any more, and the statement that waits until nobody else changes it:
 * DO UPDATE keeps it from then on. Without a key a row is not told from its like, and none is waited for.
 */
export function awaitCollision(table: Table): {
  readonly is_certain: string;
  readonly await: string;
} {
  if (isKeyless(table)) return { is_certain: 'true', await: '' };
  const key = columnList(keyNames(table), '_stage_v_row.');
  return {
    is_certain:
      '_stage_v_row IS NULL OR stage.writes_alone() OR record_image_eq(_stage_v_row, _stage_v_awaited)',
    await: `IF _stage_p_update THEN PERFORM ${functionName(table, 'await')}(${key});
    ELSE PERFORM ${functionName(table, 'outwait')}(${key}); END IF;`,
  };
}
