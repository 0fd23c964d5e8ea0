/** Pages of lists by cursor: texts that name the place behind an item, and the list to which it belongs. */
import { createHash } from 'node:crypto';
import { StageError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';

interface ListData<Item> {
  readonly name: string;
  /** Returns the values by which the list is sorted. */
  readonly placeOf: (item: Item) => readonly string[];
  /** The form of each of these values. */
  readonly forms: readonly RegExp[];
}

/** The selection of a request from a list: the id in its path, and its query. */
export interface ListRequest {
  readonly id?: string;
  readonly query: Readonly<Record<string, unknown>> & { readonly cursor?: string | undefined };
}

interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly totalCount: number;
  readonly hasMore: boolean;
}

/** The parameters of a query that do not select items. */
const notSelecting = ['limit', 'offset', 'cursor', 'card'];

/** A list whose pages are requested by cursor. */
export class PagedList<Item> {
  readonly #list: ListData<Item>;

  constructor(list: ListData<Item>) {
    this.#list = list;
  }

  /**
   * Returns the place behind which the requested page begins; null for the first page.
   * @throws StageError `invalid_request` for a cursor that this list did not give with these filters
   */
  placeIn(request: ListRequest): readonly string[] | null {
    const { cursor } = request.query;
    if (cursor === undefined) return null;
    const [mark, ...place] = valuesIn(cursor);
    const { forms } = this.#list;
    const fits =
      place.length === forms.length && forms.every((form, n) => form.test(place[n] ?? ''));
    // guard: a cursor serves the list and the filters that gave it
    if (!fits || mark !== this.#markOf(request)) throw foreignCursor();
    return place;
  }

  /** Returns the members of the response that state how the list continues. */
  members(request: ListRequest, { items, totalCount, hasMore }: ListPage<Item>): JsonObject {
    const last = items.at(-1);
    const next = hasMore && last !== undefined;
    return {
      total_count: totalCount,
      has_more: hasMore,
      next_cursor: next ? this.#cursorBehind(request, last) : null,
    };
  }

  #cursorBehind(request: ListRequest, item: Item): string {
    const values = [this.#markOf(request), ...this.#list.placeOf(item)];
    return Buffer.from(JSON.stringify(values)).toString('base64url');
  }

  /** Returns a short text that differs between lists and between filters. */
  #markOf({ id = '', query }: ListRequest): string {
    const filters = Object.entries(query)
      .filter(([name, value]) => value !== undefined && !notSelecting.includes(name))
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const text = JSON.stringify([this.#list.name, id, filters]);
    return createHash('sha256').update(text).digest('base64url').slice(0, 12);
  }
}

/** Returns the texts in a cursor; none if it has another form. */
function valuesIn(cursor: string): readonly string[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const areTexts = Array.isArray(values) && values.every((value) => typeof value === 'string');
    return areTexts ? (values as string[]) : [];
  } catch {
    return [];
  }
}

function foreignCursor(): StageError {
  return new StageError('invalid_request', 'cursor: is not one of this list with these filters', {
    hint: 'Pass next_cursor of a page with the same filters, or leave it out to begin again.',
  });
}
