/** What all forms of a diff have in common: they are written change by change, while the diff is read. */
import { nameCell } from '../../client/cell.ts';
import type { DiffReader, ReadChange } from '../../client/diff-reader.ts';
import { membersOf } from '../../client/fields.ts';
import { differencesInside } from '../../client/json-diff.ts';
import { sanitize } from '../../client/sanitize.ts';
import type { Value } from '../../client/values.ts';
import { columnCell, isSame, valuesOf } from '../../client/values.ts';
import type { Change, ChangeCounts, NetCounts, StepCounts } from '../../model/change.ts';
import { JsonText } from '../../model/json.ts';

/** A form of the diff. Texts end with a line break where one belongs, and hold nothing that acts on a terminal. */
export interface DiffFormat {
  /** The text of a change, after all that has to stand before it. */
  change(change: ReadChange): string;
  /** The text that closes the diff. */
  end(ending: Ending): string;
}

export interface Ending {
  /** How many changes were given to the form. */
  readonly shown: number;
  readonly totals: Totals;
}

/** What the whole diff has, or the one table of it that was asked for. */
export interface Totals extends StepCounts {
  readonly tables: number;
}

/** Sums a diff up from what it says of itself: it need not be read to its end. */
export function totalsOf(reader: DiffReader, table?: string): Totals {
  if (table !== undefined) {
    return { ...reader.countsOf(table), tables: reader.tables.has(table) ? 1 : 0 };
  }
  const summary = membersOf(reader.head.get('summary') ?? nothing);
  const total = (name: string) => Number(summary.get(name)?.text ?? 0);
  return {
    inserts: total('total_inserts'),
    updates: total('total_updates'),
    deletes: total('total_deletes'),
    tables: total('tables_affected'),
    furtherChanges: total('further_changes'),
  };
}

/** How many net changes there are. */
export function changesIn(counts: NetCounts): number {
  return counts.inserts + counts.updates + counts.deletes;
}

/** Whether approval would do nothing at all. */
export function isEmpty(counts: StepCounts): boolean {
  return changesIn(counts) + counts.furtherChanges === 0;
}

/** The tables of which the diff says no more than their counts, as far as it was read. */
export function hiddenTables({ counts }: DiffReader): ChangeCounts[] {
  return counts.filter(({ hidden }) => hidden);
}

/**
 * The tables of whose changes none is met on the way through the diff, for they come to nothing or are hidden, in their places
 * between the others: those that stand behind one table and before another, null being the diff's beginning and end.
 */
export function passedTables(
  { counts }: DiffReader,
  behind: string | null,
  before: string | null,
): readonly ChangeCounts[] {
  const place = (table: string) => counts.findIndex((entry) => entry.table === table);
  const from = behind === null ? 0 : place(behind) + 1;
  const to = before === null ? counts.length : place(before);
  return counts.slice(from, to).filter((entry) => entry.hidden || changesIn(entry) === 0);
}

/** A change that is to be shown. */
export type ShownChange = Change & Pick<ReadChange, 'columns'>;

/** One column of a changed row; undefined on a side that has no such column, or no row at all. */
export interface Cell {
  readonly name: string;
  /** The name as it is shown; with the path behind it where the cell is a part of a document. */
  readonly label: string;
  readonly isInside: boolean;
  readonly before: Value | undefined;
  readonly after: Value | undefined;
}

const nothing = new JsonText('{}');

/** All columns of a changed row, in the order of the table. */
export function cellsOf({ before, after, texts, columns }: ShownChange): Cell[] {
  const old = valuesOf(before, texts, 'before', columns);
  const now = valuesOf(after, texts, 'after', columns);
  const names = [...columns.map(({ name }) => name), ...old.keys(), ...now.keys()];
  return [...new Set(names)]
    .filter((name) => old.has(name) || now.has(name))
    .map((name) => ({
      name,
      label: nameCell(name),
      isInside: false,
      before: old.get(name),
      after: now.get(name),
    }));
}

/** The changed columns of an update; of two documents the parts that differ, unless the documents are as short as these. */
export function changedParts(change: ShownChange): Cell[] {
  return cellsOf(change).filter(isChanged).flatMap(partsOf);
}

/** The parts in which a changed cell differs, as cells of their own; the cell where it has none, or they would be longer. */
export function partsOf(cell: Cell): Cell[] {
  const { name, label, before, after } = cell;
  const parts = differencesInside(before, after).map(
    ({ path, before: old, after: now }): Cell => ({
      name,
      label: path === '' || path.startsWith('[') ? `${label}${path}` : `${label}.${path}`,
      isInside: path !== '',
      before: old && { json: old },
      after: now && { json: now },
    }),
  );
  const length = parts.reduce((sum, part) => sum + part.label.length + sizeOf(part), 0);
  return parts.length === 0 || length > label.length + sizeOf(cell) ? [cell] : parts;
}

function sizeOf({ before, after }: Cell): number {
  return (before?.json.text.length ?? 0) + (after?.json.text.length ?? 0);
}

/** What is shown of a side that is not there, and beside it. */
export function sideOf({ isInside }: Cell, value: Value | undefined): string {
  if (value === undefined) return isInside ? '(not there)' : '(no column)';
  return isInside ? sanitize(value.json.text) : columnCell(value);
}

export function isChanged({ before, after }: Cell): boolean {
  return !isSame(before, after);
}
