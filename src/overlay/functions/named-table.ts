/** The tables that bodies of functions and triggers write to. */
import { readTable } from '../../db/catalog-reader.ts';
import type { Queryable } from '../../db/database.ts';
import type { Table } from '../../model/table.ts';
import type { QualifiedName } from '../../sql/functions/calls.ts';
import { oidArray } from '../object-names.ts';
import { Obstacle } from './function-script.ts';

/**
 * Reads the table that a body names as a target.
 * @param path the OIDs of the schemas in which it finds names
 * @throws Obstacle if there is none
 */
export async function targetNamed(
  tx: Queryable,
  { schema, name }: QualifiedName,
  path: readonly number[],
): Promise<Table> {
  const [row] = await tx.query('SELECT stage.relation_in($1, $2) AS oid', [
    JSON.stringify({ schema, name }),
    oidArray(path),
  ]);
  const oid = Number(row?.['oid'] ?? 0);
  const table = oid === 0 ? null : await readTable(tx, oid);
  if (table === null) throw new Obstacle(`writes to ${name}, which is no table`);
  return table;
}
