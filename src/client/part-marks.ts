/** The rows and tables that a reviewer marks as a part of a session, for the terminal and for the review page. */
import type { NumberedChange, StepCounts, TableOutline } from '../model/change.ts';
import { stepCountsOf } from '../model/change.ts';
import type { JsonText } from '../model/json.ts';
import { tableCell } from './cell.ts';
import type { RowChoice } from './edits.ts';

/** The marks by table: the keys of rows by their text, or the whole table. */
export type PartMarks = ReadonlyMap<string, 'whole' | ReadonlyMap<string, JsonText>>;

export const noMarks: PartMarks = new Map();

/** The maximum number of rows and tables that a request names. */
const mostMarked = 10_000;

type Row = Pick<NumberedChange, 'table' | 'rowId'>;

export const isTableMarked = (marks: PartMarks, table: string) => marks.get(table) === 'whole';

/** Returns whether a row is marked: itself, or with its table. */
export function isRowMarked(marks: PartMarks, { table, rowId }: Row): boolean {
  const rows = marks.get(table);
  return rows === 'whole' || rows?.has(rowId.text) === true;
}

/** Marks rows of tables that are not marked as a whole; removes the marks if all of the rows have one. */
export function rowsToggled(marks: PartMarks, chosen: readonly Row[]): PartMarks {
  const next = new Map(marks);
  const isAll = chosen.every((row) => isRowMarked(marks, row));
  for (const { table, rowId } of chosen) {
    const before = next.get(table);
    if (before === 'whole') continue;
    const rows = new Map(before);
    if (isAll) rows.delete(rowId.text);
    else rows.set(rowId.text, rowId);
    if (rows.size > 0) next.set(table, rows);
    else next.delete(table);
  }
  return next;
}

/** Marks a whole table in place of its rows, or removes that mark. */
export function tableToggled(marks: PartMarks, table: string): PartMarks {
  const next = new Map(marks);
  if (isTableMarked(marks, table)) next.delete(table);
  else next.set(table, 'whole');
  return next;
}

/** Returns what a request names. */
export function choicesOf(marks: PartMarks): RowChoice[] {
  return [...marks].flatMap(([table, rows]): RowChoice[] =>
    rows === 'whole' ? [{ table }] : [...rows.values()].map((rowId) => ({ table, rowId })),
  );
}

/** Returns why so many marks are refused; null if they are not. */
export const faultOfMarks = (marks: PartMarks): string | null =>
  choicesOf(marks).length > mostMarked
    ? `At most ${mostMarked.toLocaleString('en-US')} rows are marked one by one: mark the table.`
    : null;

/** Returns `2 rows of products, all of orders`; empty without a mark. */
export function marksInWords(marks: PartMarks): string {
  return [...marks]
    .map(([table, rows]) => {
      if (rows === 'whole') return `all of ${tableCell(table)}`;
      return `${rows.size.toLocaleString('en-US')} row${rows.size === 1 ? '' : 's'} of ${tableCell(table)}`;
    })
    .join(', ');
}

/** Returns the number of marked rows, where those of a whole table are counted by the outline. */
export function markedCount(marks: PartMarks, tables: readonly TableOutline[]): number {
  const counts = [...marks].map(([table, rows]) =>
    rows === 'whole' ? sizeOf(tables.filter((each) => each.table === table)) : rows.size,
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

function sizeOf(tables: readonly TableOutline[]): number {
  const { inserts, updates, deletes }: StepCounts = stepCountsOf(tables);
  return inserts + updates + deletes;
}
