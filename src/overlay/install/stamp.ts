/** The function that tells whether a table is still what its overlay was made for, without looking at the catalogs each time. */
import type { Queryable } from '../../db/database.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table } from '../../model/table.ts';
import { overlaySchema } from '../object-names.ts';

/**
 * Makes it, or makes it anew where the table refers to others by now: to be called whenever the table's stamp is noted. Clients
 * call it under the name that stage.resolve_relations gives, where the stamp depends on nothing but the relations given here.
 */
export async function makeStamp(tx: Queryable, table: Table): Promise<void> {
  const [row] = await tx.query('SELECT stage.stamped_relations($1) AS relations', [table.oid]);
  const relations = JSON.parse(row?.['relations'] ?? '[]') as number[];
  const script = fillSql(loadSql('table/install/stamp.sql'), {
    function: `${overlaySchema(table)}.stamp_${table.oid}`,
    oid: String(table.oid),
    // as constants of type oid: on others no plan depends
    relations: relations.map((oid) => `'${oid}'::pg_catalog.oid`).join(', '),
  });
  await tx.query(script);
}
