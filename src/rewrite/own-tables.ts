/** Tracks in which tables the connection's session has staged rows, as far as the connection knows. */
import type { KnownName, ResolvedName } from './resolved-name.ts';

/**
 * SQL for the tables in which the session has staged rows; NULL in a SERIALIZABLE transaction, which must not read what the session's other
 * connections write to with each new table.
 */
export const ownTables = `CASE WHEN pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.<>) 'serializable'
    THEN ARRAY(SELECT t.relation FROM stage.own_table t) END`;

/**
 * Returns the tables that the server has found for `ownTables`.
 * @param resolved the names that it has resolved. All of their tables count if it found none to tell
 */
export function tablesIn(
  found: Buffer | null | undefined,
  resolved: readonly ResolvedName[],
): number[] {
  if (!found) return resolved.flatMap(({ oid }) => oid ?? []);
  return String(found).slice(1, -1).split(',').filter(Boolean).map(Number);
}

export class OwnTables {
  private readonly touched = new Set<number>();

  /** Adds tables in which the session stages, or may have staged. Returns whether one of them was not known. */
  add(tables: readonly number[]): boolean {
    const before = this.touched.size;
    for (const table of tables) this.touched.add(table);
    return this.touched.size > before;
  }

  /** Returns whether a read may use the table under the client's own name, if the server confirms that nothing is staged in it. */
  mayBeUntouched({ use, meaning }: KnownName): boolean {
    const { isPlain, parked, oid } = meaning;
    if (!isPlain || parked || use.role !== undefined || use.target) return false;
    return !this.touched.has(oid as number);
  }
}
