/** Fires triggers for rows that an update moves to another partition: PostgreSQL deletes them there, and inserts them here. */
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table, Trigger } from '../../model/table.ts';
import { placeCall } from '../partitions.ts';
import type { Operation } from '../rows/after-statement.ts';
import { anyBeforeAsOwner, fireInPartitions, rowTriggers } from './candidates.ts';
import { fireName } from './fire.ts';

const parts = ['delete', 'insert'] as const;

/**
 * Builds the statements, behind the BEFORE UPDATE triggers, that fire those for DELETE and INSERT; none for a table without them.
 * @param fired the operations for which triggers fire
 * @param writes whether a trigger writes to tables
 */
export function movesSql(
  table: Table,
  fired: readonly Operation[],
  writes: (trigger: Trigger) => boolean,
): string {
  const triggers = parts.flatMap((each) => (fired.includes(each) ? rowTriggers(table, each) : []));
  if (!fireInPartitions(table) || triggers.length === 0) return '';
  const refuse = `PERFORM stage.refuse_move(${table.oid});`;
  // guard: no row moves past triggers whose writes, or whose owners' rights, belong to a deletion or an insertion
  const isRefused = triggers.some(writes) || anyBeforeAsOwner(table);
  const isEmpty = 'IS NOT DISTINCT FROM NULL';
  const calls = {
    delete: `IF ${fireName(table, 'delete')}(NULL, "old", _stage_p_named) ${isEmpty} THEN RETURN NULL; END IF;`,
    insert: `"new" := ${fireName(table, 'insert')}("new", NULL, _stage_p_named); IF "new" ${isEmpty} THEN ${refuse} END IF;`,
  };
  const fire = parts.flatMap((each) => (fired.includes(each) ? [calls[each]] : []));
  return fillSql(loadSql('table/triggers/moves.sql'), {
    ...{ to: placeCall(table, '"new".'), from: placeCall(table, '"old".') },
    fire: isRefused ? refuse : fire.join('\n    '),
  });
}

/**
 * Builds the statements that fire AFTER triggers for an updated row.
 * @param fire the statements by operation; absent where none fires
 */
export function afterMovesSql(table: Table, fire: ReadonlyMap<Operation, string>): string {
  const update = fire.get('update') ?? '';
  const both = parts.map((each) => fire.get(each) ?? '').join('');
  if (!fireInPartitions(table) || both + update === '') return update;
  return fillSql(loadSql('table/triggers/after_moves.sql'), {
    to: placeCall(table, '(_stage_v_row._stage_new).'),
    from: placeCall(table, '(_stage_v_row._stage_old).'),
    ...{ both, update },
  });
}
