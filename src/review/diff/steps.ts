/**
 * The steps of a session: every row change that approval replays, streamed in that order. Those of an approved session are the changes that
 * it applied.
 */
import type { Queryable } from '../../db/database.ts';
import type { Change, Operation, Step } from '../../model/change.ts';
import { streamRows } from '../stream-rows.ts';
import type { ChangeRow } from './change-row.ts';
import { toChange } from './change-row.ts';
import type { DiffTable } from './diff-tables.ts';

/** Selects applied steps by the approval's range of positions, in the order of the audit. */
const appliedSteps = (uuid: string) => `
SELECT a.table_name, a.operation, a.row_key AS row_id, a.old_data AS before, a.new_data AS after,
  stage.texts_of_rows('before', a.texts -> 'old_data', 'after', a.texts -> 'new_data') AS texts, a.mutation, m.statement,
  a.position AS place, 0::bigint AS seq
FROM stage.audit a LEFT JOIN stage.mutation m ON m.session = a.session AND m.id = a.mutation
WHERE a.position >= (SELECT p.first_position FROM stage.approval p WHERE p.session = '${uuid}')
  AND a.position < (SELECT p.first_position + p.entries FROM stage.approval p WHERE p.session = '${uuid}')
ORDER BY a.position`;

/** A number before that of the first step. */
const beforeAll = '0.0';

/**
 * Streams the steps inside the caller's transaction. Changes of orphaned rows are not steps: how they came about is not recorded.
 * @param tables the tables of the diff
 * @param cursor number of the step after which the stream begins
 */
export async function* readSteps(
  tx: Queryable,
  uuid: string,
  tables: readonly DiffTable[],
  isApproved: boolean,
  cursor = beforeAll,
): AsyncGenerator<Step, void> {
  const [row] = isApproved
    ? [{ query: appliedSteps(uuid) }]
    : await tx.query('SELECT stage.steps_query($1) AS query', [uuid]);
  const keys = new Map(tables.map(({ name, key }) => [name, key]));
  // statistics do not yet reflect rows that were just staged
  await tx.query('SET LOCAL enable_seqscan = off');
  await tx.query('SET LOCAL enable_bitmapscan = off');
  await tx.query('SET LOCAL jit = off');
  const behind = `
SELECT s.* FROM (${row?.['query']}) s WHERE (s.place, s.seq) > ($1::bigint, $2::bigint) ORDER BY s.place, s.seq`;
  for await (const step of streamRows(tx, 'stage_steps', behind, cursor.split('.'))) {
    const table = String(step['table_name']);
    const change = toChange(table, keys.get(table) ?? [], step as ChangeRow);
    const number = `${step['place']}.${step['seq']}`;
    yield {
      ...change,
      number,
      mutationId: `mut_${step['mutation']}`,
      statement: step['statement'] ?? null,
    };
  }
}

/** Leaves out the steps of hidden tables, and of tables with the same name. */
export async function* shownSteps(
  steps: AsyncIterable<Step>,
  tables: readonly DiffTable[],
): AsyncGenerator<Step> {
  const hidden = new Set(tables.filter((table) => table.hidden).map(({ name }) => name));
  // guard: the diff leaves out steps of hidden tables
  for await (const step of steps) if (!hidden.has(step.table)) yield step;
}

/** Returns whether a change matches the requested table and kind. */
export function isOf(
  change: Change,
  { table, type }: { readonly table?: string | undefined; readonly type?: Operation | undefined },
): boolean {
  return (table ?? change.table) === change.table && (type ?? change.type) === change.type;
}
