/** Facts about the statements that staged a table's rows. */
import { setImmediate } from 'node:timers/promises';
import type { Queryable } from '../../db/database.ts';
import { loadSql } from '../../db/sql-file.ts';
import { writesWithoutWhere } from '../../sql/locate/unconditional.ts';
import type { DiffTable } from '../diff/diff-tables.ts';

/**
 * Counts the staged rows that statements without WHERE wrote: UPDATE and DELETE that name the table. Rows that a view or a function wrote
 * are not counted. Of each table, only the twenty statements with the most rows are read, and none longer than 10,000 characters.
 */
export async function rowsWithoutWhere(
  tx: Queryable,
  uuid: string,
  { kind, relation, name, table }: DiffTable & { readonly table: string },
): Promise<number> {
  if (kind !== 'staged') return 0;
  const ids: string[] = [];
  for (const row of await tx.query(loadSql('brief/statements.sql'), [uuid, relation, name])) {
    // a text of 10,000 characters may take 20 ms, so other work gets its turn before the next one
    await setImmediate();
    const found = await writesWithoutWhere(String(row['query']));
    const isWide = found.some(
      (each) => each.operation === row['operation'] && each.table === table,
    );
    if (isWide) ids.push(...(JSON.parse(String(row['ids'])) as string[]));
  }
  if (ids.length === 0) return 0;
  const [counted] = await tx.query(
    `SELECT count(*) AS rows FROM stage_data.shadow_${relation} s
     WHERE s._stage_session = $1 AND s._stage_origin = 'client' AND s._stage_mutation = ANY ($2::bigint[])`,
    [uuid, `{${ids.join(',')}}`],
  );
  return Number(counted?.['rows']);
}
