/** The changes of a session as data, a bounded part at a time. */
import type { ApiClient } from '../client/api-client.ts';
import type { Row } from '../client/values.ts';
import { isSame, valuesOf } from '../client/values.ts';
import { StageError } from '../errors.ts';
import type { NumberedChange, Outline, TableOutline } from '../model/change.ts';
import { sumOf } from '../model/change.ts';
import type { JsonObject } from '../model/json.ts';

/** A table's counts. */
export function countsBody({ table, chunks, furtherChanges, hidden }: TableOutline): JsonObject {
  const counts = { ...sumOf(chunks), further_changes: furtherChanges };
  return { table, ...counts, ...(hidden ? { hidden: true } : {}) };
}

/** A change with its values: of an update the columns that it changes. */
export function changeBody({ table, type, rowId, ...sides }: NumberedChange): JsonObject {
  const before = valuesOf(sides.before, sides.texts, 'before');
  const after = valuesOf(sides.after, sides.texts, 'after');
  const isShown = (name: string) => type !== 'UPDATE' || !isSame(before.get(name), after.get(name));
  return {
    table,
    type,
    row_id: rowId,
    before: sides.before && valuesBody(before, isShown),
    after: sides.after && valuesBody(after, isShown),
  };
}

/** A value that its JSON does not tell from others is PostgreSQL's own text. */
function valuesBody(row: Row, isShown: (name: string) => boolean): JsonObject {
  const shown = [...row].filter(([name]) => isShown(name));
  return Object.fromEntries(shown.map(([name, { json, text }]) => [name, text ?? json]));
}

export interface ChangesAsked {
  readonly outline: Outline;
  /** Only this table; all of them without it. */
  readonly table: string | undefined;
  /** Where to begin; at the first change without it. */
  readonly from: Place | null;
  readonly limit: number;
}

/** Where to read on: behind a change of a table. */
export interface Place {
  readonly table: string;
  readonly number: string;
}

/**
 * Reads changes table by table up to the limit; gives them and, where there are more, where to read on.
 * @throws StageError where the session has no changes of the table any more that is to be read on in
 */
export async function readChanges(
  api: ApiClient,
  sessionId: string,
  { outline, table, from, limit }: ChangesAsked,
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
      // one more tells whether there is more
      const asked = { table: name, cursor: next, limit: limit + 1 - found.length };
      const { value } = await api.listChanges(sessionId, asked);
      found.push(...value.changes);
      next = value.nextCursor;
      if (found.length > limit) return [found.slice(0, limit), found[limit - 1] ?? null];
    }
  }
  return [found, null];
}
