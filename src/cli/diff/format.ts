/** The basis of all formats of a diff. They write change by change, while the diff is read. */
import { nameCell } from '../../client/cell.ts';
import type { DiffReader, ReadChange } from '../../client/diff-reader.ts';
import { differencesInside } from '../../client/json-diff.ts';
import { sanitize } from '../../client/sanitize.ts';
import type { Value } from '../../client/values.ts';
import { columnCell, isSame, valuesOf } from '../../client/values.ts';
import type { Change, ChangeCounts, StepCounts } from '../../model/change.ts';
import { changesIn } from '../../model/change.ts';
import { JsonText } from '../../model/json.ts';
import { membersOf } from '../../model/json-members.ts';

/** A format of a diff. Its texts include their line breaks and contain nothing that controls a terminal. */
export interface DiffFormat {
  /** Takes a change and returns the text to write next. A format may return the text of a change with a later one, or at the end. */
  change(change: ReadChange): string;
  /** Returns the text that closes the diff. */
  end(ending: Ending): string;
}

export interface Ending {
  /** The number of changes that the format wrote. */
  readonly shown: number;
  readonly totals: Totals;
}

/** The counts of the whole diff, or of the requested table. */
export interface Totals extends StepCounts {
  readonly tables: number;
}

/** Returns a diff's totals from its summary, so it need not be read to its end. */
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

/** Returns whether approval would change nothing. */
export function isEmpty(counts: StepCounts): boolean {
  return changesIn(counts) + counts.furtherChanges === 0;
}

/** Returns the tables read so far whose changes are hidden. */
export function hiddenTables({ counts }: DiffReader): ChangeCounts[] {
  return counts.filter(({ hidden }) => hidden);
}

/**
 * Returns the tables without shown changes, hidden or without net changes, that lie between two tables of the diff.
 * @param behind the table before them; null for the beginning of the diff
 * @param before the table after them; null for the end of the diff
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

/** A change to show. */
export type ShownChange = Change & Pick<ReadChange, 'columns'>;

/** One column of a changed row. A side is undefined if it lacks the column or the row. */
export interface Cell {
  readonly name: string;
  /** The name as it is shown; followed by the path if the cell is a part of a document. */
  readonly label: string;
  readonly isInside: boolean;
  readonly before: Value | undefined;
  readonly after: Value | undefined;
}

const nothing = new JsonText('{}');

/** Returns all columns of a changed row, in the order of the table. */
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

/** Returns the changed columns of an update. Of two documents it returns the differing parts, unless the documents are at most as long. */
export function changedParts(change: ShownChange): Cell[] {
  return cellsOf(change).filter(isChanged).flatMap(partsOf);
}

/** Splits a changed cell into its differing parts. Returns the cell if it has no parts, or if they would be longer. */
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

/** Formats one side of a cell, which may be missing. */
export function sideOf({ isInside }: Cell, value: Value | undefined): string {
  if (value === undefined) return isInside ? '(not there)' : '(no column)';
  return isInside ? sanitize(value.json.text) : columnCell(value);
}

export function isChanged({ before, after }: Cell): boolean {
  return !isSame(before, after);
}
