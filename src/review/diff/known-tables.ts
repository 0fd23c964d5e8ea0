/** Checks whether a requested table exists, or has a similar name. */

import type { Queryable } from '../../db/database.ts';
import { shownName } from '../../model/table.ts';
import { nearest } from '../../nearest.ts';

const selectTables = `
SELECT n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'f', 'm') AND NOT stage.is_internal_schema(n.oid) AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND n.nspname !~ '^pg_(toast|temp)'`;

/** A name that no table has, and the nearest name of those that may be disclosed; null if none is near. */
export interface UnknownTable {
  readonly name: string;
  readonly nearest: string | null;
}

/**
 * Finds a table by its shown name; returns null if it does not exist.
 * @param shown the names that may be disclosed; all by default
 */
export async function unknownTable(
  db: Queryable,
  name: string,
  shown?: readonly string[],
): Promise<UnknownTable | null> {
  const rows = await db.query(selectTables);
  const names = rows.map((row) => shownName(row['schema'] ?? '', row['name'] ?? ''));
  if (names.includes(name)) return null;
  return { name, nearest: nearest(name, shown ?? names) };
}
