/** Tables that a statement reaches only through others: foreign keys or inheritance link them with the tables that it writes to. */
import type { Queryable } from '../../db/database.ts';
import type { Table } from '../../model/table.ts';
import { linkedTable } from '../obstacle.ts';

/** Returns the table as its overlay has it there: read only if writes to it cannot be staged. Null if it cannot have such an overlay. */
export async function readLinkedTable(tx: Queryable, table: Table): Promise<Table | null> {
  const linked = linkedTable(table);
  if (linked === null || linked.obstacle === null) return linked;
  // guard: an overlay with staged rows is not replaced by one that is read only
  return (await isStaged(tx, table.oid)) ? null : linked;
}

/** Returns whether rows were staged in the table before it became one that cannot be staged. */
export async function isStaged(tx: Queryable, oid: number): Promise<boolean> {
  const [overlay] = await tx.query('SELECT FROM stage.overlay WHERE relation = $1', [oid]);
  if (overlay === undefined) return false;
  return (await tx.query(`SELECT FROM stage_data.shadow_${oid} LIMIT 1`)).length > 0;
}
