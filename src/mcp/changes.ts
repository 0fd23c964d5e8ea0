/** The changes of a session as data, a bounded part at a time. */
import type { ApiClient } from '../client/api-client.ts';
import type { Row } from '../client/values.ts';
import { isSame, valuesOf } from '../client/values.ts';
import { StageError } from '../errors.ts';
import type { NumberedChange, Outline, TableOutline } from '../model/change.ts';
import { sumOf } from '../model/change.ts';
import type { JsonObject } from '../model/json.ts';

/** Returns a table's counts. */
export function countsBody({ table, chunks, furtherChanges, hidden }: TableOutline): JsonObject {
  const counts = { ...sumOf(chunks), further_changes: furtherChanges };
  return { table, ...counts, ...(hidden ? { hidden: true } : {}) };
}

/** Returns a change with its values, in the order of the table's columns; of an update only the changed ones. */
export function changeBody(
  { table, type, rowId, ...sides }: NumberedChange,
  { tables }: Outline,
): JsonObject {
  const columns = tables.find((each) => each.table === table)?.columns;
  const before = valuesOf(sides.before, sides.texts, 'before', columns);
  const after = valuesOf(sides.after, sides.texts, 'after', columns);
  const isShown = (name: string) => type !== 'UPDATE' || !isSame(before.get(name), after.get(name));
  return {
    table,
    type,
    row_id: rowId,
    before: sides.before && valuesBody(before, isShown),
    after: sides.after && valuesBody(after, isShown),
  };
}

/** Returns the shown values. A value whose JSON is ambiguous becomes PostgreSQL's text of it. */
function valuesBody(row: Row, isShown: (name: string) => boolean): JsonObject {
  const shown = [...row].filter(([name]) => isShown(name));
  return Object.fromEntries(shown.map(([name, { json, text }]) => [name, text ?? json]));
}

export interface ChangesQuery {
  readonly outline: Outline;
  /** The only table to read; undefined for all. */
  readonly table: string | undefined;
  /** The change to begin with; null for the first change. */
  readonly from: Place | null;
  readonly limit: number;
}

/** A position in the diff: after a change of a table. */
export interface Place {
  readonly table: string;
  readonly number: string;
}

/**
 * Reads changes table by table up to the limit. Returns them and the position to continue at; null if there are no more.
 * @throws StageError `invalid_request` if the diff no longer has the table of `from`
 */
export async function readChanges(
  api: ApiClient,
  sessionId: string,
  { outline, table, from, limit }: ChangesQuery,
): Promise<readonly [NumberedChange[], Place | null]> {
  const found: NumberedChange[] = [];
  const names = outline.tables.map((each) => each.table);
  const first = from === null ? 0 : names.indexOf(from.table);
  if (first < 0)
    throw new StageError('invalid_request', 'cursor: the diff has changed, begin anew');
  const wanted = names.slice(first).filter((name) => table === undefined || name === table);
  for (const name of wanted) {
    let next: string | null = name === from?.table ? from.number : '0';
    while (next !== null) {
      // one change more than the limit shows whether there are more
      const asked = { table: name, cursor: next, limit: limit + 1 - found.length };
      const { value } = await api.listChanges(sessionId, asked);
      found.push(...value.changes);
      next = value.nextCursor;
      if (found.length > limit) return [found.slice(0, limit), found[limit - 1] ?? null];
    }
  }
  return [found, null];
}
