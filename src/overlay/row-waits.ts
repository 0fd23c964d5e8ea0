/**
 * Statements that wait for another connection of the session that is changing a row. Without a key equal rows cannot be distinguished, so
 * there is no wait.
 */
import type { Table } from '../model/table.ts';
import {
  columnList,
  columnNames,
  functionName,
  isKeyless,
  keyMatches,
  keyNames,
  rowTypeName,
  shadowName,
} from './object-names.ts';

/** Builds statements that wait for other changes of the row itself: PostgreSQL waits for them before it searches for a colliding row. */
export function lockOld(table: Table): string {
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
 * Returns `is_certain`, whether the colliding row needs no wait (any more), and `await`, the statement that waits until nobody else changes
 * it. DO UPDATE locks the row from then on. Without a key equal rows cannot be distinguished, so there is no wait.
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
