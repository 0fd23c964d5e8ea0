/** Reports which triggers of a database do not fire while rows are staged, and why. */
import { readTable } from '../../db/catalog-reader.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { shownName } from '../../model/table.ts';
import { approvalPath, readTriggerReports } from './follow-triggers.ts';

const withTriggers = `
SELECT DISTINCT coalesce(pg_partition_root(c.oid), c.oid)::oid AS relation
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND c.relkind IN ('r', 'p') AND NOT stage.is_internal_schema(c.relnamespace)
ORDER BY 1`;

/** Those that only a partition has. */
const ofPartitions = `
SELECT n.nspname AS schema, c.relname AS table, t.tgname AS name,
  CASE WHEN t.tgtype & 1 <> 0 THEN 'is one of a partition' ELSE 'is one of a partition FOR EACH STATEMENT: approval names the whole table, and does not fire it' END AS obstacle
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relispartition AND t.tgparentid = 0 AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND NOT stage.is_internal_schema(c.relnamespace)
ORDER BY c.oid, t.tgname`;

/** Returns a line for each: `public.goods: trigger touched is not written in PL/pgSQL`. It creates nothing. */
export function unstagedTriggers(db: Database): Promise<string[]> {
  return db.transaction(async (tx: Queryable) => {
    const lines: string[] = [];
    const path = await approvalPath(tx);
    for (const { relation } of await tx.query(withTriggers)) {
      const table = await readTable(tx, Number(relation));
      if (table === null || table.obstacle !== null) continue;
      for (const { name, obstacle } of await readTriggerReports(tx, table, path)) {
        const shown = shownName(table.schema, table.name);
        if (obstacle !== null) lines.push(`${shown}: trigger ${name} ${obstacle}`);
      }
    }
    for (const { schema, table, name, obstacle } of await tx.query(ofPartitions))
      lines.push(`${shownName(String(schema), String(table))}: trigger ${name} ${obstacle}`);
    return lines;
  });
}
