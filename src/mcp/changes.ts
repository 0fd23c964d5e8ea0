/** The changes of a session as data, a bounded part at a time. */
import type { ApiClient } from '../client/api-client.ts';
import type { NumberedChange, Outline, TableOutline } from '../model/change.ts';
import { sumOf } from '../model/change.ts';
import type { JsonObject } from '../model/json.ts';

/** A table's counts. */
export function countsBody({ table, chunks, furtherChanges, hidden }: TableOutline): JsonObject {
  const counts = { ...sumOf(chunks), further_changes: furtherChanges };
  return { table, ...counts, ...(hidden ? { hidden: true } : {}) };
}

export function changeBody({ table, type, rowId, before, after }: NumberedChange): JsonObject {
  return { table, type, row_id: rowId, before, after };
}

export interface ChangesAsked {
  readonly outline: Outline;
  /** Only this table, from the cursor on; all of them without it. */
  readonly table: string | undefined;
  readonly cursor: string;
  readonly limit: number;
}

/** Where to read on. */
export interface Place {
  readonly table: string;
  readonly cursor: string;
}

/** Reads changes table by table up to the limit; gives them and, where there are more, where to read on. */
export async function readChanges(
  api: ApiClient,
  sessionId: string,
  { outline, table, cursor, limit }: ChangesAsked,
): Promise<readonly [NumberedChange[], Place | null]> {
  const found: NumberedChange[] = [];
  const wanted = outline.tables.filter((each) => table === undefined || each.table === table);
  for (const { table: name } of wanted) {
    let next: string | null = cursor;
    while (next !== null) {
      if (found.length === limit) return [found, { table: name, cursor: next }];
      const asked = { table: name, cursor: next, limit: limit - found.length };
      const { value } = await api.listChanges(sessionId, asked);
      found.push(...value.changes);
      next = value.nextCursor;
    }
  }
  return [found, null];
}
