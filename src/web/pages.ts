/** Pages of one table's changes. The outline's counts locate the last page. */
import { readChangePage } from '../client/decode.ts';
import type { ChangePage, Operation, TableOutline } from '../model/change.ts';
import { changesIn, sumOf } from '../model/change.ts';
import { request, withQuery } from './http.ts';

const perPage = 100;

export interface Filter {
  readonly type: Operation | undefined;
  readonly search: string | undefined;
}

interface Place {
  readonly cursor: string;
  readonly offset: number;
  /** Number of rows before this place. */
  readonly start: number;
}

const first: Place = { cursor: '0', offset: 0, start: 0 };

/** The reader's place in a table's changes. */
export class Pages {
  readonly table: string;
  readonly #id: string;
  readonly #filter: Filter;
  #places: Place[] = [first];
  #page: ChangePage | null = null;

  constructor(id: string, table: string, filter: Filter) {
    [this.#id, this.table, this.#filter] = [id, table, filter];
  }

  get start(): number {
    return this.#place.start;
  }

  get #place(): Place {
    return this.#places.at(-1) ?? first;
  }

  get hasNext(): boolean {
    return (this.#page?.nextCursor ?? null) !== null;
  }

  get hasPrevious(): boolean {
    return this.#places.length > 1;
  }

  /** Reads the current page. */
  async read(): Promise<ChangePage> {
    const { cursor, offset } = this.#place;
    const query = {
      table: this.table,
      ...this.#filter,
      cursor,
      offset,
      limit: perPage,
      why: 'true',
    };
    const path = withQuery(`/sessions/${this.#id}/diff/changes`, query);
    this.#page = readChangePage(await request('GET', path));
    return this.#page;
  }

  next(): void {
    const cursor = this.#page?.nextCursor;
    if (!cursor) return;
    const start = this.start + (this.#page?.changes.length ?? 0);
    this.#places.push({ cursor, offset: 0, start });
  }

  previous(): void {
    if (this.hasPrevious) this.#places.pop();
  }

  first(): void {
    this.#places = [first];
  }

  /** Moves to the last page, unless a filter is set: the outline counts unfiltered changes. */
  last({ chunks }: TableOutline): void {
    const chunk = chunks.at(-1);
    if (chunk === undefined || this.#filter.type || this.#filter.search) return;
    const [inChunk, before] = [countOf([chunk]), countOf(chunks.slice(0, -1))];
    const offset = Math.max(0, inChunk - perPage);
    this.#places = [first, { cursor: chunk.after, offset, start: before + offset }];
  }
}

/** Returns the number of changes in chunks. */
export function countOf(chunks: TableOutline['chunks']): number {
  return changesIn(sumOf(chunks));
}
