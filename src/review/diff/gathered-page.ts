/** A page of one table's changes: the filter of a request, and the changes collected for it. */
import type { Row } from '../../db/database.ts';
import type { ChangePage, NumberedChange, Operation } from '../../model/change.ts';
import type { ChangeRow } from './change-row.ts';
import { toChange } from './change-row.ts';
import type { DiffTable } from './diff-tables.ts';

/** A page ends early after this many characters: a row may contain whole documents. */
export const pageLength = 4_000_000;

export interface PageFilter {
  /** The table's shown name. */
  readonly table: string;
  readonly type?: Operation | undefined;
  /** Only rows with this text in one of their values, regardless of case. */
  readonly search?: string | undefined;
  /** The column to sort by; without it the changes have the order of the diff. */
  readonly sort?: string | undefined;
  readonly descending?: boolean | undefined;
  /** Number of the change after which the page begins; in a sorted list the number of changes to skip. */
  readonly cursor: string;
  /** The number of changes to skip after the cursor; a search of a list that is not sorted skips none. */
  readonly offset: number;
  readonly limit: number;
  /** Whether a table that a role that staged in the session may not read has no changes to show. */
  readonly readableOnly?: boolean;
  /** Whether the changes include the statements that made them. */
  readonly why?: boolean | undefined;
}

export type Page = Omit<ChangePage, 'revision'>;

/** Collects changes up to the page's limit, or up to the maximum length of a page. */
export class Gatherer {
  readonly changes: NumberedChange[] = [];
  readonly #table: DiffTable;
  readonly #limit: number;
  #length = 0;

  constructor(table: DiffTable, { limit }: PageFilter) {
    this.#table = table;
    this.#limit = limit;
  }

  get full(): boolean {
    return this.changes.length >= this.#limit || this.#length > pageLength;
  }

  add(row: Row): void {
    const { name, key } = this.#table;
    const change = toChange(name, key, row as ChangeRow);
    this.changes.push({ number: String(row['number']), ...change });
    this.#length += (row['before']?.length ?? 0) + (row['after']?.length ?? 0);
  }
}
