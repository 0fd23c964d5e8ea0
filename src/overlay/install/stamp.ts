/** The function that checks whether a table is unchanged since its overlay was made, without reading the catalogs on each call. */
import type { Queryable } from '../../db/database.ts';
import { fillSql, loadSql } from '../../db/sql-file.ts';
import type { Table } from '../../model/table.ts';
import { overlaySchema } from '../object-names.ts';

/**
 * Creates the function, replaces it if the table now refers to other tables, and drops it if the table's definition now calls functions of
 * users. Call it whenever the table's stamp is stored. Clients call it by the name from `stage.resolve_relations`, if the stamp depends
 * only on the relations given here.
 */
export async function makeStamp(tx: Queryable, table: Table): Promise<void> {
  const [row] = await tx.query('SELECT stage.stamped_relations($1) AS relations', [table.oid]);
  const name = `${overlaySchema(table)}.stamp_${table.oid}`;
  if (!row?.['relations']) {
    await tx.query(`DROP FUNCTION IF EXISTS ${name}()`);
    return;
  }
  const relations = JSON.parse(row['relations']) as number[];
  const script = fillSql(loadSql('table/install/stamp.sql'), {
    function: name,
    oid: String(table.oid),
    // as constants of type oid: plans do not depend on others
    relations: relations.map((oid) => `'${oid}'::pg_catalog.oid`).join(', '),
  });
  await tx.query(script);
}
