/** Pages of one table's changes, sorted by the values of a column. */
import type { Queryable } from '../../db/database.ts';
import { StageError } from '../../errors.ts';
import { changesIn, mostSorted } from '../../model/change.ts';
import { nearest } from '../../nearest.ts';
import { streamRows } from '../stream-rows.ts';
import type { DiffTable } from './diff-tables.ts';
import { countChanges, shapeOf } from './diff-tables.ts';
import type { Page, PageFilter } from './gathered-page.ts';
import { Gatherer } from './gathered-page.ts';

/** Returns a SQL condition: whether one of a change's values contains the text of a parameter, regardless of case. */
export const hasText = (parameter: string) => `EXISTS (
    SELECT FROM (SELECT value FROM jsonb_each_text(d.before) UNION ALL SELECT value FROM jsonb_each_text(d.after)) v
    WHERE position(lower(${parameter}::text) IN lower(v.value)) > 0
  )`;

/** Sorts by jsonb: null, strings, numbers. The value is the one after the change, of a deleted row the one before. */
const sorted = (page: string, direction: 'ASC' | 'DESC') => `
SELECT d.* FROM ${page} d WHERE $5::text IS NULL OR ${hasText('$5')}
ORDER BY coalesce(d.after, d.before) -> $6::text ${direction}, d.number OFFSET $7::bigint`;

/**
 * Reads a page of a sorted list. Its cursors count the changes of that list.
 * @throws StageError `invalid_request` for a column that the table does not have, and for a list that is too long to be sorted
 */
export async function readSortedPage(
  tx: Queryable,
  table: DiffTable,
  filter: PageFilter & { readonly sort: string },
): Promise<Page> {
  const { type, search, sort, descending, cursor, offset } = filter;
  await checkColumn(tx, table, sort);
  const counts = await countChanges(tx, table);
  if (counts !== null && changesIn(counts, type) > mostSorted) throw tooLong();
  const start = Number(cursor) + offset;
  const gathered = new Gatherer(table, filter);
  const values = ['0', type ?? null, 0, mostSorted, search ?? null, sort, start];
  const select = sorted(table.page, descending ? 'DESC' : 'ASC');
  for await (const row of streamRows(tx, 'stage_page', select, values)) {
    gathered.add(row);
    if (gathered.full) break;
  }
  const { changes, full } = gathered;
  return { changes, nextCursor: full ? String(start + changes.length) : null };
}

async function checkColumn(tx: Queryable, table: DiffTable, sort: string): Promise<void> {
  const names = (await shapeOf(tx, table)).columns.map(({ name }) => name);
  // the columns of a dropped table are unknown
  if (names.length === 0 || names.includes(sort)) return;
  const meant = nearest(sort, names);
  throw new StageError('invalid_request', `${table.name} has no column ${sort}`, {
    hint: meant === null ? `Its columns: ${names.join(', ')}.` : `Did you mean ${meant}?`,
  });
}

function tooLong(): StageError {
  return new StageError(
    'invalid_request',
    `a list of more than ${mostSorted} changes is not sorted`,
    { hint: 'Ask for one type of change alone, or leave sort out and search.' },
  );
}
